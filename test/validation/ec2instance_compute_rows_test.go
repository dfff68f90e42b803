// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"maps"
	"slices"
	"strings"
)

const (
	templateOneOf  = "spec.launchTemplate: must set exactly one of id and name"
	isTemplate     = "must be a launch template id: lt- and 8 to 17 hexadecimal digits"
	isTemplateName = "spec.launchTemplate.name: must be the name of a launch template: letters, digits and ( ) . / _ -"
	isVersion      = "must be a version's number, $Default or $Latest"
)

var instanceTemplate = slices.Concat(
	[]row{
		spec.accepts("a launch template and nothing else", `{image: null, instanceType: null, launchTemplate: {id: lt-01234567}}`),
		spec.accepts("a launch template and an image", `{instanceType: null, launchTemplate: {name: web, version: $Latest}}`),
		spec.refuses("a launch template by nothing", `{launchTemplate: {version: "1"}}`, templateOneOf),
		spec.refuses("a launch template by id and name", `{launchTemplate: {id: lt-01234567, name: web}}`, templateOneOf),
		spec.refuses("a launch template's name with a space", `{launchTemplate: {name: "web server"}}`, isTemplateName),
	},
	spec.id("launchTemplate.id", putting("launchTemplate.id"), "lt-", isTemplate),
	spec.text("launchTemplate.name", 3, 128),
	spec.matching("launchTemplate.version", beside("launchTemplate", false, map[string]any{"name": "web"}, "version"), isVersion, 16,
		[]string{"1", "42", strings.Repeat("9", 16), "$Default", "$Latest"}, []string{"0", "01", "-1", "$latest", "Latest", "$Newest", "1.0"}),
)

const (
	isZone          = "must be an Availability Zone such as eu-central-1a"
	isGroup         = "must be a placement group id: pg- and 8 to 17 hexadecimal digits"
	isHost          = "must be a Dedicated Host's id: h- and 8 to 17 hexadecimal digits"
	isResourceGroup = "must be the ARN of a resource group: arn:PARTITION:resource-groups:REGION:ACCOUNT:group/NAME"
	resourceGroup   = "arn:aws:resource-groups:eu-central-1:123456789012:group/"
	groupOneOf      = "spec.placement: must set at most one of groupName and groupID"
	hostOneOf       = "spec.placement: must set at most one of hostID and hostResourceGroupARN"
	partitionGroup  = "spec.placement: must set groupName or groupID with partitionNumber"
	hostTenancy     = "spec.placement.tenancy: must be host with hostID, hostResourceGroupARN and affinity"
	isReservation   = "must be a Capacity Reservation's id: cr- and 8 to 17 hexadecimal digits"
	reservationOne  = "spec.capacityReservation: must set at most one of id and resourceGroupARN"
	reservationOnly = "spec.capacityReservation.preference: must be capacity-reservations-only, or not be set, with id and resourceGroupARN: EC2's rule"
)

// onHost is the patch of a placement on a host, with one member set.
func onHost(member string) with {
	return beside("placement", false, map[string]any{"tenancy": "host"}, member)
}

