// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

var someTime = time.Date(2026, 1, 7, 12, 19, 54, 0, time.UTC)

const describedInstance = `<DescribeInstancesResponse><reservationSet><item><ownerId>123456789012</ownerId><instancesSet><item>
<instanceId>i-0123456789abcdef0</instanceId>
<instanceState><code>16</code><name>running</name></instanceState>
<stateReason><code>Client.UserInitiatedShutdown</code><message>Client.UserInitiatedShutdown: User initiated shutdown</message></stateReason>
<reason>User initiated (2026-01-07 12:19:54 GMT)</reason><architecture>x86_64</architecture>
<instanceLifecycle>spot</instanceLifecycle><spotInstanceRequestId>sir-1</spotInstanceRequestId>
<monitoring><state>enabled</state></monitoring><ebsOptimized>true</ebsOptimized><rootDeviceName>/dev/xvda</rootDeviceName>
<cpuOptions><coreCount>1</coreCount><threadsPerCore>2</threadsPerCore><amdSevSnp>disabled</amdSevSnp>
<nestedVirtualization>enabled</nestedVirtualization></cpuOptions>
<capacityReservationId>cr-another</capacityReservationId>
<capacityReservationSpecification><capacityReservationPreference>open</capacityReservationPreference><capacityReservationTarget>
<capacityReservationId>cr-1</capacityReservationId><capacityReservationResourceGroupArn>arn:group</capacityReservationResourceGroupArn>
</capacityReservationTarget></capacityReservationSpecification>
<maintenanceOptions><autoRecovery>default</autoRecovery><rebootMigration>disabled</rebootMigration></maintenanceOptions>
<privateDnsNameOptions><hostnameType>ip-name</hostnameType><enableResourceNameDnsARecord>true</enableResourceNameDnsARecord>
<enableResourceNameDnsAAAARecord>false</enableResourceNameDnsAAAARecord></privateDnsNameOptions>
<hibernationOptions><configured>true</configured></hibernationOptions><enclaveOptions><enabled>true</enabled></enclaveOptions>
<licenseSet><item><licenseConfigurationArn>arn:b</licenseConfigurationArn></item>
<item><licenseConfigurationArn>arn:a</licenseConfigurationArn></item></licenseSet>
<instanceType>t3.micro</instanceType><imageId>ami-0123456789abcdef0</imageId>
<subnetId>subnet-0aaaaaaaa</subnetId><vpcId>vpc-0aaaaaaaa</vpcId><placement><availabilityZone>eu-central-1a</availabilityZone><tenancy>host</tenancy><groupName>web</groupName>
<groupId>pg-1</groupId><partitionNumber>3</partitionNumber><hostId>h-1</hostId><hostResourceGroupArn>arn:host</hostResourceGroupArn>
<affinity>default</affinity></placement>
<keyName>ops</keyName><privateIpAddress>10.0.0.4</privateIpAddress><ipAddress>203.0.113.7</ipAddress>
<privateDnsName>ip-10-0-0-4.eu-central-1.compute.internal</privateDnsName><dnsName>ec2-203-0-113-7.eu-central-1.compute.amazonaws.com</dnsName>
<ipv6Address>2001:db8::1</ipv6Address>
<groupSet><item><groupId>sg-0b</groupId></item><item><groupId>sg-0a</groupId></item></groupSet>
<networkInterfaceSet>
<item><networkInterfaceId>eni-0b</networkInterfaceId><attachment><deviceIndex>1</deviceIndex></attachment><subnetId>subnet-0b</subnetId>
<ipv6AddressesSet><item><ipv6Address>2001:db8::2</ipv6Address></item><item><ipv6Address>2001:db8::1</ipv6Address></item></ipv6AddressesSet></item>
<item><networkInterfaceId>eni-0a</networkInterfaceId><attachment><deviceIndex>0</deviceIndex>
<deleteOnTermination>true</deleteOnTermination></attachment><description>primary</description><sourceDestCheck>true</sourceDestCheck><subnetId>subnet-0a</subnetId>
<macAddress>02:00:00:00:00:01</macAddress><privateIpAddress>10.0.0.4</privateIpAddress><association><publicIp>203.0.113.7</publicIp></association>
<groupSet><item><groupId>sg-0b</groupId></item><item><groupId>sg-0a</groupId></item></groupSet></item>
</networkInterfaceSet>
<blockDeviceMapping>
<item><deviceName>/dev/xvdb</deviceName><ebs><volumeId>vol-0b</volumeId></ebs></item>
<item><deviceName>/dev/xvda</deviceName><ebs><volumeId>vol-0a</volumeId><deleteOnTermination>true</deleteOnTermination></ebs></item>
</blockDeviceMapping>
<iamInstanceProfile><arn>arn:aws:iam::123456789012:instance-profile/web</arn><id>AIPA</id></iamInstanceProfile>
<launchTime>2026-01-07T12:19:54.000Z</launchTime><clientToken>token</clientToken>
<tagSet><item><key>b</key><value>2</value></item><item><key>a</key><value/></item></tagSet>
<metadataOptions><state>applied</state><httpTokens>required</httpTokens><httpEndpoint>enabled</httpEndpoint>
<httpPutResponseHopLimit>2</httpPutResponseHopLimit><httpProtocolIpv6>disabled</httpProtocolIpv6><instanceMetadataTags>disabled</instanceMetadataTags></metadataOptions>
</item></instancesSet></item></reservationSet></DescribeInstancesResponse>`

