// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// maxMessage is the longest message that our own fields take (api/v1); metav1.Condition takes more.
const maxMessage = 1024

// buildStatus builds the whole status from scratch: what EC2 shows, or what is recorded while EC2 shows
// nothing, and what the plan says.
func buildStatus(obj *ec2v1.EC2Instance, cluster string, p Plan, now time.Time) *ec2v1ac.EC2InstanceStatusApplyConfiguration {
	record := asRecorded(obj)
	known := recorded(&record.Status)
	if p.Instance != nil {
		known = observed(&p.Instance.Instance)
		switch {
		case p.Instance.Gone:
			known.WithState(string(cloud.StateTerminated))
		case obj.DeletionTimestamp != nil && p.Instance.State == cloud.StateShuttingDown:
			// EC2 takes addresses and names away one by one while an instance ends: no news to anybody.
			known = recorded(&record.Status).WithState(string(p.Instance.State))
		}
		if known.State != nil && *known.State == string(cloud.StateTerminated) {
			known = ended(known, &record.Status)
		}
	}
	if launch := launchStatus(record, cluster, p); launch != nil {
		known.WithLaunch(launch)
	}
	if checks := statusChecks(record, p.Instance); checks != nil {
		known.WithStatusChecks(checks)
	}
	if rebooted := cmp.Or(p.Rebooted, record.Status.LastRebootTime); rebooted != nil {
		known.WithLastRebootTime(*rebooted)
	}
	return known.
		WithScheduledEvents(scheduledEvents(record, p.Instance)...).
		WithObservedGeneration(obj.Generation).
		WithConditions(conditions(obj, p.Verdict, now)...).
		WithManagedTagKeys(p.ManagedTagKeys...).
		WithManagedSecurityGroupIDs(p.ManagedGroups...).
		WithPlan(plannedChanges(p.Changes)...)
}

// launchStatus tells the launch that the instance came from, or else the one that is under way.
func launchStatus(obj *ec2v1.EC2Instance, cluster string, p Plan) *ec2v1ac.LaunchStatusApplyConfiguration {
	intent := cmp.Or(p.Intent, intentOf(obj, cluster))
	if intent != nil && intent.For != "" {
		intent = nil // It is no launch.
	}
	recorded := obj.Status.Launch
	switch {
	case p.Instance == nil && (intent == nil || obj.Status.InstanceID != ""):
		return recordedLaunch(recorded)
	case p.Instance == nil || (intent != nil && intent.Token == p.Instance.ClientToken):
		return ec2v1ac.LaunchStatus().WithAttempt(intent.Attempt).WithClientToken(intent.Token).WithAt(intent.At).WithReason(intent.Reason)
	case recorded != nil && recorded.ClientToken == p.Instance.ClientToken:
		return recordedLaunch(recorded)
	default:
		out := ec2v1ac.LaunchStatus().WithClientToken(p.Instance.ClientToken).WithAt(metav1.NewTime(p.Instance.LaunchTime))
		if p.Attempt > 0 {
			out.WithAttempt(p.Attempt)
		}
		return out
	}
}

func recordedLaunch(r *ec2v1.LaunchStatus) *ec2v1ac.LaunchStatusApplyConfiguration {
	if r == nil {
		return nil
	}
	out := ec2v1ac.LaunchStatus()
	setText(r.ClientToken, out.WithClientToken)
	setText(r.Reason, out.WithReason)
	if r.Attempt > 0 {
		out.WithAttempt(r.Attempt)
	}
	if r.At != nil {
		out.WithAt(*r.At)
	}
	return out
}

// ourConditions are the types of condition that this reconciler applies.
var ourConditions = []string{
	ec2v1.ConditionReady, ec2v1.ConditionLaunched, ec2v1.ConditionSynced, ec2v1.ConditionReachable, ec2v1.ConditionReconciling,
	ec2v1.ConditionStalled, ec2v1.ConditionContested,
}

// conditions builds the conditions; one whose status is unchanged keeps its transition time.
func conditions(obj *ec2v1.EC2Instance, v Verdict, now time.Time) []*metav1ac.ConditionApplyConfiguration {
	states := []struct {
		name  string
		state *State
	}{
		{ec2v1.ConditionReady, &v.Ready},
		{ec2v1.ConditionLaunched, &v.Launched},
		{ec2v1.ConditionSynced, &v.Synced},
		{ec2v1.ConditionReachable, &v.Reachable},
		{ec2v1.ConditionReconciling, v.Reconciling},
		{ec2v1.ConditionStalled, v.Stalled},
		{ec2v1.ConditionContested, v.Contested},
	}
	var out []*metav1ac.ConditionApplyConfiguration
	for _, s := range states {
		if s.state == nil {
			continue
		}
		out = append(out, apply.Condition(obj.Status.Conditions, metav1.Condition{
			Type: s.name, Status: s.state.Status, Reason: s.state.Reason, Message: shortened(s.state.Message), ObservedGeneration: obj.Generation,
		}, now))
	}
	return out
}

func plannedChanges(changes []Change) []*ec2v1ac.PlannedChangeApplyConfiguration {
	out := make([]*ec2v1ac.PlannedChangeApplyConfiguration, 0, len(changes))
	for _, c := range changes {
		planned := ec2v1ac.PlannedChange().WithField(c.Field).WithAction(c.Action).WithState(c.State)
		setText(c.Current, planned.WithCurrent)
		setText(c.Desired, planned.WithDesired)
		setText(c.Message, planned.WithMessage)
		out = append(out, planned)
	}
	return out
}

// setText sets a field that is left out when it is empty.
func setText[T any](value string, set func(string) T) {
	if value != "" {
		set(shortened(value))
	}
}

// shortened cuts a text to maxMessage bytes, at a rune's end.
func shortened(s string) string {
	const ellipsis = "…"
	if len(s) <= maxMessage {
		return s
	}
	cut := maxMessage - len(ellipsis)
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + ellipsis
}

// addressesOf are the addresses that a Service would use.
func addressesOf(i *cloud.Instance) []string {
	addresses := slices.Clone(i.IPv6)
	if i.PrivateIP != "" {
		addresses = append(addresses, i.PrivateIP)
	}
	slices.Sort(addresses)
	return slices.Compact(addresses)
}
