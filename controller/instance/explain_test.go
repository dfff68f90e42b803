// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
	"github.com/fieldowner/ec2-operator/test/validation/schema"
)

// changeSentences are how `kubectl explain` says what a change of a field takes; never is for those that cannot change.
var changeSentences = map[ec2v1.PlanAction]*regexp.Regexp{
	ec2v1.PlanActionInPlace:   regexp.MustCompile(`can change(, be added or be removed)? at any time`),
	ec2v1.PlanActionStopStart: regexp.MustCompile(`[Aa] change needs the instance stopped`),
	ec2v1.PlanActionReplace:   regexp.MustCompile(`[Aa] change needs a new instance`),
	never:                     regexp.MustCompile(`cannot change`),
}

const never ec2v1.PlanAction = "never"

// saidOfChanges is what the text of a field says that a change takes.
func saidOfChanges(field schema.Field) []ec2v1.PlanAction {
	var said []ec2v1.PlanAction
	text := strings.Join(strings.Fields(field.Schema.Description), " ")
	for action, sentence := range changeSentences {
		if sentence.MatchString(text) {
			said = append(said, action)
		}
	}
	return said
}

// TestExplainedAsCarriedOut holds the text of each field of spec to the table of fields. What is not in the table is not the
// instance's but what the operator does with it, which can change at any time or never.
func TestExplainedAsCarriedOut(t *testing.T) {
	crds, err := schema.Load("../../config/crd/bases")
	if err != nil {
		t.Fatal(err)
	}
	actions := map[string]ec2v1.PlanAction{}
	for _, f := range Fields() {
		actions[f.Name] = f.Action
	}
	for field := range schema.Fields(crds["EC2Instance"]) {
		name, inSpec := strings.CutPrefix(field.Path, "spec.")
		if !inSpec || strings.ContainsAny(name, ".[") {
			continue
		}
		said, text := saidOfChanges(field), field.Schema.Description
		want, inTable := actions[name]
		delete(actions, name)
		switch {
		case len(said) != 1:
			t.Errorf("what a change of %s takes is said in %d ways %v: %q", name, len(said), said, text)
		case inTable && said[0] != want:
			t.Errorf("a change of %s takes %s, and its text says %s: %q", name, want, said[0], text)
		case !inTable && !slices.Contains([]ec2v1.PlanAction{ec2v1.PlanActionInPlace, never}, said[0]):
			t.Errorf("%s is not in the table of fields, and its text says %s: %q", name, said[0], text)
		}
	}
	if len(actions) > 0 {
		t.Errorf("the table has fields that spec does not: %v", actions)
	}
}

// members are edits of spec that differ from the instance of TestMembersExplainedAsCarriedOut in one member only.
var members = map[string]string{
	"blockDevices[].deleteOnTermination":                    `blockDevices: [{deviceName: xvda, deleteOnTermination: true}]`,
	"blockDevices[].encrypted":                              `blockDevices: [{deviceName: xvda, encrypted: true}]`,
	"blockDevices[].iops":                                   `blockDevices: [{deviceName: xvda, iops: 4000}]`,
	"blockDevices[].kmsKeyID":                               `blockDevices: [{deviceName: xvda, kmsKeyID: alias/mine}]`,
	"blockDevices[].noDevice":                               `blockDevices: [{deviceName: xvda, noDevice: true}]`,
	"blockDevices[].snapshotID":                             `blockDevices: [{deviceName: xvda, snapshotID: snap-1}]`,
	"blockDevices[].throughputMiBps":                        `blockDevices: [{deviceName: xvda, throughputMiBps: 250}]`,
	"blockDevices[].type":                                   `blockDevices: [{deviceName: xvda, type: io2}]`,
	"cpuOptions.amdSEVSNP":                                  `cpuOptions: {amdSEVSNP: enabled}`,
	"cpuOptions.coreCount":                                  `cpuOptions: {coreCount: 2}`,
	"cpuOptions.nestedVirtualization":                       `cpuOptions: {nestedVirtualization: enabled}`,
	"cpuOptions.threadsPerCore":                             `cpuOptions: {threadsPerCore: 1}`,
	"creditSpecification.cpuCredits":                        `creditSpecification: {cpuCredits: unlimited}`,
	"enclave.enabled":                                       `enclave: {enabled: true}`,
	"hibernation.configured":                                `hibernation: {configured: true}`,
	"maintenance.autoRecovery":                              `maintenance: {autoRecovery: disabled}`,
	"maintenance.rebootMigration":                           `maintenance: {rebootMigration: disabled}`,
	"networkInterfaces[].associatePublicIPAddress":          `networkInterfaces: [{deviceIndex: 0, associatePublicIPAddress: true}]`,
	"networkInterfaces[].deleteOnTermination":               `networkInterfaces: [{deviceIndex: 0, deleteOnTermination: false}]`,
	"networkInterfaces[].description":                       `networkInterfaces: [{deviceIndex: 0, description: another}]`,
	"networkInterfaces[].ipv6AddressCount":                  `networkInterfaces: [{deviceIndex: 0, ipv6AddressCount: 1}]`,
	"networkInterfaces[].networkCardIndex":                  `networkInterfaces: [{deviceIndex: 0, networkCardIndex: 1}]`,
	"networkInterfaces[].networkInterfaceID":                `networkInterfaces: [{deviceIndex: 0, networkInterfaceID: eni-2}]`,
	"networkInterfaces[].privateIPAddress":                  `networkInterfaces: [{deviceIndex: 0, privateIPAddress: 10.0.0.9}]`,
	"networkInterfaces[].securityGroupIDs":                  `networkInterfaces: [{deviceIndex: 0, securityGroupIDs: [sg-0000000b]}]`,
	"networkInterfaces[].sourceDestCheck":                   `networkInterfaces: [{deviceIndex: 0, sourceDestCheck: true}]`,
	"networkInterfaces[].subnetID":                          `networkInterfaces: [{deviceIndex: 0, subnetID: subnet-2}]`,
	"placement.affinity":                                    `placement: {affinity: host}`,
	"placement.availabilityZone":                            `placement: {availabilityZone: eu-central-1b}`,
	"placement.groupID":                                     `placement: {groupID: pg-1}`,
	"placement.groupName":                                   `placement: {groupName: cluster}`,
	"placement.hostID":                                      `placement: {hostID: h-1}`,
	"placement.hostResourceGroupARN":                        `placement: {hostResourceGroupARN: arn}`,
	"placement.partitionNumber":                             `placement: {partitionNumber: 2}`,
	"placement.tenancy":                                     `placement: {tenancy: dedicated}`,
	"privateDNSNameOptions.enableResourceNameDNSARecord":    `privateDNSNameOptions: {enableResourceNameDNSARecord: true}`,
	"privateDNSNameOptions.enableResourceNameDNSAAAARecord": `privateDNSNameOptions: {enableResourceNameDNSAAAARecord: true}`,
	"privateDNSNameOptions.hostnameType":                    `privateDNSNameOptions: {hostnameType: resource-name}`,
}

