// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
)

const (
	interfacesExclude = "spec.networkInterfaces: must not be set beside subnetID, securityGroupIDs, privateIPAddress, ipv6AddressCount, " +
		"associatePublicIPAddress or sourceDestCheck: set them in the network interface with deviceIndex 0"
	needsPrimary    = "spec.networkInterfaces: must hold the primary network interface, whose deviceIndex is 0"
	publicAlone     = "spec.networkInterfaces: must hold one network interface only when that sets associatePublicIPAddress: EC2's rule"
	existingAlone   = "spec.networkInterfaces[0]: must set nothing but deviceIndex and networkCardIndex beside networkInterfaceID: an existing network interface keeps what it has"
	primaryCard     = "spec.networkInterfaces[0].networkCardIndex: must be 0, or not be set, for the primary network interface, whose deviceIndex is 0: EC2's rule"
	isInterfaceID   = "must be a network interface id: eni- and 8 to 17 hexadecimal digits"
	firstInterface  = "networkInterfaces[0]."
	secondInterface = "networkInterfaces[1]."
)

// launchInterfaces is the list of network launchInterfaces.
var launchInterfaces = plainList(spec, "networkInterfaces")

// primary is the patch of the primary network interface alone, with one member set.
func primary(member string) with {
	return beside("networkInterfaces", true, map[string]any{"deviceIndex": 0}, member)
}

// another is the patch of one more network interface beside the primary one, with one member set.
func another(member string) with {
	return func(value any) string {
		second := map[string]any{"deviceIndex": 1}
		second[member] = value
		return put("networkInterfaces", []any{map[string]any{"deviceIndex": 0}, second})
	}
}

// interfaceMembers are what a new network interface can be given, each with a value that is accepted.
var interfaceMembers = map[string]any{
	"subnetID": "subnet-01234567", "securityGroupIDs": []any{"sg-01234567"}, "privateIPAddress": "10.0.1.17", "ipv6AddressCount": 1,
	"associatePublicIPAddress": true, "sourceDestCheck": false, "deleteOnTermination": true, "description": "front",
}

var instanceLaunchInterfaces = slices.Concat(
	spec.address("privateIPAddress", putting("privateIPAddress")),
	spec.number("ipv6AddressCount", 1, 128),
	interfacesAlone(),
	[]row{
		spec.accepts("a public address asked for", `{associatePublicIPAddress: true}`),
		spec.accepts("no check of source and destination", `{sourceDestCheck: false}`),
		spec.accepts("two network interfaces", launchInterfaces.patch(`[{deviceIndex: 0, subnetID: subnet-01234567}, {deviceIndex: 1}]`)),
		spec.accepts("an existing network interface", launchInterfaces.patch(`[{deviceIndex: 0, networkCardIndex: 0, networkInterfaceID: eni-01234567}]`)),
		spec.refuses("an empty list of network interfaces", launchInterfaces.patch(`[]`), needsPrimary, spec.tooFew("networkInterfaces", 1)),
		spec.refuses("no primary network interface", launchInterfaces.patch(`[{deviceIndex: 1}]`), needsPrimary),
		spec.refuses("a network interface without its place", launchInterfaces.patch(`[{subnetID: subnet-01234567}]`), spec.keyless("networkInterfaces", "deviceIndex")),
		spec.refuses("two network interfaces in one place", launchInterfaces.patch(`[{deviceIndex: 0}, {deviceIndex: 0}]`),
			"spec.networkInterfaces: duplicate entries for key [deviceIndex=0]"),
		spec.accepts("16 network interfaces", launchInterfaces.patch(list(16, "{deviceIndex: %[1]d}"))),
		spec.refuses("17 network interfaces", launchInterfaces.patch(list(17, "{deviceIndex: %[1]d}")), spec.tooMany("networkInterfaces", 17, 16),
			spec.inBody("networkInterfaces[16].deviceIndex", "should be less than or equal to %d", 15)),
		spec.refuses("a network interface before the first", launchInterfaces.patch(`[{deviceIndex: 0}, {deviceIndex: -1}]`),
			spec.inBody(secondInterface+"deviceIndex", "should be greater than or equal to %d", 0)),
		spec.refuses("a public address with two network interfaces", launchInterfaces.patch(`[{deviceIndex: 0, associatePublicIPAddress: true}, {deviceIndex: 1}]`), publicAlone),
		spec.refuses("no public address with two network interfaces", launchInterfaces.patch(`[{deviceIndex: 0}, {deviceIndex: 1, associatePublicIPAddress: false}]`), publicAlone),
		spec.refuses("the primary network interface on another card", launchInterfaces.patch(`[{deviceIndex: 0, networkCardIndex: 1}]`), primaryCard),
	},
	spec.numberIn(secondInterface+"networkCardIndex", another("networkCardIndex"), 0, 63),
	spec.id(firstInterface+"networkInterfaceID", primary("networkInterfaceID"), "eni-", isInterfaceID),
	spec.id(firstInterface+"subnetID", primary("subnetID"), "subnet-", isSubnet),
	spec.groups(firstInterface+"securityGroupIDs", "networkInterfaces[deviceIndex=0].securityGroupIDs", primary("securityGroupIDs")),
	spec.address(firstInterface+"privateIPAddress", primary("privateIPAddress")),
	spec.numberIn(firstInterface+"ipv6AddressCount", primary("ipv6AddressCount"), 1, 128),
	[]row{
		spec.accepts("a description of 255 characters", primary("description")(letters(255))),
		spec.refuses("a description of 256 characters", primary("description")(letters(256)), spec.tooLong(firstInterface+"description", 255)),
		spec.refuses("an empty description", primary("description")(""), spec.tooShort(firstInterface+"description", 1)),
	},
	spec.words("privateDNSNameOptions.hostnameType", "ip-name", "resource-name"),
	[]row{spec.accepts("records of the resource name", `{privateDNSNameOptions: {enableResourceNameDNSARecord: true, enableResourceNameDNSAAAARecord: false}}`)},
)

// interfacesAlone are the rows of what network interfaces exclude, and of what an existing one excludes.
func interfacesAlone() []row {
	var rows []row
	for member, value := range interfaceMembers {
		rows = append(rows,
			spec.accepts("a network interface with "+member, primary(member)(value)),
			spec.refuses("an existing network interface with "+member,
				beside("networkInterfaces", true, map[string]any{"deviceIndex": 0, "networkInterfaceID": "eni-01234567"}, member)(value), existingAlone))
		if member != "deleteOnTermination" && member != "description" {
			one := []any{map[string]any{"deviceIndex": 0}}
			rows = append(rows, spec.refuses("network interfaces beside "+member,
				merged(put("networkInterfaces", one), put(member, value)), interfacesExclude))
		}
	}
	return rows
}