var instancePlacement = slices.Concat(
	[]row{
		spec.accepts("a placement without anything", `{placement: {}}`),
		spec.refuses("a placement group by name and id", `{placement: {groupName: near, groupID: pg-01234567}}`, groupOneOf),
		spec.refuses("a partition of no group", `{placement: {partitionNumber: 1}}`, partitionGroup),
		spec.accepts("a partition of a group by id", `{placement: {groupID: pg-01234567, partitionNumber: 1}}`),
		spec.refuses("two hosts", `{placement: {tenancy: host, hostID: h-01234567, hostResourceGroupARN: "`+resourceGroup+`a"}}`, hostOneOf),
		spec.refuses("a host without its tenancy", `{placement: {hostID: h-01234567}}`, hostTenancy),
		spec.refuses("a host with another tenancy", `{placement: {tenancy: dedicated, hostID: h-01234567}}`, hostTenancy),
		spec.refuses("hosts without their tenancy", `{placement: {hostResourceGroupARN: "`+resourceGroup+`a"}}`, hostTenancy),
		spec.refuses("an affinity without a host", `{placement: {affinity: default}}`, hostTenancy),
	},
	spec.matching("placement.availabilityZone", putting("placement.availabilityZone"), isZone, 64,
		[]string{"eu-central-1a", "us-gov-west-1b", "us-west-2-lax-1a", "us-east-1-wl1-bos-wlz-1"},
		[]string{"eu-central-1", "EU-central-1a", "a", "euc1-az1", "eu-central-1a-"}),
	spec.words("placement.tenancy", "default", "dedicated", "host"),
	spec.text("placement.groupName", 1, 255),
	spec.id("placement.groupID", putting("placement.groupID"), "pg-", isGroup),
	spec.numberIn("placement.partitionNumber", beside("placement", false, map[string]any{"groupName": "apart"}, "partitionNumber"), 1, 7),
	spec.id("placement.hostID", onHost("hostID"), "h-", isHost),
	spec.arn("placement.hostResourceGroupARN", onHost("hostResourceGroupARN"), resourceGroup, isResourceGroup),
	spec.wordsIn("placement.affinity", onHost("affinity"), "default", "host"),

	[]row{
		spec.accepts("one reservation and no other", `{capacityReservation: {id: cr-01234567, preference: capacity-reservations-only}}`),
		spec.refuses("a reservation by id and group", `{capacityReservation: {id: cr-01234567, resourceGroupARN: "`+resourceGroup+`a"}}`, reservationOne),
		spec.refuses("one reservation and any", `{capacityReservation: {id: cr-01234567, preference: open}}`, reservationOnly),
		spec.refuses("a group of reservations and none", `{capacityReservation: {resourceGroupARN: "`+resourceGroup+`a", preference: none}}`, reservationOnly),
	},
	spec.words("capacityReservation.preference", "open", "none", "capacity-reservations-only"),
	spec.id("capacityReservation.id", putting("capacityReservation.id"), "cr-", isReservation),
	spec.arn("capacityReservation.resourceGroupARN", putting("capacityReservation.resourceGroupARN"), resourceGroup, isResourceGroup),
)

const (
	isPrice          = "must be a price in US dollars of more than 0.001, such as 0.05"
	persistentNeeds  = "spec.marketOptions.spotOptions.interruptionBehavior: must be stop or hibernate with requestType persistent: EC2's rule"
	stopNeeds        = "spec.marketOptions.spotOptions.requestType: must be persistent with interruptionBehavior stop or hibernate: EC2's rule"
	spotTermination  = "spec.disableAPITermination: must not be true with marketOptions: EC2 does not protect Spot Instances"
	spotStop         = "spec.disableAPIStop: must not be true with marketOptions: EC2 does not protect Spot Instances"
	spotHibernation  = "spec.marketOptions.spotOptions.interruptionBehavior: must be hibernate, or not be set, with hibernation.configured true: EC2's rule"
	hibernationNeeds = "spec.marketOptions.spotOptions.requestType: must be persistent with hibernation.configured true: EC2's rule"
	stoppedAtEnd     = "spec.deletionPolicy: must not be Stop with a one-time Spot request, whose instance EC2 does not stop: set marketOptions.spotOptions.requestType to persistent"
	stoppedBySpec    = "spec.powerState: must be Running with a one-time Spot request, whose instance EC2 does not stop: set marketOptions.spotOptions.requestType to persistent"
	hibernationAlone = "spec.enclave.enabled: must not be true with hibernation.configured true: EC2 allows one of the two"
)