// TestMembersExplainedAsCarriedOut holds what is said of the members of fields to what the planner says of an edit of each.
func TestMembersExplainedAsCarriedOut(t *testing.T) {
	crds, err := schema.Load("../../config/crd/bases")
	if err != nil {
		t.Fatal(err)
	}
	for field := range schema.Fields(crds["EC2Instance"]) {
		path, _ := strings.CutPrefix(field.Path, "spec.")
		top, member, isMember := strings.Cut(path, ".")
		inTable := slices.ContainsFunc(Fields(), func(f Field) bool { return f.Name == strings.TrimSuffix(top, schema.Element) })
		said := saidOfChanges(field)
		if !isMember || member == "" || !inTable || len(said) == 0 {
			continue
		}
		edit, ok := members[path]
		if !ok {
			t.Errorf("no edit of %s is tried", path)
			continue
		}
		if got := actionFor(t, edit); !slices.Equal(said, []ec2v1.PlanAction{got}) {
			t.Errorf("an edit of %s takes %s, and its text says %v: %q", path, got, said, field.Schema.Description)
		}
	}
}

// actionFor is what an edit takes on an instance that was launched with one volume and one network interface of which nothing is set.
func actionFor(t *testing.T, edit string) ec2v1.PlanAction {
	t.Helper()
	launched := ec2v1.EC2InstanceSpec{
		BlockDevices: []ec2v1.BlockDevice{{DeviceName: "xvda"}}, NetworkInterfaces: []ec2v1.NetworkInterface{{DeviceIndex: new(int32(0))}},
	}
	spec := ec2v1.EC2InstanceSpec{UpdatePolicy: ec2v1.UpdatePolicy{Allow: ec2v1.UpdateReplace}}
	if err := yaml.UnmarshalStrict([]byte(edit), &spec); err != nil {
		t.Fatal(err)
	}
	i := testInstance(1, cloud.StateRunning)
	interfaceWith(groupA)(&i)
	i.Zone, i.Volumes = "eu-central-1a", []cloud.Volume{{DeviceName: "xvda", ID: "vol-1"}}
	changes := diff(sight{
		spec: &spec, current: &observer.Entry{Instance: i}, groups: []string{groupA},
		intent: &LaunchIntent{Token: i.ClientToken, Hash: hash, Generation: 1, Fields: launchedFields(&launched)},
		readings: map[string]Reading{
			fieldDevices: {Volumes: map[string]cloud.VolumeDetail{"vol-1": {ID: "vol-1", Type: "gp3", IOPS: 3000}}},
			fieldCredits: {Value: creditsStandard},
		},
	})
	if len(changes) != 1 {
		t.Fatalf("%s makes %d changes: %+v", edit, len(changes), changes)
	}
	return changes[0].Action
}
