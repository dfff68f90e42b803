// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/glob"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// maxFilterValues is how many values all filters of a call may have together.
const maxFilterValues = 200

// filter is one filter of a describe; its values are alternatives.
type filter struct {
	name   string
	values []string
}

// readFilters reads Filter.N and checks the names against those that known accepts.
func readFilters(params wire.Params, known func(name string) bool) ([]filter, error) {
	var out []filter
	total := 0
	for _, p := range params.Structs("Filter") {
		f := filter{p["Name"], p.List("Value")}
		switch {
		case f.name == "":
			return nil, missingParameter("Filter.Name")
		case !known(f.name):
			return nil, fail(codeInvalidParameterValue, "The filter '%s' is invalid", f.name)
		case len(f.values) == 0:
			return nil, fail(codeInvalidParameterValue, "The filter '%s' has no values", f.name)
		}
		total += len(f.values)
		out = append(out, f)
	}
	if total > maxFilterValues {
		return nil, fail(codeFilterLimitExceeded, "The maximum number of filter values specified on a single call is %d", maxFilterValues)
	}
	return out, nil
}

// matches says whether every filter accepts one of the values that have gives for its name.
func matches(filters []filter, have func(name string) []string) bool {
	for _, f := range filters {
		accepts := func(value string) bool {
			return slices.ContainsFunc(f.values, func(p string) bool { return glob.Match(p, value) })
		}
		if !slices.ContainsFunc(have(f.name), accepts) {
			return false
		}
	}
	return true
}

const tagFilterPrefix = "tag:"

// instanceFilters are the DescribeInstances filters with the values they look at.
var instanceFilters = map[string]func(view) []string{
	"availability-zone":    func(v view) []string { return []string{v.zone.Name} },
	"availability-zone-id": func(v view) []string { return []string{v.zone.ID} },
	"architecture":         func(v view) []string { return []string{v.spec.image.Architecture} },
	"client-token":         func(v view) []string { return []string{v.clientToken} },
	"dns-name": func(v view) []string {
		if !v.status.PublicIP.IsValid() {
			return nil
		}
		return []string{v.publicDNSName(v.status.PublicIP)}
	},
	"iam-instance-profile.arn": func(v view) []string {
		if v.spec.profile == nil {
			return nil
		}
		return []string{profileARN(v.account, v.spec.profile.Name)}
	},
	"image-id":            func(v view) []string { return []string{v.spec.image.ID} },
	"instance-id":         func(v view) []string { return []string{v.id} },
	"instance-state-code": func(v view) []string { return []string{strconv.Itoa(v.status.State.Code())} },
	"instance-state-name": func(v view) []string { return []string{string(v.status.State)} },
	"instance-type":       func(v view) []string { return []string{v.spec.instanceType.Name} },
	"instance.group-id":   func(v view) []string { return v.groupIDs() },
	"instance.group-name": func(v view) []string { return v.groupNames() },
	"ip-address": func(v view) []string {
		if !v.status.PublicIP.IsValid() {
			return nil
		}
		return []string{v.status.PublicIP.String()}
	},
	"key-name":         func(v view) []string { return nonEmpty(v.spec.keyName) },
	"launch-index":     func(v view) []string { return []string{strconv.Itoa(v.launchIndex)} },
	"launch-time":      func(v view) []string { return []string{wire.Timestamp(v.launchTime)} },
	"monitoring-state": func(v view) []string { return []string{v.monitoringState()} },
	"network-interface.network-interface-id": func(v view) []string {
		if v.detached() {
			return nil
		}
		var ids []string
		for _, n := range v.spec.interfaces {
			ids = append(ids, n.id)
		}
		return ids
	},
	"owner-id":             func(v view) []string { return []string{v.account} },
	"private-dns-name":     func(v view) []string { return v.whileAttached(v.privateDNSName(v.spec.primary())) },
	"private-ip-address":   func(v view) []string { return v.whileAttached(v.spec.primary().privateIP.String()) },
	"reason":               func(v view) []string { return nonEmpty(v.status.Reason.Transition) },
	"reservation-id":       func(v view) []string { return []string{v.reservationID} },
	"root-device-name":     func(v view) []string { return []string{v.spec.image.RootDeviceName} },
	"state-reason-code":    func(v view) []string { return nonEmpty(v.status.Reason.Code) },
	"state-reason-message": func(v view) []string { return nonEmpty(v.status.Reason.Message) },
	"subnet-id":            func(v view) []string { return v.whileAttached(v.subnet.ID) },
	"tag-key":              func(v view) []string { return slices.Collect(maps.Keys(v.tags)) },
	"tag-value":            func(v view) []string { return slices.Collect(maps.Values(v.tags)) },
	"tenancy":              func(v view) []string { return []string{v.spec.position.tenancy} },
	"vpc-id":               func(v view) []string { return v.whileAttached(v.subnet.VPCID) },

	"instance-lifecycle": func(v view) []string {
		if v.request == nil {
			return nil
		}
		return []string{marketSpot}
	},
	"spot-instance-request-id": func(v view) []string {
		if v.request == nil {
			return nil
		}
		return []string{v.request.id}
	},
	"affinity":                func(v view) []string { return nonEmpty(v.spec.position.affinity) },
	"capacity-reservation-id": func(v view) []string { return nonEmpty(v.spec.reservedIn) },
	"hibernation-options.configured": func(v view) []string {
		return []string{strconv.FormatBool(v.spec.hibernation)}
	},
	"host-id":              func(v view) []string { return nonEmpty(v.spec.position.hostID) },
	"placement-group-name": func(v view) []string { return nonEmpty(v.spec.position.groupName) },
	"placement-partition-number": func(v view) []string {
		if v.spec.position.partition == 0 {
			return nil
		}
		return []string{strconv.Itoa(v.spec.position.partition)}
	},
}

func knownInstanceFilter(name string) bool {
	_, ok := instanceFilters[name]
	return ok || isTagFilter(name)
}

func isTagFilter(name string) bool {
	key, ok := strings.CutPrefix(name, tagFilterPrefix)
	return ok && key != ""
}

// filterValues is what the view has to offer to the filter with the name.
func (v view) filterValues(name string) []string {
	if key, ok := strings.CutPrefix(name, tagFilterPrefix); ok {
		if value, has := v.tags[key]; has {
			return []string{value}
		}
		return nil
	}
	return instanceFilters[name](v)
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
