// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// Until EC2's status checks have results, status tells nothing of them: neither that they are initializing, nor which of
// them are. So the results cost the object one write, two or three minutes after the three that bring it to Running.

// healthSource is where what is known of an instance's status checks and scheduled events comes from.
type healthSource int

const (
	// healthNone: the instance does not run, and has none.
	healthNone healthSource = iota
	// healthUnknown: the instance runs, and nothing is known.
	healthUnknown
	// healthRecorded: nothing was seen yet, and what status recorded of this start of the instance still holds. A new
	// operator knows nothing else at first, and shall not write that it knows nothing.
	healthRecorded
	// healthShown: EC2 shows it.
	healthShown
)

// healthOf tells where the health of the instance that status tells of is known from; told is nil when EC2 shows none.
func healthOf(obj *ec2v1.EC2Instance, told *observer.Entry) healthSource {
	recorded := obj.Status.StatusChecks != nil && cloud.State(obj.Status.State) == cloud.StateRunning
	switch {
	case told == nil && cloud.State(obj.Status.State) != cloud.StateRunning:
		return healthNone
	case told != nil && (told.State != cloud.StateRunning || told.Gone):
		return healthNone
	case told != nil && told.Status != nil:
		return healthShown
	case recorded && (told == nil || sameStart(&obj.Status, told)):
		return healthRecorded
	default:
		return healthUnknown
	}
}

// sameStart tells whether status was recorded of an instance since it was last started. Status keeps whole seconds.
func sameStart(recorded *ec2v1.EC2InstanceStatus, told *observer.Entry) bool {
	return recorded.InstanceID == told.ID && recorded.LaunchTime != nil &&
		recorded.LaunchTime.Truncate(time.Second).Equal(told.LaunchTime.Truncate(time.Second))
}

// reachable is what Reachable says.
func reachable(in Input, told *observer.Entry) State {
	source := healthOf(in.Object, told)
	if told == nil && recordedGone(in) {
		source = healthNone
	}
	switch source {
	case healthNone:
		return condition(metav1.ConditionUnknown, ec2v1.ReasonNotRunning, "The instance does not run")
	case healthShown:
		return reachableBy(told.Status)
	case healthRecorded:
		if c := meta.FindStatusCondition(in.Object.Status.Conditions, ec2v1.ConditionReachable); c != nil {
			return condition(c.Status, c.Reason, c.Message)
		}
	case healthUnknown:
	}
	if in.StatusError != nil && needsHelp(in.StatusError.Class) {
		return condition(metav1.ConditionUnknown, reasonOf(in.StatusError.Class), in.StatusError.Error())
	}
	return noResult
}

// noResult says the same for as long as there is no result, whatever EC2's word for it.
var noResult = condition(metav1.ConditionUnknown, ec2v1.ReasonInitializing, "EC2's status checks have no result yet")

// reachableBy is what the status checks of a running instance say. That of the EBS volumes says nothing of whether the
// instance can be reached.
func reachableBy(s *cloud.InstanceStatus) State {
	var failed []string
	for _, c := range []struct {
		name  string
		check cloud.Check
	}{{"system", s.System}, {"instance", s.Instance}} {
		if c.check.Result == cloud.CheckImpaired {
			failed = append(failed, failedCheck(c.name, c.check))
		}
	}
	switch {
	case len(failed) > 0:
		return condition(metav1.ConditionFalse, ec2v1.ReasonChecksFailed, strings.Join(failed, "; "))
	case !s.Settled():
		return noResult
	case s.System.Result == cloud.CheckOK && s.Instance.Result == cloud.CheckOK:
		return condition(metav1.ConditionTrue, ec2v1.ReasonChecksPassed, "EC2's system and instance status checks pass")
	default:
		return condition(metav1.ConditionUnknown, ec2v1.ReasonInitializing, fmt.Sprintf(
			"EC2's status checks have no result: the system check is %s, the instance check is %s", s.System.Result, s.Instance.Result))
	}
}

// failedCheck tells of one check that fails, as EC2 does.
func failedCheck(name string, c cloud.Check) string {
	text := fmt.Sprintf("EC2's %s status check is %s", name, c.Result)
	if !c.Since.IsZero() {
		text += " since " + c.Since.UTC().Format(time.RFC3339)
	}
	if c.Detail != "" {
		text += ": " + c.Detail
	}
	return text
}
