// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// Field is a field of spec that says what the instance is: what a change of it takes, how it compares, and how EC2 is brought to
// it. The table of all fields is the one place that knows this; the planner, status.plan and the page on EC2Instance come from it.
type Field struct {
	// Name of the field in spec.
	Name string
	// Action is what a change takes. A part of a field may take more; then status.plan says so.
	Action ec2v1.PlanAction
	// Reported tells where EC2 tells the field's value.
	Reported Reported
	// compare compares spec with EC2; nil where the field has a step of its own.
	compare func(sight) difference
	// isSet tells of a field that EC2 tells apart whether spec sets it: only then it is read. attribute is what it is read from, if
	// it is an attribute of the instance.
	isSet     func(*ec2v1.EC2InstanceSpec) bool
	attribute cloud.Attribute
}

// Reported is where EC2 tells the value of a field.
type Reported string

// Where EC2 tells values.
const (
	// ReportedInList: in each list of instances, so drift is seen within a poll.
	ReportedInList Reported = "list"
	// ReportedApart: by a call of its own for each instance, made when spec has changed and at a slow interval.
	ReportedApart Reported = "apart"
	// ReportedNever: not at all; it is compared with what the instance was launched with.
	ReportedNever Reported = "never"
)

// sight is what a field is compared in.
type sight struct {
	spec    *ec2v1.EC2InstanceSpec
	intent  *LaunchIntent
	current *observer.Entry
	// groups are the security groups that are ours on the instance.
	groups []string
	// readings of the instance.
	readings map[string]Reading
}

// launched tells whether the instance is that of the launch intent, and this tells what it was launched with.
func (s sight) launched() bool { return s.intent.launches() && s.intent.Token == s.current.ClientToken }

// difference is how a field differs; the zero value is not at all. EC2 does not say what it was not asked for, so a field that is
// not set in spec never differs.
type difference struct {
	differs bool
	// desired is spec's value, current EC2's.
	desired, current string
	// action is what it takes where that is more, or less, than the field's own.
	action ec2v1.PlanAction
	// modification is the call that comes next; nil where no call changes it on an existing instance, or only the pass can make it.
	modification cloud.Modification
	// identity stands for what is desired where desired does not.
	identity string
	// impossible says why nothing can bring EC2 to spec.
	impossible string
	// lesser is the part of it that takes less: what is done where policy does not allow the whole, or EC2 refuses it.
	lesser *difference
}

// over joins what takes the field's own action with what takes a lesser one.
func (d difference) over(rest difference, action ec2v1.PlanAction) difference {
	if !rest.differs {
		return d
	}
	rest.action = action
	if !d.differs {
		return rest
	}
	d.desired, d.current = appended(d.desired, rest.desired), appended(d.current, rest.current)
	d.lesser = &rest
	return d
}

const fieldPower = "powerState"