func TestConvertInstance(t *testing.T) {
	s := newTestSession(t, &fakeAWS{answer: always(ok(describedInstance))})
	got, found, err := s.FindByID(t.Context(), "i-0123456789abcdef0")
	if err != nil || !found {
		t.Fatal(found, err)
	}
	want := Instance{
		ID: "i-0123456789abcdef0", State: StateRunning,
		StateReasonCode: "Client.UserInitiatedShutdown", StateReasonMessage: "Client.UserInitiatedShutdown: User initiated shutdown",
		StateTransitionReason: "User initiated (2026-01-07 12:19:54 GMT)", Architecture: "x86_64", Lifecycle: "spot", SpotRequestID: "sir-1",
		Monitoring: "enabled", EBSOptimized: true, RootDeviceName: "/dev/xvda", HibernationConfigured: true, EnclaveEnabled: true,
		CPU: CPUOptions{CoreCount: 1, ThreadsPerCore: 2, AMDSEVSNP: "disabled", NestedVirtualization: "enabled"},
		Placement: Placement{
			AvailabilityZone: "eu-central-1a", Tenancy: "host", GroupName: "web", GroupID: "pg-1", PartitionNumber: 3, HostID: "h-1",
			HostResourceGroupARN: "arn:host", Affinity: "default",
		},
		CapacityReservation:      CapacityReservation{Preference: "open", ID: "cr-1", ResourceGroupARN: "arn:group"},
		Maintenance:              MaintenanceOptions{AutoRecovery: "default", RebootMigration: "disabled"},
		DNSNames:                 PrivateDNSNameOptions{HostnameType: "ip-name", ARecord: "true", AAAARecord: "false"},
		LicenseConfigurationARNs: []string{"arn:a", "arn:b"},
		Type:                     "t3.micro", ImageID: "ami-0123456789abcdef0", SubnetID: "subnet-0aaaaaaaa", VPCID: "vpc-0aaaaaaaa", Zone: "eu-central-1a",
		KeyName: "ops", PrivateIP: "10.0.0.4", PublicIP: "203.0.113.7",
		PrivateDNS: "ip-10-0-0-4.eu-central-1.compute.internal", PublicDNS: "ec2-203-0-113-7.eu-central-1.compute.amazonaws.com",
		IPv6: []string{"2001:db8::1", "2001:db8::2"}, SecurityGroupIDs: []string{"sg-0a", "sg-0b"},
		NetworkInterfaces: []NetworkInterface{
			{
				ID: "eni-0a", SubnetID: "subnet-0a", Description: "primary", SourceDestCheck: true, DeleteOnTermination: true, PrivateIP: "10.0.0.4", PublicIP: "203.0.113.7", MAC: "02:00:00:00:00:01",
				SecurityGroupIDs: []string{"sg-0a", "sg-0b"},
			},
			{ID: "eni-0b", DeviceIndex: 1, SubnetID: "subnet-0b", IPv6: []string{"2001:db8::1", "2001:db8::2"}},
		},
		Volumes:               []Volume{{DeviceName: "/dev/xvda", ID: "vol-0a", DeleteOnTermination: true}, {DeviceName: "/dev/xvdb", ID: "vol-0b"}},
		IAMInstanceProfileARN: "arn:aws:iam::123456789012:instance-profile/web",
		LaunchTime:            someTime, ClientToken: "token", Tags: map[string]string{"a": "", "b": "2"},
		MetadataOptions: MetadataOptions{
			HTTPTokens: "required", HTTPEndpoint: "enabled", HTTPPutResponseHopLimit: 2, HTTPProtocolIPv6: "disabled", InstanceMetadataTags: "disabled",
		},
		MetadataState: "applied",
		AccountID:     "123456789012", Region: testRegion,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("instance (-want +got):\n%s", diff)
	}
}

