// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// fixedPart is what a launch alone can set of a field, or of an entry of it.
type fixedPart struct {
	// entry is the entry's key; empty where the field is one value.
	entry string
	value any
	// bare is the value of an entry that fixes nothing.
	bare any
}

// launchOnly are the fields that a launch takes and EC2 does not tell, or not as they were asked for: how an edit of one is noticed is
// by digests in the launch intent, one for each member of each entry. So the order of a list says nothing, and what spec drops is no edit.
var launchOnly = map[string]func(*ec2v1.EC2InstanceSpec) []fixedPart{
	"associatePublicIPAddress": func(s *ec2v1.EC2InstanceSpec) []fixedPart { return oneValue(s.AssociatePublicIPAddress) },
	fieldDevices:               func(s *ec2v1.EC2InstanceSpec) []fixedPart { return fixedOfDevices(s.BlockDevices) },
	"ipv6AddressCount":         func(s *ec2v1.EC2InstanceSpec) []fixedPart { return oneValue(s.IPv6AddressCount) },
	"licenses":                 func(s *ec2v1.EC2InstanceSpec) []fixedPart { return fixedOfLicenses(s.Licenses) },
	fieldMarket:                func(s *ec2v1.EC2InstanceSpec) []fixedPart { return oneValue(s.MarketOptions) },
	fieldUserData:              func(s *ec2v1.EC2InstanceSpec) []fixedPart { return oneValue(s.UserData) },
	fieldInterfaces:            func(s *ec2v1.EC2InstanceSpec) []fixedPart { return fixedOfInterfaces(s.NetworkInterfaces) },
}

func oneValue(value any) []fixedPart { return []fixedPart{{value: value}} }

// name is what the launch intent has the part under.
func (p fixedPart) name(field string) string {
	if p.entry == "" {
		return field
	}
	return field + "[" + p.entry + "]"
}

// digests are those of the part's members, by name.
func (p fixedPart) digests(field string) map[string]string {
	raw, err := json.Marshal(p.value)
	if err != nil {
		return nil // Types of the API always encode.
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil
	}
	digests := map[string]string{}
	addDigests(digests, p.name(field), value)
	return digests
}

func addDigests(to map[string]string, name string, value any) {
	members, isStruct := value.(map[string]any)
	if !isStruct {
		if d := digest(value); d != "" {
			to[name] = d
		}
		return
	}
	for member, value := range members {
		addDigests(to, name+"."+member, value)
	}
}

// isBare tells of an entry whether it fixes nothing.
func (p fixedPart) isBare() bool { return p.bare != nil && digest(p.value) == digest(p.bare) }

// launchedFields are the digests of the fields that a launch alone can set, by name.
func launchedFields(spec *ec2v1.EC2InstanceSpec) map[string]string {
	digests := map[string]string{}
	for field, parts := range launchOnly {
		for _, part := range parts(spec) {
			maps.Copy(digests, part.digests(field))
		}
	}
	return digests
}

// launchedAs tells whether spec says the very same of a field as it did at the launch.
func (i *LaunchIntent) launchedAs(spec *ec2v1.EC2InstanceSpec, field string) bool {
	launched := map[string]string{}
	for name, digest := range i.Fields {
		if isOf(name, field) {
			launched[name] = digest
		}
	}
	desired := map[string]string{}
	for _, part := range launchOnly[field](spec) {
		maps.Copy(desired, part.digests(field))
	}
	return maps.Equal(launched, desired)
}

// isOf tells whether a digest is of a field, or an entry, or of a member of it.
func isOf(name, of string) bool {
	rest, found := strings.CutPrefix(name, of)
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// launchedWith is the comparison of a field that is in launchOnly with what the instance was launched with. Of a launch that is not
// known, nothing is known to differ; and what spec no longer says does not.
func launchedWith(field string) func(sight) difference {
	return func(s sight) difference { return s.edited(field, func(fixedPart) bool { return false }) }
}

// edited compares the parts of a field, but for bare entries that the instance has though no launch has named them: those of the image,
// or of the launch template.
func (s sight) edited(field string, has func(fixedPart) bool) difference {
	if !s.launched() || s.intent.Generation == 0 {
		return difference{}
	}
	var edits []string
	for _, part := range launchOnly[field](s.spec) {
		if part.isBare() && !s.named(part.name(field)) && has(part) {
			continue
		}
		for name, desired := range part.digests(field) {
			if s.intent.Fields[name] != desired {
				edits = append(edits, desired)
			}
		}
	}
	if len(edits) == 0 {
		return difference{}
	}
	slices.Sort(edits)
	return difference{differs: true, desired: "as edited", current: "as launched", identity: strings.Join(edits, "")}
}

// named tells whether the launch has named an entry.
func (s sight) named(entry string) bool {
	for name := range s.intent.Fields {
		if isOf(name, entry) {
			return true
		}
	}
	return false
}

// digestLength is enough to tell edits of one field apart.
const digestLength = 8

// digest stands for a value; it is empty for one that is not set.
func digest(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%T", err) // Types of the API always encode.
	}
	switch string(raw) {
	case "null", "0", "[]":
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:digestLength])
}

// fixedOfDevices is what cannot be changed of volumes after the launch.
func fixedOfDevices(devices []ec2v1.BlockDevice) []fixedPart {
	var fixed []fixedPart
	for _, d := range devices {
		d.SizeGiB, d.Type, d.IOPS, d.ThroughputMiBps, d.DeleteOnTermination = 0, "", 0, 0, nil
		fixed = append(fixed, fixedPart{entry: d.DeviceName, value: d, bare: ec2v1.BlockDevice{DeviceName: d.DeviceName}})
	}
	return sortedParts(fixed)
}

// fixedOfInterfaces is what cannot be changed of network interfaces after the launch.
func fixedOfInterfaces(interfaces []ec2v1.NetworkInterface) []fixedPart {
	var fixed []fixedPart
	for _, n := range interfaces {
		n.SecurityGroupIDs, n.SourceDestCheck = nil, nil
		fixed = append(fixed, fixedPart{entry: indexOf(n), value: n, bare: ec2v1.NetworkInterface{DeviceIndex: n.DeviceIndex}})
	}
	return sortedParts(fixed)
}

func indexOf(n ec2v1.NetworkInterface) string {
	if n.DeviceIndex == nil {
		return "" // The schema requires it.
	}
	return strconv.Itoa(int(*n.DeviceIndex))
}

func fixedOfLicenses(licenses []ec2v1.License) []fixedPart {
	var fixed []fixedPart
	for _, l := range licenses {
		fixed = append(fixed, fixedPart{entry: l.ConfigurationARN, value: l})
	}
	return sortedParts(fixed)
}

func sortedParts(parts []fixedPart) []fixedPart {
	slices.SortFunc(parts, func(a, b fixedPart) int { return strings.Compare(a.entry, b.entry) })
	return parts
}
