// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import "slices"

// The limits of status are what the operator has to shorten EC2's texts to. A status that is refused is never written.
var instanceStatusRows = slices.Concat(
	status.text("instanceID", 0, 32),
	status.text("arn", 0, 256),
	status.text("state", 0, 32),
	status.text("stateReason.code", 0, 128),
	status.text("stateReason.message", 0, 1024),
	status.text("imageID", 0, 32),
	status.text("instanceType", 0, 64),
	status.text("subnetID", 0, 32),
	status.text("vpcID", 0, 32),
	status.text("availabilityZone", 0, 64),
	status.text("privateIPAddress", 0, 45),
	status.text("publicIPAddress", 0, 45),
	status.text("privateDNSName", 0, 253),
	status.text("publicDNSName", 0, 253),
	status.text("iamInstanceProfileARN", 0, 2048),
	status.text("launch.clientToken", 0, 64),
	status.text("launch.reason", 0, 64),
	status.text("statusChecks.system", 0, 32),
	status.text("statusChecks.instance", 0, 32),
	status.text("statusChecks.attachedEBS", 0, 32),
	[]row{
		status.accepts("the first launch", `{launch: {attempt: 1}}`),
		status.refuses("a launch before the first", `{launch: {attempt: 0}}`,
			status.inBody("launch.attempt", "should be greater than or equal to %d", 1)),
	},
	conditions,
	instanceAddresses,
	instanceInterfaces,
	instanceVolumes,
	instancePlan,
	instanceEvents,
)

// conditions are the rows of every kind's conditions.
var conditions = slices.Concat(
	plainList(status, "conditions").upTo(16, `{type: "C%[1]d", status: "True", reason: R, message: "", lastTransitionTime: "2026-01-02T03:04:05Z"}`),
	plainList(status, "conditions").keyed("type", `{status: "True"}`),
)

var instanceAddresses = slices.Concat(
	plainList(status, "ipv6Addresses").upTo(64, `"2001:db8::%[1]d"`),
	plainList(status, "ipv6Addresses").ofTexts(45),
	plainList(status, "ipv6Addresses").unique(),
	plainList(status, "addresses").upTo(64, `"10.0.0.%[1]d"`),
	plainList(status, "addresses").ofTexts(45),
	plainList(status, "securityGroupIDs").upTo(64, `"sg-%[1]d"`),
	plainList(status, "securityGroupIDs").ofTexts(32),
	plainList(status, "securityGroupIDs").unique(),
	plainList(status, "managedTagKeys").upTo(50, `"key-%[1]d"`),
	plainList(status, "managedTagKeys").ofTexts(128),
	plainList(status, "managedTagKeys").unique(),
	plainList(status, "managedSecurityGroupIDs").upTo(64, `"sg-%[1]d"`),
	plainList(status, "managedSecurityGroupIDs").ofTexts(32),
	plainList(status, "managedSecurityGroupIDs").unique(),
)

var (
	interfaces      = plainList(status, "networkInterfaces")
	interfaceKey    = map[string]any{"id": "eni-1"}
	interfaceGroups = listField{status, "networkInterfaces[0].securityGroupIDs", "{networkInterfaces: [{id: eni-1, securityGroupIDs: %s}]}"}
)

var instanceInterfaces = slices.Concat(
	interfaces.upTo(32, `{id: "eni-%[1]d"}`),
	interfaces.keyed("id", "{subnetID: subnet-1}"),
	interfaces.member(nil, "id", 1, 32),
	interfaces.member(interfaceKey, "subnetID", 0, 32),
	interfaces.member(interfaceKey, "privateIPAddress", 0, 45),
	interfaces.member(interfaceKey, "publicIPAddress", 0, 45),
	interfaces.member(interfaceKey, "macAddress", 0, 32),
	interfaceGroups.upTo(16, `"sg-%[1]d"`),
	interfaceGroups.ofTexts(32),
	[]row{status.refuses("networkInterfaces[0].securityGroupIDs with an element twice", interfaceGroups.patch("[a, a]"),
		status.duplicate(`networkInterfaces[id="eni-1"].securityGroupIDs`, "", "a"))},
)

var volumes = plainList(status, "volumes")

var instanceVolumes = slices.Concat(
	volumes.upTo(64, `{deviceName: "/dev/sd%[1]d", deleteOnTermination: false}`),
	volumes.keyed("deviceName", "{volumeID: vol-1}"),
	volumes.member(nil, "deviceName", 1, 64),
	volumes.member(map[string]any{"deviceName": "/dev/xvda"}, "volumeID", 0, 32),
)

var (
	plan    = plainList(status, "plan")
	planKey = map[string]any{"field": "instanceType"}
)

var instancePlan = slices.Concat(
	plan.upTo(64, `{field: "f%[1]d"}`),
	plan.keyed("field", "{action: None}"),
	plan.member(nil, "field", 1, 128),
	plan.member(planKey, "current", 0, 1024),
	plan.member(planKey, "desired", 0, 1024),
	plan.member(planKey, "message", 0, 1024),
	[]row{
		status.accepts("changes of every kind and state", `{plan: [
			{field: a, action: InPlace, state: Pending}, {field: b, action: StopStart, state: Blocked},
			{field: c, action: Replace, state: Failed}, {field: d, action: None}]}`),
		status.refuses("a change of another kind", `{plan: [{field: a, action: Other}]}`,
			status.unsupported("plan[0].action", "Other", "InPlace", "StopStart", "Replace", "None")),
		status.refuses("a change in another state", `{plan: [{field: a, state: Other}]}`,
			status.unsupported("plan[0].state", "Other", "Pending", "Blocked", "Failed")),
	},
)

var events = plainList(status, "scheduledEvents")

var instanceEvents = slices.Concat(
	events.upTo(16, `{code: "code-%[1]d"}`),
	events.keyed("code", "{description: d}"),
	events.member(nil, "code", 1, 64),
	events.member(map[string]any{"code": "system-reboot"}, "description", 0, 1024),
)