// While an instance shuts down EC2 leaves out most of it.
func TestConvertInstanceOfWhichEC2SaysNothing(t *testing.T) {
	s := newTestSession(t, &fakeAWS{answer: always(ok(page("", "i-1")))})
	got, found, err := s.FindByID(t.Context(), "i-1")
	if err != nil || !found {
		t.Fatal(found, err)
	}
	if diff := cmp.Diff(Instance{ID: "i-1", Region: testRegion}, got); diff != "" {
		t.Errorf("instance (-want +got):\n%s", diff)
	}
}

func TestEqualSeesEveryField(t *testing.T) {
	i := Instance{NetworkInterfaces: []NetworkInterface{{ID: "eni-0a"}}, Volumes: []Volume{{ID: "vol-0a"}}}
	base := i
	changeEachField(reflect.ValueOf(&i).Elem(), func(field string) {
		if i.Equal(base) || base.Equal(i) {
			t.Errorf("a change of %s goes unseen", field)
		}
	})
	if !i.Equal(base) {
		t.Error("not equal to itself")
	}
	n := NetworkInterface{}
	changeEachField(reflect.ValueOf(&n).Elem(), func(field string) {
		if n.Equal(NetworkInterface{}) {
			t.Errorf("a change of a network interface's %s goes unseen", field)
		}
	})
}

func TestEqualTakesEmptyForNil(t *testing.T) {
	empty := Instance{
		IPv6: []string{}, SecurityGroupIDs: []string{}, NetworkInterfaces: []NetworkInterface{}, Volumes: []Volume{},
		LicenseConfigurationARNs: []string{},
		Tags:                     map[string]string{},
	}
	if !empty.Equal(Instance{}) {
		t.Error("empty and nil lists differ")
	}
	here := Instance{LaunchTime: someTime.In(time.FixedZone("", 3600))}
	if !here.Equal(Instance{LaunchTime: someTime}) {
		t.Error("one time in two zones differs")
	}
}

func TestARN(t *testing.T) {
	tests := map[string]string{
		"eu-central-1":   "arn:aws:ec2:eu-central-1:123456789012:instance/i-1",
		"cn-north-1":     "arn:aws-cn:ec2:cn-north-1:123456789012:instance/i-1",
		"us-gov-west-1":  "arn:aws-us-gov:ec2:us-gov-west-1:123456789012:instance/i-1",
		"us-iso-east-1":  "arn:aws-iso:ec2:us-iso-east-1:123456789012:instance/i-1",
		"us-isob-east-1": "arn:aws-iso-b:ec2:us-isob-east-1:123456789012:instance/i-1",
		"eusc-de-east-1": "arn:aws-eusc:ec2:eusc-de-east-1:123456789012:instance/i-1",
		"":               "",
	}
	for region, want := range tests {
		if got := (Instance{ID: "i-1", AccountID: "123456789012", Region: region}).ARN(); got != want {
			t.Errorf("%q: got %q, want %q", region, got, want)
		}
	}
	if got := (Instance{ID: "i-1", Region: "eu-central-1"}).ARN(); got != "" {
		t.Errorf("without an account: %q", got)
	}
}

