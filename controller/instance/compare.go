// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// text compares a text that is not set in spec where it is empty.
func text(desired, current string, modification cloud.Modification) difference {
	if desired == "" || desired == current {
		return difference{}
	}
	return difference{differs: true, desired: desired, current: current, modification: modification}
}

// compareInstanceType: an instance that was launched with a fallback is as spec has it. EC2 does not change the type of a Spot Instance
// (EC2 User Guide, "Behavior of Spot Instance interruptions").
func compareInstanceType(s sight) difference {
	if slices.Contains(s.spec.InstanceTypeFallbacks, s.current.Type) {
		return difference{}
	}
	d := text(s.spec.InstanceType, s.current.Type, cloud.InstanceType{Type: s.spec.InstanceType})
	if d.differs && s.current.Lifecycle == lifecycleSpot {
		d.action, d.modification = ec2v1.PlanActionReplace, nil
	}
	return d
}

// lifecycleSpot is EC2's word for that of a Spot Instance.
const lifecycleSpot = "spot"

func compareKeyName(s sight) difference { return text(s.spec.KeyName, s.current.KeyName, nil) }

// compareSubnet: an instance that was launched in a fallback is where spec has it.
func compareSubnet(s sight) difference {
	if slices.Contains(s.spec.SubnetFallbacks, s.current.SubnetID) {
		return difference{}
	}
	return text(s.spec.SubnetID, s.current.SubnetID, nil)
}

// compareImage compares with what an SSM parameter resolved to at launch: its later values are not asked for.
func compareImage(s sight) difference {
	if s.spec.Image.ID != "" {
		return text(s.spec.Image.ID, s.current.ImageID, nil)
	}
	if !s.launched() || s.intent.SSMParameter == s.spec.Image.SSMParameter {
		return difference{}
	}
	return difference{differs: true, desired: s.spec.Image.SSMParameter, current: cmp.Or(s.intent.SSMParameter, s.current.ImageID)}
}

// compareProfile compares by name where spec has one: EC2 reports the ARN, whose last part is the name.
func compareProfile(s sight) difference {
	want := s.spec.IAMInstanceProfile
	if want == nil {
		return difference{}
	}
	have := s.current.IAMInstanceProfileARN
	if want.ARN == have && have != "" || want.Name != "" && strings.HasSuffix(have, "/"+want.Name) {
		return difference{}
	}
	return difference{
		differs: true, desired: cmp.Or(want.ARN, want.Name), current: have,
		modification: cloud.InstanceProfile{Name: want.Name, ARN: want.ARN, Running: s.current.State == cloud.StateRunning},
	}
}

func compareMetadataOptions(s sight) difference {
	var p parts
	var wanted cloud.MetadataOptions
	set := func(name, desired, current string, into *string) {
		if p.text(name, desired, current) {
			*into = desired
		}
	}
	o, c := s.spec.MetadataOptions, s.current.MetadataOptions
	set("httpTokens", o.HTTPTokens, c.HTTPTokens, &wanted.HTTPTokens)
	set("httpEndpoint", o.HTTPEndpoint, c.HTTPEndpoint, &wanted.HTTPEndpoint)
	set("httpProtocolIPv6", o.HTTPProtocolIPv6, c.HTTPProtocolIPv6, &wanted.HTTPProtocolIPv6)
	set("instanceMetadataTags", o.InstanceMetadataTags, c.InstanceMetadataTags, &wanted.InstanceMetadataTags)
	if o.HTTPPutResponseHopLimit != nil && p.number("httpPutResponseHopLimit", *o.HTTPPutResponseHopLimit, c.HTTPPutResponseHopLimit) {
		wanted.HTTPPutResponseHopLimit = *o.HTTPPutResponseHopLimit
	}
	p.modification = cloud.InstanceMetadata{MetadataOptions: wanted}
	return p.difference
}

func number(n int32) string { return strconv.Itoa(int(n)) }

func appended(list, next string) string {
	if list == "" {
		return next
	}
	return list + "," + next
}

const fieldUserData = "userData"

// compareUserData compares what stands for the bytes. Neither that nor the bytes appear anywhere.
func compareUserData(_ sight, r Reading) difference {
	if r.Value == r.Wanted {
		return difference{}
	}
	return difference{differs: true, desired: "as spec says", current: "another one", identity: r.Wanted}
}

// compareTemplate compares what spec says of the launch template with what it said at launch: EC2 does not tell, and what its aliases
// become later is not asked for.
func compareTemplate(s sight) difference {
	if !s.launched() {
		return difference{}
	}
	return text(templateRef(s.spec.LaunchTemplate), s.intent.Template, nil)
}
