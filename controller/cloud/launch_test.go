// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

const launched = `<RunInstancesResponse><ownerId>123456789012</ownerId><instancesSet><item>
<instanceId>i-0123456789abcdef0</instanceId><instanceState><code>0</code><name>pending</name></instanceState>
</item></instancesSet></RunInstancesResponse>`

var testOwner = Owner{UID: "8a9a0c6e-2222-4333-8444-5555aaaabbbb", Namespace: "shop", Name: "web"}

func fullSpec() *ec2v1.EC2InstanceSpec {
	return &ec2v1.EC2InstanceSpec{
		InstanceType:       "t3.micro",
		SubnetID:           "subnet-0aaaaaaaaaaaaaaaa",
		SecurityGroupIDs:   []string{"sg-0bbbbbbbb", "sg-0aaaaaaaa", "sg-0bbbbbbbb"},
		KeyName:            "ops",
		IAMInstanceProfile: &ec2v1.IAMInstanceProfile{Name: "web"},
		Tags:               []ec2v1.Tag{{Key: "team", Value: new("shop")}, {Key: "empty", Value: new("")}},
		MetadataOptions: ec2v1.MetadataOptions{
			HTTPTokens: "required", HTTPEndpoint: "enabled", HTTPPutResponseHopLimit: new(int32(2)),
			HTTPProtocolIPv6: "disabled", InstanceMetadataTags: "disabled",
		},
	}
}

func fullLaunch() LaunchParameters {
	spec := fullSpec()
	return NewLaunchParameters(spec, "ami-0123456789abcdef0", "", UserData{Bytes: []byte("#!/bin/sh\n")}, DesiredTags(testCluster, testOwner, spec))
}