// spot is the patch of a Spot Instance with one of its options, and another one that makes it acceptable.
func spot(member string, others map[string]any) with {
	return func(value any) string {
		options := map[string]any{member: value}
		maps.Copy(options, others)
		return put("marketOptions", map[string]any{"marketType": "spot", "spotOptions": options})
	}
}

var instanceMarket = slices.Concat(
	spec.words("marketOptions.marketType", "spot"),
	[]row{
		spec.refuses("a market without its type", `{marketOptions: {spotOptions: {maxPrice: "1"}}}`, spec.required("marketOptions.marketType")),
		spec.accepts("a Spot Instance without options", `{marketOptions: {marketType: spot, spotOptions: {}}}`),
		spec.accepts("a Spot Instance that is stopped when interrupted", spot("interruptionBehavior", map[string]any{"requestType": "persistent"})("stop")),
		spec.refuses("a persistent request without a behavior", spot("requestType", nil)("persistent"), persistentNeeds),
		spec.refuses("a persistent request whose instance is terminated", spot("interruptionBehavior", map[string]any{"requestType": "persistent"})("terminate"), persistentNeeds),
		spec.refuses("a request for one time whose instance is stopped", spot("interruptionBehavior", map[string]any{"requestType": "one-time"})("stop"), stopNeeds),
		spec.refuses("a request of no type whose instance is stopped", spot("interruptionBehavior", nil)("stop"), stopNeeds),
		spec.accepts("a Spot Instance that is not protected", `{marketOptions: {marketType: spot}, disableAPITermination: false, disableAPIStop: false}`),
		spec.refuses("a Spot Instance that cannot be terminated", `{marketOptions: {marketType: spot}, disableAPITermination: true}`, spotTermination),
		spec.refuses("a Spot Instance that cannot be stopped", `{marketOptions: {marketType: spot}, disableAPIStop: true}`, spotStop),
		spec.refuses("a request for one time whose instance hibernates", spot("interruptionBehavior", nil)("hibernate"), stopNeeds),
		spec.accepts("a Spot Instance that hibernates", merged(`{"hibernation": {"configured": true}}`, spot("interruptionBehavior", map[string]any{"requestType": "persistent"})("hibernate"))),
		spec.refuses("a Spot Instance for one time that can hibernate", `{hibernation: {configured: true}, marketOptions: {marketType: spot}}`, hibernationNeeds),
		spec.accepts("a Spot Instance that can hibernate by a launch template", `{hibernation: {configured: true}, marketOptions: {marketType: spot}, launchTemplate: {name: web}}`),
		spec.refuses("a Spot Instance for one time that is stopped in the end", `{marketOptions: {marketType: spot}, deletionPolicy: Stop}`, stoppedAtEnd),
		spec.refuses("a Spot Instance for one time that shall be stopped", merged(`{"powerState": "Stopped"}`, spot("requestType", nil)("one-time")), stoppedBySpec),
		spec.accepts("a persistent one that is stopped", merged(`{"powerState": "Stopped", "deletionPolicy": "Stop"}`, spot("interruptionBehavior", map[string]any{"requestType": "persistent"})("stop"))),
		spec.accepts("a Spot Instance by a launch template that is stopped", `{marketOptions: {marketType: spot}, launchTemplate: {name: web}, powerState: Stopped, deletionPolicy: Stop}`),
		spec.accepts("a Spot Instance for one time that runs and stays", `{marketOptions: {marketType: spot}, powerState: Running, deletionPolicy: Retain}`),
		spec.accepts("a Spot Instance that cannot hibernate", merged(`{"hibernation": {"configured": false}}`, spot("interruptionBehavior", nil)("terminate"))),
		spec.refuses("a Spot Instance that can hibernate and is terminated", merged(`{"hibernation": {"configured": true}}`, spot("interruptionBehavior", nil)("terminate")), spotHibernation, hibernationNeeds),
	},
	spec.matching("marketOptions.spotOptions.maxPrice", spot("maxPrice", nil), isPrice, 16,
		[]string{"1", "0.05", "12345678.1234567"}, []string{"$1", "0,05", ".5", "5.", "-1", "1e3", "cheap", "0.001", "0"}),
	[]row{
		spec.accepts("a Spot Instance for one time", spot("requestType", nil)("one-time")),
		spec.accepts("a Spot Instance for as long as it is wanted", spot("requestType", map[string]any{"interruptionBehavior": "hibernate"})("persistent")),
		spec.refuses("another type of request", spot("requestType", nil)("Other"), spec.unsupported("marketOptions.spotOptions.requestType", "Other", "one-time", "persistent")),
		spec.accepts("a Spot Instance that is terminated when interrupted", spot("interruptionBehavior", nil)("terminate")),
		spec.refuses("another interruption behavior", spot("interruptionBehavior", nil)("Other"),
			spec.unsupported("marketOptions.spotOptions.interruptionBehavior", "Other", "terminate", "stop", "hibernate")),
	},
)

