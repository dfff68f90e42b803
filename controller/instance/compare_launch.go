// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// launchOnly are the fields that a launch takes and EC2 does not tell, or not as they were asked for: how an edit of one is noticed is
// by a digest in the launch intent.
var launchOnly = map[string]func(*ec2v1.EC2InstanceSpec) any{
	"associatePublicIPAddress": func(s *ec2v1.EC2InstanceSpec) any { return s.AssociatePublicIPAddress },
	fieldDevices:               func(s *ec2v1.EC2InstanceSpec) any { return fixedOfDevices(s.BlockDevices) },
	"ipv6AddressCount":         func(s *ec2v1.EC2InstanceSpec) any { return s.IPv6AddressCount },
	"licenses":                 func(s *ec2v1.EC2InstanceSpec) any { return s.Licenses },
	fieldMarket:                func(s *ec2v1.EC2InstanceSpec) any { return s.MarketOptions },
	fieldUserData:              func(s *ec2v1.EC2InstanceSpec) any { return s.UserData },
	"networkInterfaces":        func(s *ec2v1.EC2InstanceSpec) any { return fixedOfInterfaces(s.NetworkInterfaces) },
}

// launchedFields are the digests of the fields that a launch alone can set, by name.
func launchedFields(spec *ec2v1.EC2InstanceSpec) map[string]string {
	digests := map[string]string{}
	for name, get := range launchOnly {
		if d := digest(get(spec)); d != "" {
			digests[name] = d
		}
	}
	return digests
}

// asLaunched compares what spec says of a field with what the instance was launched with. Of a launch that is not known, nothing is
// known to differ; and what spec no longer says does not.
func asLaunched(name string, get func(*ec2v1.EC2InstanceSpec) any) func(sight) difference {
	return func(s sight) difference {
		desired := digest(get(s.spec))
		if desired == "" || !s.launched() || s.intent.Generation == 0 || s.intent.Fields[name] == desired {
			return difference{}
		}
		return difference{differs: true, desired: "as edited", current: "as launched", identity: desired}
	}
}

// launchedWith is the comparison of a field that is in launchOnly.
func launchedWith(name string) func(sight) difference { return asLaunched(name, launchOnly[name]) }

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
func fixedOfDevices(devices []ec2v1.BlockDevice) []ec2v1.BlockDevice {
	var fixed []ec2v1.BlockDevice
	for _, d := range devices {
		d.SizeGiB, d.Type, d.IOPS, d.ThroughputMiBps, d.DeleteOnTermination = 0, "", 0, 0, nil
		fixed = append(fixed, d)
	}
	return fixed
}

// fixedOfInterfaces is what cannot be changed of network interfaces after the launch.
func fixedOfInterfaces(interfaces []ec2v1.NetworkInterface) []ec2v1.NetworkInterface {
	var fixed []ec2v1.NetworkInterface
	for _, n := range interfaces {
		n.SecurityGroupIDs, n.SourceDestCheck = nil, nil
		fixed = append(fixed, n)
	}
	return fixed
}
