// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strconv"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// In a pool's texts these stand for the object's name and number.
const (
	objectName   = "{name}"
	objectNumber = "{number}"
)

// Names in the world of the walk, and one of each kind that is not there.
const (
	absentName    = "absent"
	bootKey       = "script"
	walkRegion    = "eu-central-1"
	profileARN    = "arn:aws:iam::" + ec2sim.DefaultAccount + ":instance-profile/"
	resourceARN   = "arn:aws:resource-groups:" + walkRegion + ":" + ec2sim.DefaultAccount + ":group/absent"
	absentLicense = "arn:aws:license-manager:" + walkRegion + ":" + ec2sim.DefaultAccount + ":license-configuration:lic-00000000000000000000000000000000"
)

// pools are values for the fields for which the schema alone cannot make one that EC2 may take: names of what there is in the simulated
// EC2's world, now and then of what there is not, and numbers that go together. A spread placement group is not among them: it holds seven
// instances, and an edit of one object is to be no matter of the others.
var pools = map[string][]any{
	"accountRef.name":                        {account, "other"},
	"adopt.instanceID":                       {"i-0123456789abcdef0"},
	"blockDevices[].deviceName":              {"/dev/xvda", "/dev/sdf", "/dev/sdg"},
	"blockDevices[].kmsKeyID":                {"alias/example"},
	"blockDevices[].snapshotID":              {ec2sim.SnapshotData, ec2sim.SnapshotEncrypted, "snap-00000000"},
	"blockDevices[].sizeGiB":                 {int64(20), int64(25), int64(30), int64(200)},
	"blockDevices[].iops":                    {int64(3000), int64(4000), int64(100)},
	"capacityReservation.id":                 {ec2sim.CapacityReservationA, "cr-00000000"},
	"capacityReservation.resourceGroupARN":   {resourceARN},
	"connection.configMapName":               {"map-" + objectName, "map-shared"},
	"cpuOptions.coreCount":                   {int64(1), int64(2)},
	"expose.ports[].name":                    {"http", "ssh"},
	"expose.serviceName":                     {"svc-" + objectName, "svc-shared"},
	"iamInstanceProfile.arn":                 {profileARN + ec2sim.InstanceProfileName, profileARN + ec2sim.OtherInstanceProfileName, profileARN + absentName},
	"iamInstanceProfile.name":                {ec2sim.InstanceProfileName, ec2sim.OtherInstanceProfileName},
	"ignore.securityGroupIDs[]":              {ec2sim.SecurityGroupWeb, ec2sim.SecurityGroupDefault},
	"ignore.tagPrefixes[]":                   {"scan/", "t"},
	"image.id":                               {ec2sim.ImageAL2023, ec2sim.ImageAL2023Next, ec2sim.ImageAL2023, ec2sim.ImageAL2023Next, ec2sim.ImageAL2023ARM, "ami-00000000"},
	"image.ssmParameter":                     {ec2sim.ParameterAL2023, ec2sim.ParameterAL2023ARM, "/absent"},
	"instanceType":                           {"t3.micro", "t3.small", "t3.medium", "m5.large", ec2sim.TypeWithCores, "m6a.large", "m8i.large", "t4g.micro", "z9.absent"},
	"instanceTypeFallbacks[]":                {"t3.micro", "t3.large", "m6i.large"},
	"ipv6AddressCount":                       {int64(1), int64(2)},
	"keyName":                                {ec2sim.KeyPairName, absentName},
	"launchTemplate.id":                      {ec2sim.TemplateID, "lt-00000000"},
	"launchTemplate.name":                    {ec2sim.TemplateName, absentName},
	"launchTemplate.version":                 {"1", "2", "$Default", "$Latest"},
	"licenses[].configurationARN":            {ec2sim.LicenseConfiguration(ec2sim.DefaultAccount, walkRegion), absentLicense},
	"marketOptions.spotOptions.maxPrice":     {"0.05", "1"},
	"networkInterfaces[].description":        {"front", "back"},
	"networkInterfaces[].deviceIndex":        {int64(0), int64(1)},
	"networkInterfaces[].ipv6AddressCount":   {int64(1)},
	"networkInterfaces[].networkInterfaceID": {"eni-00000000"},
	"networkInterfaces[].privateIPAddress":   {"10.0.2." + objectNumber},
	"networkInterfaces[].securityGroupIDs[]": {ec2sim.SecurityGroupDefault, ec2sim.SecurityGroupWeb},
	"networkInterfaces[].subnetID":           {ec2sim.SubnetA, ec2sim.SubnetPrivateA, ec2sim.SubnetIPv6A},
	"placement.availabilityZone":             {walkRegion + "a", walkRegion + "b"},
	"placement.groupID":                      {ec2sim.GroupClusterID, ec2sim.GroupPartitionID},
	"placement.groupName":                    {ec2sim.GroupCluster, ec2sim.GroupPartition, absentName},
	"placement.hostID":                       {ec2sim.HostA, "h-00000000"},
	"placement.hostResourceGroupARN":         {resourceARN},
	"privateIPAddress":                       {"10.0.1." + objectNumber, "10.0.3." + objectNumber},
	"region":                                 {walkRegion, "us-east-1"},
	"securityGroupIDs[]":                     {ec2sim.SecurityGroupDefault, ec2sim.SecurityGroupWeb, ec2sim.SecurityGroupDefault, ec2sim.SecurityGroupWeb, "sg-00000000"},
	"subnetFallbacks[]":                      {ec2sim.SubnetB, ec2sim.SubnetC},
	"subnetID":                               {ec2sim.SubnetA, ec2sim.SubnetB, ec2sim.SubnetPrivateA, ec2sim.SubnetIPv6A, ec2sim.SubnetOtherVPC},
	"tags[].key":                             {"team", "tier", "scan/last", "Name"},
	"tags[].value":                           {"red", "blue", ""},
	"updatePolicy.overrides[].field":         {"instanceType", "tags", "image", "monitoring", "blockDevices", "novel"},
	"userData.configMapKeyRef.key":           {bootKey, absentName},
	"userData.configMapKeyRef.name":          {bootName, absentName},
	"userData.inline":                        {"#!/bin/sh\ntrue\n", "#!/bin/sh\nfalse\n"},
	"userData.secretKeyRef.key":              {bootKey, absentName},
	"userData.secretKeyRef.name":             {bootName, absentName},
}

// bootName is the Secret, and the ConfigMap, with user data.
const bootName = secretName

// filled puts an object's name and number into a pool's text.
func filled(value any, name string, number int) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	return strings.NewReplacer(objectName, name, objectNumber, strconv.Itoa(number)).Replace(text)
}

// firstSpec is what the objects begin with.
func firstSpec(allow ec2v1.UpdateAllowance) spec {
	return spec{
		"image": spec{"id": ec2sim.ImageAL2023}, "instanceType": "t3.micro", "subnetID": ec2sim.SubnetA,
		"securityGroupIDs": []any{ec2sim.SecurityGroupDefault}, "updatePolicy": spec{"allow": string(allow)},
	}
}

// ampleWorld has room on its host and in its reservation for all objects: an edit of one is to be no matter of the others.
func ampleWorld(w *ec2sim.World) {
	const room = 1000
	for i := range w.Hosts {
		w.Hosts[i].Capacity = room
	}
	for i := range w.CapacityReservations {
		w.CapacityReservations[i].Count = room
	}
}
