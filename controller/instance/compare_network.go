// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"strconv"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

const fieldInterfaces = "networkInterfaces"

// compareInterfaces compares the network interfaces by their device index: groups and the check of source and destination can be
// changed on each, one call after the other; all else is as launched.
func compareInterfaces(s sight) difference {
	edited := s.edited(fieldInterfaces, func(part fixedPart) bool {
		return slices.ContainsFunc(s.current.NetworkInterfaces, func(n cloud.NetworkInterface) bool {
			return strconv.Itoa(int(n.DeviceIndex)) == part.entry
		})
	})
	var p parts
	for _, want := range s.spec.NetworkInterfaces {
		have, ok := interfaceAt(s, want.DeviceIndex)
		if !ok {
			continue
		}
		index := strconv.Itoa(int(have.DeviceIndex))
		groups := wantedGroups(s, want.SecurityGroupIDs, have.SecurityGroupIDs)
		if len(want.SecurityGroupIDs) > 0 && p.text(index+".securityGroupIDs", strings.Join(groups, "+"), strings.Join(have.SecurityGroupIDs, "+")) {
			p.next(cloud.NewSecurityGroups(have.ID, groups))
		}
		if p.flag(index+".sourceDestCheck", want.SourceDestCheck, strconv.FormatBool(have.SourceDestCheck)) {
			p.next(cloud.SourceDestCheck{InterfaceID: have.ID, On: on(want.SourceDestCheck)})
		}
	}
	return edited.over(p.difference, ec2v1.PlanActionInPlace)
}

// next is the call to make, unless there is one before it.
func (p *parts) next(m cloud.Modification) {
	if p.modification == nil {
		p.modification = m
	}
}

func interfaceAt(s sight, index *int32) (cloud.NetworkInterface, bool) {
	if index == nil {
		return cloud.NetworkInterface{}, false
	}
	at := slices.IndexFunc(s.current.NetworkInterfaces, func(n cloud.NetworkInterface) bool { return n.DeviceIndex == *index })
	if at < 0 {
		return cloud.NetworkInterface{}, false
	}
	return s.current.NetworkInterfaces[at], true
}