// fields is the table of all fields, in the order in which changes are carried out: what makes the instance safer comes first.
// What a change takes is EC2's rule (User Guide, "Change the instance type", "Work with instance user data" and the sections on
// each attribute; API reference of each call).
var fields = []Field{
	byItself(fieldPower, ec2v1.PlanActionInPlace),
	{Name: "rebootRequestedAt", Action: ec2v1.PlanActionInPlace, Reported: ReportedNever},
	listed(fieldGroups, ec2v1.PlanActionInPlace, compareGroups),
	listed("metadataOptions", ec2v1.PlanActionInPlace, compareMetadataOptions),
	listed("iamInstanceProfile", ec2v1.PlanActionInPlace, compareProfile),
	toldApart("disableAPITermination", ec2v1.PlanActionInPlace, cloud.AttributeDisableAPITermination,
		func(s *ec2v1.EC2InstanceSpec) bool { return s.DisableAPITermination != nil },
		compareProtection(func(s *ec2v1.EC2InstanceSpec) *bool { return s.DisableAPITermination },
			func(on bool) cloud.Modification { return cloud.DisableAPITermination{On: on} })),
	toldApart("disableAPIStop", ec2v1.PlanActionInPlace, cloud.AttributeDisableAPIStop,
		func(s *ec2v1.EC2InstanceSpec) bool { return s.DisableAPIStop != nil },
		compareProtection(func(s *ec2v1.EC2InstanceSpec) *bool { return s.DisableAPIStop },
			func(on bool) cloud.Modification { return cloud.DisableAPIStop{On: on} })),
	toldApart("shutdownBehavior", ec2v1.PlanActionInPlace, cloud.AttributeShutdownBehavior,
		func(s *ec2v1.EC2InstanceSpec) bool { return s.ShutdownBehavior != "" }, compareShutdownBehavior),
	listed("sourceDestCheck", ec2v1.PlanActionInPlace, compareSourceDestCheck),
	listed("monitoring", ec2v1.PlanActionInPlace, compareMonitoring),
	listed("maintenance", ec2v1.PlanActionInPlace, compareMaintenance),
	toldApart(fieldCredits, ec2v1.PlanActionInPlace, "", func(s *ec2v1.EC2InstanceSpec) bool { return s.CreditSpecification != nil }, compareCredits),
	byItself(fieldTags, ec2v1.PlanActionInPlace),
	listed("privateDNSNameOptions", ec2v1.PlanActionInPlace, compareDNSNames),
	listed("instanceType", ec2v1.PlanActionStopStart, compareInstanceType),
	listed("cpuOptions", ec2v1.PlanActionStopStart, compareCPUOptions),
	listed("ebsOptimized", ec2v1.PlanActionStopStart, compareEBSOptimized),
	listed("placement", ec2v1.PlanActionStopStart, comparePlacement),
	listed("capacityReservation", ec2v1.PlanActionStopStart, compareCapacityReservation),
	toldApart(fieldUserData, ec2v1.PlanActionStopStart, cloud.AttributeUserData,
		func(s *ec2v1.EC2InstanceSpec) bool { return s.UserData != nil }, compareUserData),
	launchedOnly("launchTemplate", compareTemplate),
	listed("image", ec2v1.PlanActionReplace, compareImage),
	listed("subnetID", ec2v1.PlanActionReplace, compareSubnet),
	listed("privateIPAddress", ec2v1.PlanActionReplace, comparePrivateIP),
	launchedOnly("ipv6AddressCount", launchedWith("ipv6AddressCount")),
	launchedOnly("associatePublicIPAddress", launchedWith("associatePublicIPAddress")),
	listed(fieldInterfaces, ec2v1.PlanActionReplace, compareInterfaces),
	toldApart(fieldDevices, ec2v1.PlanActionReplace, "", func(s *ec2v1.EC2InstanceSpec) bool { return len(s.BlockDevices) > 0 }, compareDevices),
	listed("keyName", ec2v1.PlanActionReplace, compareKeyName),
	listed(fieldMarket, ec2v1.PlanActionReplace, compareMarket),
	listed("hibernation", ec2v1.PlanActionReplace, compareHibernation),
	listed("enclave", ec2v1.PlanActionReplace, compareEnclave),
	launchedOnly("licenses", launchedWith("licenses")),
}

// launchedOnly is a field that EC2 does not tell, and that a launch alone can set.
func launchedOnly(name string, compare func(sight) difference) Field {
	return Field{Name: name, Action: ec2v1.PlanActionReplace, Reported: ReportedNever, compare: compare}
}

// byItself is a field with a step of its own.
func byItself(name string, action ec2v1.PlanAction) Field {
	return Field{Name: name, Action: action, Reported: ReportedInList}
}

// listed is a field that EC2's lists tell.
func listed(name string, action ec2v1.PlanAction, compare func(sight) difference) Field {
	return Field{Name: name, Action: action, Reported: ReportedInList, compare: compare}
}

// toldApart is a field that EC2 tells by a call of its own, of an attribute if one is named. Until it is read, nothing is known to
// differ.
func toldApart(
	name string, action ec2v1.PlanAction, attribute cloud.Attribute, isSet func(*ec2v1.EC2InstanceSpec) bool,
	compare func(sight, Reading) difference,
) Field {
	return Field{
		Name: name, Action: action, Reported: ReportedApart, attribute: attribute, isSet: isSet,
		compare: func(s sight) difference {
			r, ok := s.readings[name]
			if !ok || !isSet(s.spec) {
				return difference{}
			}
			return compare(s, r)
		},
	}
}

