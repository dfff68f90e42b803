// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// told is where the operator tells that a call fails.
type told int

// The places.
const (
	// byChange: the EC2Instance's Ready, as everywhere, and where EC2 refuses for good, status.plan.
	byChange told = iota + 1
	// byResolution: the EC2Instance's Ready, with a reason of its own for what AWS does not know.
	byResolution
	// byReachable: the EC2Instance's Reachable, and only where somebody has to help: checks that have no result yet look the same.
	byReachable
	// byAccount: the EC2Account's Ready.
	byAccount
)

// callRow is a call that the operator makes, with the least that brings it to making it.
type callRow struct {
	// action is AWS's, and name the row's where there are several of one action.
	action, name string
	// before are the deeds that make the world ready, and measured has the operator make the call.
	before   []deed
	measured deed
	// later is done a little later.
	later deed
	// told is where it tells, if not by the EC2Instance's Ready alone; field is the field of spec that the call is for, and unknown the
	// reason of a resolution that AWS refuses.
	told           told
	field, unknown string
	// byID: only calls that name an instance fail.
	byID bool
	// reads: the SDK repeats the call twice by itself.
	reads bool
	// polled: it is also made at each poll.
	polled bool
	// untilEdited: what is refused for good is tried again only once spec is edited.
	untilEdited bool
	// whileStopped: the instance is stopped for it, so that what takes its time counts as refused for good.
	whileStopped bool
}

// ruleOf is what holds for a class of errors at the call.
func (r *callRow) ruleOf(class cloud.Class) classRule {
	rule := ruleOf(class)
	if r.whileStopped && slices.Contains([]cloud.Class{cloud.ClassCapacity, cloud.ClassQuota, cloud.ClassDependency}, class) {
		rule.stalled = true
	}
	return rule
}

func (r *callRow) String() string {
	if r.name != "" {
		return r.name
	}
	return r.action
}

