// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

const (
	profileARN = "arn:aws:iam::123456789012:instance-profile/path/web"
	groupA     = "sg-0000000a"
	groupB     = "sg-0000000b"
)

// What EC2 has that spec does not ask for is no difference.
func TestUnsetNeverDiffers(t *testing.T) {
	i := fullInstance()
	i.KeyName = "ops"
	i.MetadataOptions = cloud.MetadataOptions{
		HTTPTokens: "optional", HTTPEndpoint: "disabled", HTTPPutResponseHopLimit: 9, HTTPProtocolIPv6: "enabled", InstanceMetadataTags: "enabled",
	}
	obj := testObject()
	obj.Spec = ec2v1.EC2InstanceSpec{}
	if changes := diff(obj, nil, &observer.Entry{Instance: i}); len(changes) > 0 {
		t.Errorf("got %+v", changes)
	}
}

func TestDiff(t *testing.T) {
	of := func(edit func(*LaunchIntent)) *LaunchIntent {
		i := &LaunchIntent{Token: token(1)}
		edit(i)
		return i
	}
	tests := map[string]struct {
		spec     func(*ec2v1.EC2InstanceSpec)
		instance func(*cloud.Instance)
		intent   *LaunchIntent
		want     *Change
	}{
		"image, the same": {},
		"image": {
			spec: func(s *ec2v1.EC2InstanceSpec) { s.Image.ID = "ami-other" },
			want: &Change{Field: "image", Current: testImage, Desired: "ami-other", Action: ec2v1.PlanActionReplace},
		},
		"SSM parameter, the launch's": {
			spec:   func(s *ec2v1.EC2InstanceSpec) { s.Image = ec2v1.Image{SSMParameter: "/one"} },
			intent: of(func(i *LaunchIntent) { i.SSMParameter = "/one" }),
		},
		"SSM parameter, another than the launch's": {
			spec:   func(s *ec2v1.EC2InstanceSpec) { s.Image = ec2v1.Image{SSMParameter: "/two"} },
			intent: of(func(i *LaunchIntent) { i.SSMParameter = "/one" }),
			want:   &Change{Field: "image", Current: "/one", Desired: "/two", Action: ec2v1.PlanActionReplace},
		},
		"SSM parameter in place of an id": {
			spec:   func(s *ec2v1.EC2InstanceSpec) { s.Image = ec2v1.Image{SSMParameter: "/one"} },
			intent: of(func(*LaunchIntent) {}),
			want:   &Change{Field: "image", Current: testImage, Desired: "/one", Action: ec2v1.PlanActionReplace},
		},
		"SSM parameter of a launch that is not known": {
			spec: func(s *ec2v1.EC2InstanceSpec) { s.Image = ec2v1.Image{SSMParameter: "/one"} },
		},
		"SSM parameter of another launch": {
			spec:   func(s *ec2v1.EC2InstanceSpec) { s.Image = ec2v1.Image{SSMParameter: "/one"} },
			intent: of(func(i *LaunchIntent) { i.Token, i.SSMParameter = token(2), "/two" }),
		},
		"instance type": {
			spec: func(s *ec2v1.EC2InstanceSpec) { s.InstanceType = "t3.large" },
			want: &Change{Field: "instanceType", Current: "t3.micro", Desired: "t3.large", Action: ec2v1.PlanActionStopStart},
		},
		"subnet": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.SubnetID = "subnet-b" },
			instance: func(i *cloud.Instance) { i.SubnetID = "subnet-a" },
			want:     &Change{Field: "subnetID", Current: "subnet-a", Desired: "subnet-b", Action: ec2v1.PlanActionReplace},
		},
		"subnet, the same": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.SubnetID = "subnet-a" },
			instance: func(i *cloud.Instance) { i.SubnetID = "subnet-a" },
		},
		"key": {
			spec: func(s *ec2v1.EC2InstanceSpec) { s.KeyName = "ops" },
			want: &Change{Field: "keyName", Desired: "ops", Action: ec2v1.PlanActionReplace},
		},
		"security groups in another order and twice": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.SecurityGroupIDs = []string{groupB, groupA, groupB} },
			instance: func(i *cloud.Instance) { i.SecurityGroupIDs = []string{groupA, groupB} },
		},
		"security groups": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.SecurityGroupIDs = []string{groupB} },
			instance: func(i *cloud.Instance) { i.SecurityGroupIDs = []string{groupA, groupB} },
			want:     &Change{Field: "securityGroupIDs", Current: groupA + "," + groupB, Desired: groupB, Action: ec2v1.PlanActionInPlace},
		},
		"profile by its ARN, the same": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.IAMInstanceProfile = &ec2v1.IAMInstanceProfile{ARN: profileARN} },
			instance: func(i *cloud.Instance) { i.IAMInstanceProfileARN = profileARN },
		},
		"profile by its name, the same": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.IAMInstanceProfile = &ec2v1.IAMInstanceProfile{Name: "web"} },
			instance: func(i *cloud.Instance) { i.IAMInstanceProfileARN = profileARN },
		},
		"profile by its name, which another's name ends in": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.IAMInstanceProfile = &ec2v1.IAMInstanceProfile{Name: "eb"} },
			instance: func(i *cloud.Instance) { i.IAMInstanceProfileARN = profileARN },
			want:     &Change{Field: "iamInstanceProfile", Current: profileARN, Desired: "eb", Action: ec2v1.PlanActionInPlace},
		},
		"profile by its ARN": {
			spec: func(s *ec2v1.EC2InstanceSpec) { s.IAMInstanceProfile = &ec2v1.IAMInstanceProfile{ARN: profileARN} },
			want: &Change{Field: "iamInstanceProfile", Desired: profileARN, Action: ec2v1.PlanActionInPlace},
		},
		"metadata options": {
			spec: func(s *ec2v1.EC2InstanceSpec) {
				s.MetadataOptions = ec2v1.MetadataOptions{
					HTTPTokens: "required", HTTPEndpoint: "enabled", HTTPProtocolIPv6: "enabled", InstanceMetadataTags: "enabled",
					HTTPPutResponseHopLimit: new(int32(2)),
				}
			},
			instance: func(i *cloud.Instance) {
				i.MetadataOptions = cloud.MetadataOptions{
					HTTPTokens: "optional", HTTPEndpoint: "disabled", HTTPProtocolIPv6: "disabled", InstanceMetadataTags: "disabled", HTTPPutResponseHopLimit: 1,
				}
			},
			want: &Change{
				Field:   "metadataOptions",
				Current: "httpTokens=optional,httpEndpoint=disabled,httpProtocolIPv6=disabled,instanceMetadataTags=disabled,httpPutResponseHopLimit=1",
				Desired: "httpTokens=required,httpEndpoint=enabled,httpProtocolIPv6=enabled,instanceMetadataTags=enabled,httpPutResponseHopLimit=2",
				Action:  ec2v1.PlanActionInPlace,
			},
		},
		"metadata options, one of them": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.MetadataOptions.HTTPPutResponseHopLimit = new(int32(2)) },
			instance: func(i *cloud.Instance) { i.MetadataOptions.HTTPPutResponseHopLimit = 1 },
			want: &Change{
				Field: "metadataOptions", Current: "httpPutResponseHopLimit=1", Desired: "httpPutResponseHopLimit=2", Action: ec2v1.PlanActionInPlace,
			},
		},
		"user data, the launch's": {
			spec:   func(s *ec2v1.EC2InstanceSpec) { s.UserData = &ec2v1.UserData{Inline: "echo"} },
			intent: of(func(i *LaunchIntent) { i.UserData = userDataFingerprint(&ec2v1.UserData{Inline: "echo"}) }),
		},
		"user data": {
			spec:   func(s *ec2v1.EC2InstanceSpec) { s.UserData = &ec2v1.UserData{Inline: "sekrit"} },
			intent: of(func(i *LaunchIntent) { i.UserData = userDataFingerprint(&ec2v1.UserData{Inline: "echo"}) }),
			want:   &Change{Field: "userData", Current: "as launched", Desired: "as edited", Action: ec2v1.PlanActionStopStart},
		},
		"user data that was removed": {
			intent: of(func(i *LaunchIntent) { i.UserData = userDataFingerprint(&ec2v1.UserData{Inline: "echo"}) }),
			want:   &Change{Field: "userData", Current: "as launched", Desired: "as edited", Action: ec2v1.PlanActionStopStart},
		},
		"user data of a launch that is not known": {
			spec: func(s *ec2v1.EC2InstanceSpec) { s.UserData = &ec2v1.UserData{Inline: "sekrit"} },
		},
		"user data of another launch": {
			spec:   func(s *ec2v1.EC2InstanceSpec) { s.UserData = &ec2v1.UserData{Inline: "sekrit"} },
			intent: of(func(i *LaunchIntent) { i.Token = token(2) }),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			obj, entry := testObject(), &observer.Entry{Instance: testInstance(1, cloud.StateRunning)}
			if test.spec != nil {
				test.spec(&obj.Spec)
			}
			if test.instance != nil {
				test.instance(&entry.Instance)
			}
			var want []Change
			if test.want != nil {
				test.want.State, test.want.Message = ec2v1.PlanStateBlocked, wayOut(test.want.Action)
				want = []Change{*test.want}
			}
			if diff := cmp.Diff(want, diff(obj, test.intent, entry)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUserDataFingerprint(t *testing.T) {
	ref := &ec2v1.KeyReference{Name: "web", Key: "init"}
	all := map[string]string{}
	for name, u := range map[string]*ec2v1.UserData{
		"none": nil, "text": {Inline: "sekrit"}, "another text": {Inline: "other"}, "secret": {SecretKeyRef: ref}, "config map": {ConfigMapKeyRef: ref},
		"another key": {SecretKeyRef: &ec2v1.KeyReference{Name: "web", Key: "other"}},
	} {
		got := userDataFingerprint(u)
		if other, taken := all[got]; taken {
			t.Errorf("%s and %s are the same", name, other)
		}
		if strings.Contains(got, "sekrit") || got != userDataFingerprint(u.DeepCopy()) {
			t.Errorf("%s: %q", name, got)
		}
		all[got] = name
	}
}
