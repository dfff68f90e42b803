// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

const (
	profileARN = "arn:aws:iam::123456789012:instance-profile/path/web"
	groupA     = "sg-0000000a"
	groupB     = "sg-0000000b"
	groupC     = "sg-0000000c"
)

// interfaceWith gives an instance a network interface with security groups.
func interfaceWith(groups ...string) func(*cloud.Instance) {
	return func(i *cloud.Instance) {
		i.SecurityGroupIDs = groups
		i.NetworkInterfaces = []cloud.NetworkInterface{{ID: "eni-0000000a", SecurityGroupIDs: groups}}
	}
}

// What EC2 has that spec does not ask for is no difference.
func TestUnsetNeverDiffers(t *testing.T) {
	i := fullInstance()
	i.KeyName = "ops"
	i.MetadataOptions = cloud.MetadataOptions{
		HTTPTokens: "optional", HTTPEndpoint: "disabled", HTTPPutResponseHopLimit: 9, HTTPProtocolIPv6: "enabled", InstanceMetadataTags: "enabled",
	}
	obj := testObject()
	obj.Spec = ec2v1.EC2InstanceSpec{}
	obj.Spec.UpdatePolicy.Allow = ec2v1.UpdateReplace
	readings := map[string]Reading{}
	for _, f := range Fields() {
		readings[f.Name] = Reading{Value: "something", Wanted: "else"}
	}
	if changes := diff(sight{spec: &obj.Spec, current: &observer.Entry{Instance: i}, readings: readings}); len(changes) > 0 {
		t.Errorf("got %+v", changes)
	}
}

func TestDiff(t *testing.T) {
	of := func(edit func(*LaunchIntent)) *LaunchIntent {
		i := &LaunchIntent{Token: token(1), Hash: hash}
		edit(i)
		return i
	}
	tests := map[string]struct {
		spec     func(*ec2v1.EC2InstanceSpec)
		instance func(*cloud.Instance)
		intent   *LaunchIntent
		groups   []string
		readings map[string]Reading
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
			instance: interfaceWith(groupA, groupB),
		},
		"security groups, one more of ours": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.SecurityGroupIDs = []string{groupB} },
			instance: interfaceWith(groupA, groupB), groups: []string{groupA, groupB},
			want: &Change{Field: "securityGroupIDs", Current: groupA + "," + groupB, Desired: groupB, Action: ec2v1.PlanActionInPlace},
		},
		"security groups, one more of somebody else's": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.SecurityGroupIDs = []string{groupB} },
			instance: interfaceWith(groupA, groupB), groups: []string{groupB},
		},
		"security groups, one that was removed": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.SecurityGroupIDs = []string{groupA, groupB} },
			instance: interfaceWith(groupA), groups: []string{groupA, groupB},
			want: &Change{Field: "securityGroupIDs", Current: groupA, Desired: groupA + "," + groupB, Action: ec2v1.PlanActionInPlace},
		},
		"security groups, of ours and somebody else's": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.SecurityGroupIDs = []string{groupB} },
			instance: interfaceWith(groupA, groupC), groups: []string{groupA},
			want: &Change{Field: "securityGroupIDs", Current: groupA + "," + groupC, Desired: groupB + "," + groupC, Action: ec2v1.PlanActionInPlace},
		},
		"security groups, of an instance that has no interface any more": {
			spec: func(s *ec2v1.EC2InstanceSpec) { s.SecurityGroupIDs = []string{groupB} },
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
		"user data, the same": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.UserData = &ec2v1.UserData{Inline: "sekrit"} },
			readings: map[string]Reading{fieldUserData: {Value: "digest", Wanted: "digest"}},
		},
		"user data": {
			spec:     func(s *ec2v1.EC2InstanceSpec) { s.UserData = &ec2v1.UserData{Inline: "sekrit"} },
			readings: map[string]Reading{fieldUserData: {Value: "digest", Wanted: "another"}},
			want:     &Change{Field: "userData", Current: "another one", Desired: "as spec says", Action: ec2v1.PlanActionStopStart},
		},
		"user data that spec does not name": {
			readings: map[string]Reading{fieldUserData: {Value: "digest", Wanted: "another"}},
		},
		"user data that was not read": {
			spec: func(s *ec2v1.EC2InstanceSpec) { s.UserData = &ec2v1.UserData{Inline: "sekrit"} },
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
				test.want.State = ec2v1.PlanStatePending
				want = []Change{*test.want}
			}
			obj.Spec.UpdatePolicy.Allow = ec2v1.UpdateReplace
			seen := sight{spec: &obj.Spec, intent: test.intent, current: entry, groups: test.groups, readings: test.readings}
			if diff := cmp.Diff(want, diff(seen), cmpopts.IgnoreUnexported(Change{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
