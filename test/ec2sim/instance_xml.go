// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"maps"
	"slices"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// The elements of an instance as the EC2 API writes them. Names are EC2's; empty
// numbers, booleans and times must be left out, since the SDK cannot parse them.

type xmlReservation struct {
	ReservationID string        `xml:"reservationId"`
	OwnerID       string        `xml:"ownerId"`
	Groups        []xmlGroup    `xml:"groupSet>item"`
	Instances     []xmlInstance `xml:"instancesSet>item"`
}

type xmlState struct {
	Code int    `xml:"code"`
	Name string `xml:"name"`
}

type xmlGroup struct {
	ID   string `xml:"groupId"`
	Name string `xml:"groupName"`
}

type xmlTag struct {
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

type xmlStateReason struct {
	Code    string `xml:"code"`
	Message string `xml:"message"`
}

type xmlPlacement struct {
	AvailabilityZone   string `xml:"availabilityZone"`
	AvailabilityZoneID string `xml:"availabilityZoneId"`
	GroupName          string `xml:"groupName"`
	Tenancy            string `xml:"tenancy"`
}

type xmlMonitoring struct {
	State string `xml:"state"`
}

type xmlProfile struct {
	ARN string `xml:"arn"`
	ID  string `xml:"id"`
}

type xmlMetadataOptions struct {
	State                string `xml:"state"`
	HTTPTokens           string `xml:"httpTokens"`
	HopLimit             int    `xml:"httpPutResponseHopLimit"`
	HTTPEndpoint         string `xml:"httpEndpoint"`
	HTTPProtocolIPv6     string `xml:"httpProtocolIpv6"`
	InstanceMetadataTags string `xml:"instanceMetadataTags"`
}

type xmlBlockDevice struct {
	DeviceName string `xml:"deviceName"`
	EBS        xmlEBS `xml:"ebs"`
}

type xmlEBS struct {
	VolumeID            string `xml:"volumeId"`
	Status              string `xml:"status"`
	AttachTime          string `xml:"attachTime"`
	DeleteOnTermination bool   `xml:"deleteOnTermination"`
}

type xmlInterface struct {
	ID               string          `xml:"networkInterfaceId"`
	SubnetID         string          `xml:"subnetId"`
	VPCID            string          `xml:"vpcId"`
	OwnerID          string          `xml:"ownerId"`
	Status           string          `xml:"status"`
	PrivateIP        string          `xml:"privateIpAddress"`
	PrivateDNSName   string          `xml:"privateDnsName"`
	SourceDestCheck  bool            `xml:"sourceDestCheck"`
	Groups           []xmlGroup      `xml:"groupSet>item"`
	Attachment       xmlAttachment   `xml:"attachment"`
	Association      *xmlAssociation `xml:"association"`
	PrivateAddresses []xmlPrivateIP  `xml:"privateIpAddressesSet>item"`
	InterfaceType    string          `xml:"interfaceType"`
}

type xmlAttachment struct {
	ID                  string `xml:"attachmentId"`
	DeviceIndex         int    `xml:"deviceIndex"`
	NetworkCardIndex    int    `xml:"networkCardIndex"`
	Status              string `xml:"status"`
	AttachTime          string `xml:"attachTime"`
	DeleteOnTermination bool   `xml:"deleteOnTermination"`
}

type xmlAssociation struct {
	PublicIP      string `xml:"publicIp"`
	PublicDNSName string `xml:"publicDnsName"`
	IPOwnerID     string `xml:"ipOwnerId"`
}

type xmlPrivateIP struct {
	Address     string          `xml:"privateIpAddress"`
	DNSName     string          `xml:"privateDnsName"`
	Primary     bool            `xml:"primary"`
	Association *xmlAssociation `xml:"association"`
}

type xmlInstance struct {
	ID                 string             `xml:"instanceId"`
	ImageID            string             `xml:"imageId"`
	State              xmlState           `xml:"instanceState"`
	PrivateDNSName     string             `xml:"privateDnsName"`
	PublicDNSName      string             `xml:"dnsName"`
	Reason             string             `xml:"reason"`
	KeyName            string             `xml:"keyName,omitempty"`
	LaunchIndex        int                `xml:"amiLaunchIndex"`
	InstanceType       string             `xml:"instanceType"`
	LaunchTime         string             `xml:"launchTime"`
	Placement          xmlPlacement       `xml:"placement"`
	Monitoring         xmlMonitoring      `xml:"monitoring"`
	SubnetID           string             `xml:"subnetId,omitempty"`
	VPCID              string             `xml:"vpcId,omitempty"`
	PrivateIP          string             `xml:"privateIpAddress,omitempty"`
	PublicIP           string             `xml:"ipAddress,omitempty"`
	SourceDestCheck    *bool              `xml:"sourceDestCheck"`
	Groups             []xmlGroup         `xml:"groupSet>item"`
	StateReason        *xmlStateReason    `xml:"stateReason"`
	Architecture       string             `xml:"architecture"`
	RootDeviceType     string             `xml:"rootDeviceType"`
	RootDeviceName     string             `xml:"rootDeviceName"`
	BlockDevices       []xmlBlockDevice   `xml:"blockDeviceMapping>item"`
	VirtualizationType string             `xml:"virtualizationType"`
	ClientToken        string             `xml:"clientToken"`
	Tags               []xmlTag           `xml:"tagSet>item"`
	Hypervisor         string             `xml:"hypervisor"`
	Interfaces         []xmlInterface     `xml:"networkInterfaceSet>item"`
	Profile            *xmlProfile        `xml:"iamInstanceProfile"`
	EBSOptimized       bool               `xml:"ebsOptimized"`
	ENASupport         bool               `xml:"enaSupport"`
	MetadataOptions    xmlMetadataOptions `xml:"metadataOptions"`
	PlatformDetails    string             `xml:"platformDetails"`
	UsageOperation     string             `xml:"usageOperation"`
}

func stateXML(s lifecycle.State) xmlState { return xmlState{s.Code(), string(s)} }

func (v view) xml() xmlInstance {
	out := xmlInstance{
		ID: v.id, ImageID: v.spec.image.ID, State: stateXML(v.status.State), Reason: v.status.Reason.Transition,
		KeyName: v.spec.keyName, LaunchIndex: v.launchIndex, InstanceType: v.spec.instanceType.Name,
		LaunchTime:   wire.Timestamp(v.launchTime),
		Placement:    xmlPlacement{AvailabilityZone: v.zone.Name, AvailabilityZoneID: v.zone.ID, Tenancy: v.spec.tenancy},
		Monitoring:   xmlMonitoring{v.monitoringState()},
		Architecture: v.spec.image.Architecture, RootDeviceType: "ebs", RootDeviceName: v.spec.image.RootDeviceName,
		VirtualizationType: "hvm", ClientToken: v.clientToken, Tags: tagsXML(v.tags), Hypervisor: "xen",
		EBSOptimized: v.spec.ebsOptimized, ENASupport: true, MetadataOptions: v.metadataXML(),
		PlatformDetails: "Linux/UNIX", UsageOperation: "RunInstances",
	}
	if reason := v.status.Reason; reason.Code != "" {
		out.StateReason = &xmlStateReason{reason.Code, reason.Message}
	}
	if p := v.spec.profile; p != nil {
		out.Profile = &xmlProfile{profileARN(v.account, p.Name), p.ID}
	}
	if !v.detached() {
		v.addAttachments(&out)
	}
	return out
}

// addAttachments fills what a terminated instance no longer has.
func (v view) addAttachments(out *xmlInstance) {
	out.SubnetID, out.VPCID = v.subnet.ID, v.subnet.VPCID
	out.PrivateIP, out.PrivateDNSName = v.privateIP.String(), v.privateDNSName()
	out.SourceDestCheck = new(v.spec.sourceDestCheck)
	out.Groups = groupsXML(v.spec.groups)
	if ip := v.status.PublicIP; ip.IsValid() {
		out.PublicIP, out.PublicDNSName = ip.String(), v.publicDNSName(ip)
	}
	attached := wire.Timestamp(v.history.Launched())
	for _, vol := range v.volumes {
		out.BlockDevices = append(out.BlockDevices, xmlBlockDevice{vol.device, xmlEBS{vol.id, "attached", attached, vol.deleteOnTermination}})
	}
	out.Interfaces = []xmlInterface{v.interfaceXML(attached)}
}

func (v view) interfaceXML(attached string) xmlInterface {
	var association *xmlAssociation
	if ip := v.status.PublicIP; ip.IsValid() {
		association = &xmlAssociation{ip.String(), v.publicDNSName(ip), "amazon"}
	}
	return xmlInterface{
		ID: v.interfaceID, SubnetID: v.subnet.ID, VPCID: v.subnet.VPCID, OwnerID: v.account, Status: "in-use",
		PrivateIP: v.privateIP.String(), PrivateDNSName: v.privateDNSName(), SourceDestCheck: v.spec.sourceDestCheck,
		Groups:           groupsXML(v.spec.groups),
		Attachment:       xmlAttachment{ID: v.attachmentID, Status: "attached", AttachTime: attached, DeleteOnTermination: v.spec.deleteInterface},
		Association:      association,
		PrivateAddresses: []xmlPrivateIP{{v.privateIP.String(), v.privateDNSName(), true, association}},
		InterfaceType:    "interface",
	}
}

func (v view) metadataXML() xmlMetadataOptions {
	m := v.spec.metadata
	state := "applied"
	if v.status.State == lifecycle.Pending {
		state = "pending"
	}
	return xmlMetadataOptions{state, m.httpTokens, m.hopLimit, m.httpEndpoint, m.httpProtocolIPv6, m.instanceMetadataTags}
}

func groupsXML(groups []SecurityGroup) []xmlGroup {
	var out []xmlGroup
	for _, g := range groups {
		out = append(out, xmlGroup{g.ID, g.Name})
	}
	return out
}

func tagsXML(tags map[string]string) []xmlTag {
	var out []xmlTag
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, xmlTag{key, tags[key]})
	}
	return out
}