// callRows are all calls that the operator makes. Each action in controller/cloud has a row.
var callRows = []callRow{
	{action: "RunInstances", measured: asked()},
	{action: "RunInstances", name: "RunInstances, again", before: []deed{asked()}, measured: terminated},
	{action: "StartInstances", before: []deed{asked(), asked(stopped)}, measured: asked(), field: "powerState"},
	{action: "StopInstances", before: []deed{asked()}, measured: asked(stopped), field: "powerState"},
	{
		action: "StopInstances", name: "StopInstances, to change the type", before: []deed{asked()},
		measured: asked(typed("t3.small"), updates(ec2v1.UpdateStopStart)),
	},
	{action: "RebootInstances", before: []deed{asked()}, measured: asked(rebooted)},
	{action: "CancelSpotInstanceRequests", before: []deed{asked(persistentSpot)}, measured: deleted},
	{action: "TerminateInstances", before: []deed{asked()}, measured: deleted},
	{
		action: "TerminateInstances", name: "TerminateInstances, to replace", before: []deed{asked()},
		measured: asked(imaged, updates(ec2v1.UpdateReplace)), told: byChange, field: "image", untilEdited: true,
	},
	{action: "CreateTags", before: []deed{asked(tagged("red"))}, measured: asked(tagged("blue")), field: "tags"},
	{action: "DeleteTags", before: []deed{asked(tagged("red"))}, measured: asked(), field: "tags"},

	{
		action: "ModifyInstanceAttribute", before: []deed{asked()}, measured: asked(func(s *specOf) { s.WithDisableAPITermination(true) }),
		told: byChange, field: "disableAPITermination",
	},
	{
		action: "ModifyInstanceAttribute", name: "ModifyInstanceAttribute, stopped", before: []deed{asked()},
		measured: asked(typed("t3.small"), updates(ec2v1.UpdateStopStart)), told: byChange, field: "instanceType", untilEdited: true, whileStopped: true,
	},
	{action: "ModifyNetworkInterfaceAttribute", before: []deed{asked()}, measured: asked(grouped), told: byChange, field: "securityGroupIDs"},
	{action: "ModifyInstanceMetadataOptions", before: []deed{asked()}, measured: asked(withHops), told: byChange, field: "metadataOptions"},
	{action: "MonitorInstances", before: []deed{asked()}, measured: asked(monitored(true)), told: byChange, field: "monitoring"},
	{action: "UnmonitorInstances", before: []deed{asked(monitored(true))}, measured: asked(monitored(false)), told: byChange, field: "monitoring"},
	{
		action: "ModifyInstanceMaintenanceOptions", before: []deed{asked()}, told: byChange, field: "maintenance",
		measured: asked(func(s *specOf) { s.WithMaintenance(ec2v1ac.Maintenance().WithAutoRecovery("disabled")) }),
	},
	{
		action: "ModifyPrivateDnsNameOptions", before: []deed{asked()}, told: byChange, field: "privateDNSNameOptions",
		measured: asked(func(s *specOf) {
			s.WithPrivateDNSNameOptions(ec2v1ac.PrivateDNSNameOptions().WithEnableResourceNameDNSARecord(true))
		}),
	},
	{action: "ModifyInstanceCreditSpecification", before: []deed{asked()}, measured: asked(credited), told: byChange, field: "creditSpecification"},
	{
		action: "ModifyInstancePlacement", before: []deed{asked()}, told: byChange, field: "placement", untilEdited: true, whileStopped: true,
		measured: asked(updates(ec2v1.UpdateStopStart), func(s *specOf) { s.WithPlacement(ec2v1ac.Placement().WithGroupName(ec2sim.GroupSpread)) }),
	},
	{
		action: "ModifyInstanceCapacityReservationAttributes", before: []deed{asked()}, told: byChange, field: "capacityReservation", untilEdited: true, whileStopped: true,
		measured: asked(updates(ec2v1.UpdateStopStart), func(s *specOf) { s.WithCapacityReservation(ec2v1ac.CapacityReservation().WithPreference("none")) }),
	},
	{
		action: "ModifyInstanceCpuOptions", before: []deed{asked(typed(ec2sim.TypeWithCores))}, told: byChange, field: "cpuOptions", untilEdited: true, whileStopped: true,
		measured: asked(updates(ec2v1.UpdateStopStart), typed(ec2sim.TypeWithCores), func(s *specOf) {
			s.WithCPUOptions(ec2v1ac.CPUOptions().WithCoreCount(2).WithThreadsPerCore(1))
		}),
	},
	{action: "ModifyVolume", before: []deed{asked(sized(10))}, measured: asked(sized(20)), told: byChange, field: "blockDevices"},

	{
		action: "AssociateIamInstanceProfile", before: []deed{asked()}, measured: asked(profiled(ec2sim.InstanceProfileName)),
		told: byChange, field: "iamInstanceProfile",
	},
	{
		action: "ReplaceIamInstanceProfileAssociation", before: []deed{asked(profiled(ec2sim.InstanceProfileName))},
		measured: asked(profiled(ec2sim.OtherInstanceProfileName)), told: byChange, field: "iamInstanceProfile",
	},
	{
		action: "DisassociateIamInstanceProfile", before: []deed{asked(stopped, profiled(ec2sim.InstanceProfileName))},
		measured: asked(stopped, profiled(ec2sim.OtherInstanceProfileName)), told: byChange, field: "iamInstanceProfile",
	},
	{
		action: "DescribeIamInstanceProfileAssociations", before: []deed{asked()}, measured: asked(profiled(ec2sim.InstanceProfileName)),
		told: byChange, field: "iamInstanceProfile", reads: true,
	},

	{action: "DescribeInstances", before: []deed{asked()}, measured: restarted, told: byAccount, reads: true, polled: true},
	{
		action: "DescribeInstances", name: "DescribeInstances, a new object", measured: atOnce(restarted, asked()), reads: true, polled: true,
	},
	{
		action: "DescribeInstances", name: "DescribeInstances, a launch unanswered and spec changed",
		measured: atOnce(losesLaunches, asked()), later: asked(imaged), told: byAccount, reads: true, polled: true,
	},
	{action: "DescribeInstances", name: "DescribeInstances, by id", before: []deed{asked()}, measured: goneMeanwhile, byID: true, reads: true},
	{action: "DescribeInstanceStatus", measured: asked(), told: byReachable, reads: true, polled: true},
	{
		action: "DescribeInstanceAttribute", before: []deed{asked()}, measured: asked(func(s *specOf) { s.WithShutdownBehavior("terminate") }),
		field: "shutdownBehavior", reads: true,
	},
	{action: "DescribeInstanceCreditSpecifications", before: []deed{asked()}, measured: asked(credited), field: "creditSpecification", reads: true},
	{action: "DescribeVolumes", before: []deed{asked(sized(10))}, measured: asked(sized(20)), field: "blockDevices", reads: true},
	{
		action: "DescribeLaunchTemplateVersions", told: byResolution, unknown: ec2v1.ReasonDependencyNotReady, reads: true,
		measured: asked(func(s *specOf) { s.WithLaunchTemplate(ec2v1ac.LaunchTemplate().WithName(ec2sim.TemplateName)) }),
	},
	{
		action: "GetParameter", told: byResolution, unknown: ec2v1.ReasonImageNotFound, reads: true,
		measured: asked(func(s *specOf) { s.WithImage(ec2v1ac.Image().WithSSMParameter(ec2sim.ParameterAL2023)) }),
	},
	{action: "GetCallerIdentity", before: []deed{asked()}, measured: restarted, told: byAccount, reads: true},
}

func monitored(on bool) func(*specOf) { return func(s *specOf) { s.WithMonitoring(on) } }

func credited(s *specOf) {
	s.WithCreditSpecification(ec2v1ac.CreditSpecification().WithCPUCredits("standard"))
}

func sized(gib int32) func(*specOf) {
	return func(s *specOf) {
		s.WithBlockDevices(ec2v1ac.BlockDevice().WithDeviceName("/dev/xvda").WithSizeGiB(gib).WithType("gp3"))
	}
}

// losesLaunches: answers to launches are lost, until all faults are lifted.
func losesLaunches(w *world) error {
	_, err := w.ec2.Inject(ec2sim.Fault{Action: "RunInstances", Drop: ec2sim.DropAfter})
	return err
}

// restarted: another operator takes over.
func restarted(w *world) error {
	for _, o := range w.alive() {
		o.crash()
	}
	return nil
}

// goneMeanwhile: while no operator runs, the instance is terminated, and EC2 forgets it.
func goneMeanwhile(w *world) error {
	if err := restarted(w); err != nil {
		return err
	}
	if err := terminated(w); err != nil {
		return err
	}
	w.sleep(2 * time.Hour)
	return nil
}