// Fields returns the table of all fields that say what the instance is.
func Fields() []Field { return slices.Clone(fields) }

// Change is one difference between spec and EC2.
type Change struct {
	Field, Current, Desired string
	Action                  ec2v1.PlanAction
	State                   ec2v1.PlanState
	Message                 string
	// modification is the call that comes next, if a call is what it takes; identity stands for what is desired where Desired does not.
	modification cloud.Modification
	identity     string
	// lesser is the part of the change that takes less than the whole; it is made apart where the whole has a call, too, so that what
	// became of that is not forgotten.
	lesser *Change
	apart  bool
}

// step is that of the call.
func (c Change) step() Step {
	if c.apart {
		return modifying(c.Field) + stepApart
	}
	return modifying(c.Field)
}

// needs tells whether the change is to be carried out by a step of this kind.
func (c Change) needs(action ec2v1.PlanAction) bool {
	return c.State == ec2v1.PlanStatePending && c.Action == action
}

// diff lists where a live instance differs from spec, in the order of the table, and what policy allows to be done about it.
func diff(s sight) []Change {
	var changes []Change
	for _, f := range fields {
		allowance := allowanceOf(s.spec, f.Name)
		if f.compare == nil || allowance == ec2v1.UpdateIgnore {
			continue
		}
		if d := f.compare(s); d.differs {
			changes = append(changes, s.change(f, d))
		}
	}
	return changes
}

// change is what a difference takes, and what policy says to it: of one that is blocked as a whole the lesser part goes first.
func (s sight) change(f Field, d difference) Change {
	allowance := allowanceOf(s.spec, f.Name)
	c := Change{
		Field: f.Name, Current: d.current, Desired: d.desired, Action: f.Action, State: ec2v1.PlanStatePending,
		modification: d.modification, identity: d.identity,
	}
	if d.action != "" {
		c.Action = d.action
	}
	if d.lesser != nil {
		c.lesser = new(s.change(f, *d.lesser))
		c.lesser.apart = d.modification != nil
	}
	switch {
	case d.impossible != "":
		c.Action, c.State, c.Message, c.modification = ec2v1.PlanActionNone, ec2v1.PlanStateBlocked, d.impossible, nil
	case !allows(allowance, c.Action):
		c.State, c.Message, c.modification = ec2v1.PlanStateBlocked, wayOut(f.Name, c.Action), nil
	case c.Action == ec2v1.PlanActionStopStart && leavesPower(s.spec) && s.current.State != cloud.StateStopped:
		c.State, c.Message, c.modification = ec2v1.PlanStateBlocked, stopByOthers, nil
	}
	if c.State == ec2v1.PlanStateBlocked {
		return c.lesserFirst()
	}
	return c
}

// lesserFirst is the lesser part of a change that does not take place as a whole, where that part does; what is in the way of the rest
// is told with it.
func (c Change) lesserFirst() Change {
	if c.lesser == nil || c.lesser.State != ec2v1.PlanStatePending {
		return c
	}
	lesser := *c.lesser
	lesser.Message = "the rest " + c.Message
	return lesser
}

// stopByOthers says what would carry a change out for which nobody but others may stop the instance.
const stopByOthers = "needs the instance stopped, which the override for powerState leaves to others: stop it, or drop the override"

// wayOut says what would carry a change out that policy does not allow.
func wayOut(field string, action ec2v1.PlanAction) string {
	takes := map[ec2v1.PlanAction]string{
		ec2v1.PlanActionInPlace:   "can be changed at any time",
		ec2v1.PlanActionStopStart: "needs the instance stopped and started again",
		ec2v1.PlanActionReplace:   "needs a new instance in place of this one",
	}[action]
	return takes + ", which updatePolicy does not allow: set updatePolicy.allow, or the override for " + field + ", to " +
		string(action) + ", or take the edit back"
}

// namesOf joins the names of the fields that are to be changed by a step of this kind.
func namesOf(changes []Change, action ec2v1.PlanAction) string {
	var names []string
	for _, c := range changes {
		if c.needs(action) {
			names = append(names, c.Field)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