const (
	coresAndThreads = "spec.cpuOptions: must set both coreCount and threadsPerCore, or none of them: EC2's rule"

	isLicense = "must be the ARN of a license configuration: arn:PARTITION:license-manager:REGION:ACCOUNT:license-configuration:ID"
	license   = "arn:aws:license-manager:eu-central-1:123456789012:license-configuration:"
)

// licenses is the list of license configurations.
var licenses = plainList(spec, "licenses")

var instanceOptions = slices.Concat(
	spec.numberIn("cpuOptions.coreCount", beside("cpuOptions", false, map[string]any{"threadsPerCore": 1}, "coreCount"), 1, 1024),
	spec.numberIn("cpuOptions.threadsPerCore", beside("cpuOptions", false, map[string]any{"coreCount": 1}, "threadsPerCore"), 1, 2),
	[]row{
		spec.refuses("cores of which the threads are not said", `{cpuOptions: {coreCount: 2}}`, coresAndThreads),
		spec.refuses("threads without a number of cores", `{cpuOptions: {threadsPerCore: 1}}`, coresAndThreads),
	},
	spec.words("cpuOptions.amdSEVSNP", "enabled", "disabled"),
	spec.words("cpuOptions.nestedVirtualization", "enabled", "disabled"),
	spec.words("creditSpecification.cpuCredits", "standard", "unlimited"),
	[]row{spec.refuses("credits of no kind", `{creditSpecification: {}}`, spec.required("creditSpecification.cpuCredits"))},
	spec.words("maintenance.autoRecovery", "default", "disabled"),
	spec.words("maintenance.rebootMigration", "default", "disabled"),
	spec.words("shutdownBehavior", "stop", "terminate"),
	[]row{
		spec.accepts("switches turned on", `{ebsOptimized: true, monitoring: true, disableAPITermination: true, disableAPIStop: true, propagateTags: true}`),
		spec.accepts("switches turned off", `{ebsOptimized: false, monitoring: false, disableAPITermination: false, disableAPIStop: false, propagateTags: false}`),
		spec.accepts("an instance that can hibernate and not run enclaves", `{hibernation: {configured: true}, enclave: {enabled: false}}`),
		spec.accepts("an instance that can run enclaves and not hibernate", `{hibernation: {configured: false}, enclave: {enabled: true}}`),
		spec.accepts("an instance of which neither is said", `{hibernation: {}, enclave: {}}`),
		spec.refuses("an instance that can hibernate and run enclaves", `{hibernation: {configured: true}, enclave: {enabled: true}}`, hibernationAlone),
		spec.refuses("an empty list of licenses", licenses.patch(`[]`), spec.tooFew("licenses", 1)),
	},
	licenses.keyed("configurationARN", "{}"),
	licenses.upTo(16, `{configurationARN: "`+license+`lic-%[1]d"}`),
	spec.arn("licenses[0].configurationARN", beside("licenses", true, nil, "configurationARN"), license, isLicense),
)
