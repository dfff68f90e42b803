// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// Change is one difference between spec and EC2.
type Change struct {
	Field, Current, Desired string
	Action                  ec2v1.PlanAction
	State                   ec2v1.PlanState
	Message                 string
}

// field is one field of spec and how it compares. EC2's answer does not say what it was not asked for, so a
// field that is not set in spec never differs.
type field struct {
	name   string
	action ec2v1.PlanAction
	// values returns spec's value, EC2's value, and whether they differ.
	values func(spec *ec2v1.EC2InstanceSpec, intent *LaunchIntent, i *cloud.Instance) (desired, current string, differ bool)
}

// fields are those that are reported and not carried out on an existing instance, with what it would take
// (EC2's User Guide, "Change the instance type" and the sections on each attribute).
var fields = []field{
	{"image", ec2v1.PlanActionReplace, compareImage},
	{"instanceType", ec2v1.PlanActionStopStart, scalar(
		func(s *ec2v1.EC2InstanceSpec) string { return s.InstanceType }, func(i *cloud.Instance) string { return i.Type })},
	{"subnetID", ec2v1.PlanActionReplace, scalar(
		func(s *ec2v1.EC2InstanceSpec) string { return s.SubnetID }, func(i *cloud.Instance) string { return i.SubnetID })},
	{"keyName", ec2v1.PlanActionReplace, scalar(
		func(s *ec2v1.EC2InstanceSpec) string { return s.KeyName }, func(i *cloud.Instance) string { return i.KeyName })},
	{"securityGroupIDs", ec2v1.PlanActionInPlace, compareGroups},
	{"iamInstanceProfile", ec2v1.PlanActionInPlace, compareProfile},
	{"metadataOptions", ec2v1.PlanActionInPlace, compareMetadataOptions},
	{"userData", ec2v1.PlanActionStopStart, compareUserData},
}

// diff lists where a live instance differs from spec in what this version reports but does not change.
func diff(obj *ec2v1.EC2Instance, intent *LaunchIntent, current *observer.Entry) []Change {
	var changes []Change
	for _, f := range fields {
		desired, have, differ := f.values(&obj.Spec, intent, &current.Instance)
		if !differ {
			continue
		}
		changes = append(changes, Change{
			Field: f.name, Current: have, Desired: desired, Action: f.action, State: ec2v1.PlanStateBlocked, Message: wayOut(f.action),
		})
	}
	return changes
}

func wayOut(action ec2v1.PlanAction) string {
	switch action {
	case ec2v1.PlanActionReplace:
		return "needs a new instance: delete and create this object, or take the edit back"
	case ec2v1.PlanActionStopStart:
		return "needs the instance stopped, which this version does not do for it: change it in EC2 while powerState is Stopped, or take the edit back"
	default:
		return "can be changed in EC2, which this version does not do: change it there, or take the edit back"
	}
}

func scalar(desired func(*ec2v1.EC2InstanceSpec) string, current func(*cloud.Instance) string) func(*ec2v1.EC2InstanceSpec, *LaunchIntent, *cloud.Instance) (string, string, bool) {
	return func(s *ec2v1.EC2InstanceSpec, _ *LaunchIntent, i *cloud.Instance) (string, string, bool) {
		want, have := desired(s), current(i)
		return want, have, want != "" && want != have
	}
}

// compareImage compares with what an SSM parameter resolved to at launch: its later values are not asked for.
func compareImage(s *ec2v1.EC2InstanceSpec, intent *LaunchIntent, i *cloud.Instance) (string, string, bool) {
	if s.Image.ID != "" {
		return s.Image.ID, i.ImageID, s.Image.ID != i.ImageID
	}
	known := intent != nil && intent.Token == i.ClientToken
	return s.Image.SSMParameter, cmp.Or(launchedParameter(intent), i.ImageID), known && intent.SSMParameter != s.Image.SSMParameter
}

func launchedParameter(intent *LaunchIntent) string {
	if intent == nil {
		return ""
	}
	return intent.SSMParameter
}

func compareGroups(s *ec2v1.EC2InstanceSpec, _ *LaunchIntent, i *cloud.Instance) (string, string, bool) {
	want := slices.Compact(slices.Sorted(slices.Values(s.SecurityGroupIDs)))
	return strings.Join(want, ","), strings.Join(i.SecurityGroupIDs, ","), len(want) > 0 && !slices.Equal(want, i.SecurityGroupIDs)
}

// compareProfile compares by name where spec has one: EC2 reports the ARN, whose last part is the name.
func compareProfile(s *ec2v1.EC2InstanceSpec, _ *LaunchIntent, i *cloud.Instance) (string, string, bool) {
	switch {
	case s.IAMInstanceProfile == nil:
		return "", i.IAMInstanceProfileARN, false
	case s.IAMInstanceProfile.ARN != "":
		return s.IAMInstanceProfile.ARN, i.IAMInstanceProfileARN, s.IAMInstanceProfile.ARN != i.IAMInstanceProfileARN
	default:
		return s.IAMInstanceProfile.Name, i.IAMInstanceProfileARN, !strings.HasSuffix(i.IAMInstanceProfileARN, "/"+s.IAMInstanceProfile.Name)
	}
}

func compareMetadataOptions(s *ec2v1.EC2InstanceSpec, _ *LaunchIntent, i *cloud.Instance) (string, string, bool) {
	var want, have []string
	compare := func(name, desired, current string) {
		if desired != "" && desired != current {
			want = append(want, name+"="+desired)
			have = append(have, name+"="+current)
		}
	}
	o, c := s.MetadataOptions, i.MetadataOptions
	compare("httpTokens", o.HTTPTokens, c.HTTPTokens)
	compare("httpEndpoint", o.HTTPEndpoint, c.HTTPEndpoint)
	compare("httpProtocolIPv6", o.HTTPProtocolIPv6, c.HTTPProtocolIPv6)
	compare("instanceMetadataTags", o.InstanceMetadataTags, c.InstanceMetadataTags)
	if o.HTTPPutResponseHopLimit != nil {
		compare("httpPutResponseHopLimit", strconv.Itoa(int(*o.HTTPPutResponseHopLimit)), strconv.Itoa(int(c.HTTPPutResponseHopLimit)))
	}
	return strings.Join(want, ","), strings.Join(have, ","), len(want) > 0
}

// compareUserData compares what spec says of user data with what it said at launch: EC2 does not report it,
// and the bytes appear nowhere.
func compareUserData(s *ec2v1.EC2InstanceSpec, intent *LaunchIntent, i *cloud.Instance) (string, string, bool) {
	if intent == nil || intent.Token != i.ClientToken {
		return "", "", false
	}
	return "as edited", "as launched", intent.UserData != userDataFingerprint(s.UserData)
}

// userDataFingerprint identifies what spec says of user data: the inline text, or the reference and not what
// it refers to.
func userDataFingerprint(u *ec2v1.UserData) string {
	if u == nil {
		return ""
	}
	raw, err := json.Marshal(u)
	if err != nil {
		return fmt.Sprintf("%T", err) // Strings and pointers to strings always encode.
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}