func TestLaunchSendsEverythingAndNothingElse(t *testing.T) {
	tests := map[string]struct {
		parameters LaunchParameters
		want       string
	}{
		"full": {fullLaunch(), `Action=RunInstances
ClientToken=token
IamInstanceProfile.Name=web
ImageId=ami-0123456789abcdef0
InstanceType=t3.micro
KeyName=ops
MaxCount=1
MetadataOptions.HttpEndpoint=enabled
MetadataOptions.HttpProtocolIpv6=disabled
MetadataOptions.HttpPutResponseHopLimit=2
MetadataOptions.HttpTokens=required
MetadataOptions.InstanceMetadataTags=disabled
MinCount=1
SecurityGroupId.1=sg-0aaaaaaaa
SecurityGroupId.2=sg-0bbbbbbbb
SubnetId=subnet-0aaaaaaaaaaaaaaaa
TagSpecification.1.ResourceType=instance
TagSpecification.1.Tag.1.Key=Name
TagSpecification.1.Tag.1.Value=shop/web
TagSpecification.1.Tag.2.Key=ec2.fieldowner.dev/cluster
TagSpecification.1.Tag.2.Value=0b6b5b0e-6b43-4f42-a0e5-2f8b6b5b7f10
TagSpecification.1.Tag.3.Key=ec2.fieldowner.dev/name
TagSpecification.1.Tag.3.Value=web
TagSpecification.1.Tag.4.Key=ec2.fieldowner.dev/namespace
TagSpecification.1.Tag.4.Value=shop
TagSpecification.1.Tag.5.Key=ec2.fieldowner.dev/uid
TagSpecification.1.Tag.5.Value=8a9a0c6e-2222-4333-8444-5555aaaabbbb
TagSpecification.1.Tag.6.Key=empty
TagSpecification.1.Tag.6.Value=
TagSpecification.1.Tag.7.Key=team
TagSpecification.1.Tag.7.Value=shop
UserData=IyEvYmluL3NoCg==
Version=2016-11-15
`},
		"least": {LaunchParameters{ImageID: "ami-0123456789abcdef0", InstanceType: "t3.micro"}, `Action=RunInstances
ClientToken=token
ImageId=ami-0123456789abcdef0
InstanceType=t3.micro
MaxCount=1
MinCount=1
Version=2016-11-15
`},
		"profile by ARN": {LaunchParameters{ImageID: "ami-1", ProfileARN: "arn:aws:iam::123456789012:instance-profile/web"}, `Action=RunInstances
ClientToken=token
IamInstanceProfile.Arn=arn:aws:iam::123456789012:instance-profile/web
ImageId=ami-1
MaxCount=1
MinCount=1
Version=2016-11-15
`},
		"all from a template": {LaunchParameters{LaunchTemplateName: "web", LaunchTemplateVersion: "7"}, `Action=RunInstances
ClientToken=token
LaunchTemplate.LaunchTemplateName=web
LaunchTemplate.Version=7
MaxCount=1
MinCount=1
Version=2016-11-15
`},
		// EC2 takes a public address for a network interface only, and nothing else of that interface elsewhere.
		"a public address": {LaunchParameters{
			SubnetID: "subnet-1", SecurityGroupIDs: []string{"sg-2", "sg-1"}, PrivateIPAddress: "10.0.0.4", IPv6AddressCount: 1,
			AssociatePublicIPAddress: "true",
		}, `Action=RunInstances
ClientToken=token
MaxCount=1
MinCount=1
NetworkInterface.1.AssociatePublicIpAddress=true
NetworkInterface.1.DeviceIndex=0
NetworkInterface.1.Ipv6AddressCount=1
NetworkInterface.1.PrivateIpAddress=10.0.0.4
NetworkInterface.1.SecurityGroupId.1=sg-1
NetworkInterface.1.SecurityGroupId.2=sg-2
NetworkInterface.1.SubnetId=subnet-1
Version=2016-11-15
`},
		"sets in one order": {LaunchParameters{
			NetworkInterfaces: []LaunchInterface{{DeviceIndex: 1, SecurityGroupIDs: []string{"sg-2", "sg-1"}}, {DeviceIndex: 0}},
			BlockDevices:      []BlockDevice{{DeviceName: "/dev/sdg"}, {DeviceName: "/dev/sdf"}},
			LicenseARNs:       []string{"arn:b", "arn:a", "arn:b"},
		}, `Action=RunInstances
BlockDeviceMapping.1.DeviceName=/dev/sdf
BlockDeviceMapping.2.DeviceName=/dev/sdg
ClientToken=token
LicenseSpecification.1.LicenseConfigurationArn=arn:a
LicenseSpecification.2.LicenseConfigurationArn=arn:b
MaxCount=1
MinCount=1
NetworkInterface.1.DeviceIndex=0
NetworkInterface.2.DeviceIndex=1
NetworkInterface.2.SecurityGroupId.1=sg-1
NetworkInterface.2.SecurityGroupId.2=sg-2
Version=2016-11-15
`},
		// The request for a Spot Instance is a thing of its own, and is ours, too.
		"a Spot Instance's tags": {LaunchParameters{
			MarketType: "spot", Tags: map[string]string{"a": "b"}, PropagateTags: true,
		}, `Action=RunInstances
ClientToken=token
InstanceMarketOptions.MarketType=spot
MaxCount=1
MinCount=1
TagSpecification.1.ResourceType=instance
TagSpecification.1.Tag.1.Key=a
TagSpecification.1.Tag.1.Value=b
TagSpecification.2.ResourceType=volume
TagSpecification.2.Tag.1.Key=a
TagSpecification.2.Tag.1.Value=b
TagSpecification.3.ResourceType=network-interface
TagSpecification.3.Tag.1.Key=a
TagSpecification.3.Tag.1.Value=b
TagSpecification.4.ResourceType=spot-instances-request
TagSpecification.4.Tag.1.Key=a
TagSpecification.4.Tag.1.Value=b
Version=2016-11-15
`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: always(ok(launched))}
			if _, err := newTestSession(t, f).Launch(t.Context(), "token", test.parameters); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, wire(f.last(t))); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLaunchAnswer(t *testing.T) {
	f := &fakeAWS{answer: always(ok(launched))}
	p := fullLaunch()
	i, err := newTestSession(t, f).Launch(t.Context(), "token", p)
	if err != nil {
		t.Fatal(err)
	}
	want := Instance{
		ID: "i-0123456789abcdef0", State: StatePending, AccountID: "123456789012", Region: testRegion,
		ClientToken: "token", Tags: p.Tags,
	}
	if diff := cmp.Diff(want, i); diff != "" {
		t.Errorf("instance (-want +got):\n%s", diff)
	}
	if owner, ok := i.Owner(testCluster); !ok || owner != testOwner {
		t.Errorf("owner is %v, %v", owner, ok)
	}
}

func TestLaunchNeedsAToken(t *testing.T) {
	f := &fakeAWS{answer: always(ok(launched))}
	_, err := newTestSession(t, f).Launch(t.Context(), "", fullLaunch())
	if e := mustError(t, err); e.Class != ClassInvalid || !e.Definite {
		t.Errorf("got %#v", e)
	}
	if len(f.actions()) != 0 {
		t.Errorf("sent %v", f.actions())
	}
}

// Without this the SDK would repeat what looks like a server error to it, and spend the account's few RunInstances tokens;
// and nobody could say any more whether a call had an effect.
func TestChangesAreSentOnceWhateverTheEnvironmentSaysOfRetries(t *testing.T) {
	answers := map[string]answer{
		"capacity":  failure(http.StatusInternalServerError, "InsufficientInstanceCapacity", "no room"),
		"throttled": failure(http.StatusServiceUnavailable, "RequestLimitExceeded", "Request limit exceeded."),
		"internal":  failure(http.StatusInternalServerError, "InternalError", "oops"),
		"lost":      {err: io.ErrUnexpectedEOF},
		"reset":     {err: syscall.ECONNRESET},
	}
	changes := map[string]func(context.Context, Session) error{
		"Launch":     func(ctx context.Context, s Session) error { _, err := s.Launch(ctx, "token", fullLaunch()); return err },
		"Terminate":  func(ctx context.Context, s Session) error { _, err := s.Terminate(ctx, "i-1"); return err },
		"Stop":       func(ctx context.Context, s Session) error { _, err := s.Stop(ctx, "i-1"); return err },
		"Start":      func(ctx context.Context, s Session) error { _, err := s.Start(ctx, "i-1"); return err },
		"SetTags":    func(ctx context.Context, s Session) error { return s.SetTags(ctx, "i-1", map[string]string{"a": "b"}) },
		"RemoveTags": func(ctx context.Context, s Session) error { return s.RemoveTags(ctx, "i-1", []string{"a"}) },
	}
	for name, a := range answers {
		for change, send := range changes {
			for _, mode := range []string{"standard", "adaptive"} {
				t.Run(change+"/"+name+"/"+mode, func(t *testing.T) {
					standardEnvironment(t)
					t.Setenv("AWS_MAX_ATTEMPTS", "7")
					t.Setenv("AWS_RETRY_MODE", mode)
					f := &fakeAWS{answer: always(a)}
					s := sessionOf(t, NewProvider(testCluster, Options{HTTPClient: f}), testAccount("default"))
					if err := send(t.Context(), s); err == nil {
						t.Error("no error")
					}
					if got := len(f.actions()); got != 1 {
						t.Errorf("%d requests, want 1", got)
					}
				})
			}
		}
	}
}

func TestLaunchWithoutAnAnswerEndsWithinTheConsistencyWindowAndIsNotDefinite(t *testing.T) {
	standardEnvironment(t)
	synctest.Test(t, func(t *testing.T) {
		f := &hangingAWS{}
		s := sessionOf(t, NewProvider(testCluster, Options{HTTPClient: f}), testAccount("default"))
		begin := time.Now()
		_, err := s.Launch(t.Context(), "token", fullLaunch())
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("took %v, want a minute", took)
		}
		e := mustError(t, err)
		if e.Definite || e.Class != ClassTransient {
			t.Errorf("got %#v", e)
		}
		if want := "RunInstances: no answer in time"; e.Error() != want {
			t.Errorf("says %q, want %q", e, want)
		}
	})
}

// hangingAWS never answers.
type hangingAWS struct{}

func (*hangingAWS) Do(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestLaunchWithAnEmptyAnswerIsNotDefinite(t *testing.T) {
	for _, body := range []string{"", "<RunInstancesResponse/>", "<RunInstancesResponse><instancesSet/></RunInstancesResponse>", "not XML", "<a"} {
		t.Run(body, func(t *testing.T) {
			f := &fakeAWS{answer: always(ok(body))}
			_, err := newTestSession(t, f).Launch(t.Context(), "token", fullLaunch())
			if e := mustError(t, err); e.Definite || e.Class != ClassTransient {
				t.Errorf("got %#v", e)
			}
		})
	}
}

func TestCanceledLaunchIsNotDefinite(t *testing.T) {
	f := &fakeAWS{}
	s := newTestSession(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	f.answer = func(request) answer {
		cancel()
		return answer{err: fmt.Errorf("sending: %w", ctx.Err())}
	}
	_, err := s.Launch(ctx, "token", fullLaunch())
	if e := mustError(t, err); e.Definite || e.Class != ClassTransient {
		t.Errorf("got %#v", e)
	}
}
