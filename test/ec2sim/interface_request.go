// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// interfaceRequest is a network interface that a launch asks for: one of NetworkInterface.N, or what the request says of
// its only one.
type interfaceRequest struct {
	deviceIndex, cardIndex int
	subnetID               string
	groupIDs, groupNames   []string
	privateIP              netip.Addr
	ipv6Count              int
	description            string
	deleteOnTermination    bool
}

var interfaceMembers = []string{
	"AssociatePublicIpAddress", "DeleteOnTermination", "Description", "DeviceIndex", "Ipv6AddressCount", "NetworkCardIndex",
	"PrivateIpAddress", "SecurityGroupId", "SubnetId",
}

// readInterfaces gives at least one interface, the primary first.
func (r *runRequest) readInterfaces(params wire.Params) error {
	specified := params.Structs("NetworkInterface")
	if len(specified) == 0 {
		only, err := readInterface(params)
		only.groupNames = params.List("SecurityGroup")
		r.interfaces = []interfaceRequest{only}
		return err
	}
	for name, what := range map[string]string{
		"SubnetId": "subnet ID", "SecurityGroupId": "security groups", "SecurityGroup": "security groups",
		"PrivateIpAddress": "private IP address", "Ipv6AddressCount": "IPv6 address count",
	} {
		if params.Has(name) {
			return fail(codeInvalidParameterCombination,
				"Network interfaces and an instance-level %s may not be specified on the same request", what)
		}
	}
	for _, p := range specified {
		if err := r.addInterface(p, len(specified)); err != nil {
			return err
		}
	}
	slices.SortFunc(r.interfaces, func(a, b interfaceRequest) int { return a.deviceIndex - b.deviceIndex })
	if r.interfaces[0].deviceIndex != 0 {
		return fail(codeInvalidParameterValue, "When specifying network interfaces, you must include a device at index 0.")
	}
	return nil
}

func (r *runRequest) addInterface(params wire.Params, total int) error {
	for _, name := range params.Roots() {
		if !slices.Contains(interfaceMembers, name) {
			return notModelled("NetworkInterface." + name)
		}
	}
	if !params.Has("DeviceIndex") {
		return fail(codeInvalidParameterValue, "Each network interface requires a device index.")
	}
	if params.Has("AssociatePublicIpAddress") {
		if total > 1 {
			return fail(codeInvalidParameterCombination,
				"The associatePublicIPAddress parameter cannot be specified when launching with multiple network interfaces.")
		}
		wanted, err := params.Bool("AssociatePublicIpAddress")
		if err != nil {
			return err
		}
		r.publicIP = &wanted
	}
	added, err := readInterface(params)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(r.interfaces, func(i interfaceRequest) bool { return i.deviceIndex == added.deviceIndex }) {
		return fail(codeInvalidParameterValue, "Each network interface requires a unique device index.")
	}
	r.interfaces = append(r.interfaces, added)
	return nil
}

func readInterface(params wire.Params) (interfaceRequest, error) {
	i := interfaceRequest{
		subnetID: params["SubnetId"], groupIDs: params.List("SecurityGroupId"), description: params["Description"], deleteOnTermination: true,
	}
	for name, target := range map[string]*int{
		"DeviceIndex": &i.deviceIndex, "NetworkCardIndex": &i.cardIndex, "Ipv6AddressCount": &i.ipv6Count,
	} {
		number, _, err := params.Int(name)
		switch {
		case err != nil:
			return i, err
		case number < 0:
			return i, invalidValue(name, strconv.Itoa(number), "Expecting a value of at least 0.")
		}
		*target = number
	}
	if params.Has("DeleteOnTermination") {
		var err error
		if i.deleteOnTermination, err = params.Bool("DeleteOnTermination"); err != nil {
			return i, err
		}
	}
	if text := params["PrivateIpAddress"]; text != "" {
		address, err := netip.ParseAddr(text)
		if err != nil || !address.Is4() {
			return i, invalidValue("privateIpAddress", text, "Expecting an IPv4 address.")
		}
		i.privateIP = address
	}
	return i, nil
}

// checkAddresses refuses an address that several instances would have to share.
func (r *runRequest) checkAddresses(wire.Params) error {
	fixed := slices.ContainsFunc(r.interfaces, func(i interfaceRequest) bool { return i.privateIP.IsValid() })
	if fixed && r.maxCount > 1 {
		return fail(codeInvalidParameterCombination, "A private IP address cannot be specified for more than one instance")
	}
	return nil
}