func TestStates(t *testing.T) {
	tests := map[State]struct{ live, inMotion, doomed bool }{
		StatePending:      {live: true, inMotion: true},
		StateRunning:      {live: true},
		StateStopping:     {live: true, inMotion: true},
		StateStopped:      {live: true},
		StateShuttingDown: {inMotion: true, doomed: true},
		StateTerminated:   {doomed: true},
		"":                {},
		"invented":        {},
	}
	for state, want := range tests {
		if state.Live() != want.live || state.InMotion() != want.inMotion || state.Doomed() != want.doomed {
			t.Errorf("%q: live %v, in motion %v, doomed %v", state, state.Live(), state.InMotion(), state.Doomed())
		}
	}
}

func TestOwner(t *testing.T) {
	identity := func(change func(map[string]string)) map[string]string {
		tags := IdentityTags(testCluster, testOwner)
		change(tags)
		return tags
	}
	tests := map[string]struct {
		cluster string
		tags    map[string]string
		want    bool
	}{
		"ours":              {testCluster, identity(func(map[string]string) {}), true},
		"another cluster's": {"other", identity(func(map[string]string) {}), false},
		"no tags":           {testCluster, nil, false},
		"no cluster":        {"", identity(func(t map[string]string) { t[ec2v1.TagCluster] = "" }), false},
		"no uid":            {testCluster, identity(func(t map[string]string) { delete(t, ec2v1.TagUID) }), false},
		"no namespace":      {testCluster, identity(func(t map[string]string) { delete(t, ec2v1.TagNamespace) }), false},
		"no name":           {testCluster, identity(func(t map[string]string) { delete(t, ec2v1.TagName) }), false},
	}
	for name, test := range tests {
		owner, ok := Instance{Tags: test.tags}.Owner(test.cluster)
		if ok != test.want {
			t.Errorf("%s: got %v", name, ok)
		}
		want := Owner{}
		if test.want {
			want = testOwner
		}
		if owner != want {
			t.Errorf("%s: got %v", name, owner)
		}
	}
}

func TestDesiredTags(t *testing.T) {
	identity := func(more map[string]string) map[string]string {
		tags := IdentityTags(testCluster, testOwner)
		maps.Copy(tags, more)
		return tags
	}
	tests := map[string]struct {
		tags []ec2v1.Tag
		want map[string]string
	}{
		"none":             {nil, identity(map[string]string{"Name": "shop/web"})},
		"own":              {[]ec2v1.Tag{{Key: "a", Value: new("1")}}, identity(map[string]string{"Name": "shop/web", "a": "1"})},
		"own name":         {[]ec2v1.Tag{{Key: "Name", Value: new("front")}}, identity(map[string]string{"Name": "front"})},
		"empty own name":   {[]ec2v1.Tag{{Key: "Name", Value: new("")}}, identity(map[string]string{"Name": ""})},
		"no value":         {[]ec2v1.Tag{{Key: "a"}}, identity(map[string]string{"Name": "shop/web", "a": ""})},
		"forged identity":  {[]ec2v1.Tag{{Key: ec2v1.TagUID, Value: new("x")}}, identity(map[string]string{"Name": "shop/web"})},
		"case of own name": {[]ec2v1.Tag{{Key: "name", Value: new("x")}}, identity(map[string]string{"Name": "shop/web", "name": "x"})},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, DesiredTags(testCluster, testOwner, &ec2v1.EC2InstanceSpec{Tags: test.tags})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	long := DesiredTags(testCluster, Owner{Namespace: strings.Repeat("n", 63), Name: strings.Repeat("a", 253)}, &ec2v1.EC2InstanceSpec{})
	if got := len(long[ec2v1.TagDisplayName]); got != 256 {
		t.Errorf("a long name is a tag of %d characters, want EC2's 256", got)
	}
}
