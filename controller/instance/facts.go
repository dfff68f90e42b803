// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"cmp"
	"slices"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// attemptsAround is how many attempts before and beyond the one that the object knows of are taken for ours:
// after etcd was restored from a backup EC2 may be that many launches ahead of the object, and what EC2 still
// shows of earlier ones is less than an hour old. It is bounded because the attempt is read from the object. Attempts for which EC2
// had no capacity add up fast, and may put more of them between two instances: each was begun when the ones before it had no instance,
// or EC2 showed its end, so none of an attempt that far back is wanted; and EC2 shows an instance ahead with the object's uid.
const attemptsAround = 32

// facts is what follows from an Input before any choice is made.
type facts struct {
	object *ec2v1.EC2Instance
	// intent that holds, or nil.
	intent *LaunchIntent
	// current is the object's live instance, or nil.
	current *observer.Entry
	// overtaken: a live instance is of an attempt before the one whose instance is recorded, and EC2 does not show that one.
	overtaken bool
	// surplus are further live instances that bear a token of ours.
	surplus []observer.Entry
	// last is the instance of the latest attempt that is shutting down or gone, when none is live.
	last *observer.Entry
	// attempt is the latest attempt that anything knows of; 0 is none.
	attempt int64
	// consumed: the intent's attempt has had its instance, which is gone or going.
	consumed bool
	// tokens that we derive for the object, with their attempts.
	tokens map[string]int64
	// launchedHere is the instance that this process has launched last, and launchedKeys are the keys of its tags that are ours.
	launchedHere string
	launchedKeys []string
	// reachable is what EC2's status checks say of the instance.
	reachable State
}

// learn sorts out what the observer knows.
func learn(in Input) facts {
	f := facts{object: in.Object, intent: intentOf(in.Object, in.Cluster), launchedHere: in.Memory.Launched, launchedKeys: in.Memory.LaunchedKeys}
	known := knownAttempt(in.Object, f.intent)
	f.attempt = known
	f.tokens = tokensOf(in.Cluster, in.Object, known)

	live, doomed := f.split(in)
	f.current = preferred(live, in.Object.Status.InstanceID)
	if f.current == nil {
		f.current = f.adopted(in)
	}
	if f.current != nil && f.outdated(in, *f.current) {
		f.current, f.overtaken = nil, true
	}
	for _, e := range live {
		attempt, ours := f.tokens[e.ClientToken]
		f.attempt = max(f.attempt, attempt)
		if f.current != nil && e.ID != f.current.ID && ours {
			f.surplus = append(f.surplus, e)
		}
	}
	if f.current == nil {
		f.last = latest(doomed, f.tokens)
		f.consumed = consumed(in, f, doomed, known)
	}
	for _, e := range doomed {
		f.attempt = max(f.attempt, f.tokens[e.ClientToken])
	}
	f.reachable = reachable(in, f.told())
	return f
}

func knownAttempt(obj *ec2v1.EC2Instance, intent *LaunchIntent) int64 {
	var attempt int64
	if intent != nil {
		attempt = intent.Attempt
	}
	if obj.Status.Launch != nil {
		attempt = max(attempt, obj.Status.Launch.Attempt)
	}
	return attempt
}

// tokensOf returns the client tokens that we derive for the object's attempts around one, with their attempts.
func tokensOf(cluster string, obj *ec2v1.EC2Instance, around int64) map[string]int64 {
	tokens := map[string]int64{}
	for attempt := max(1, around-attemptsAround); attempt > 0 && attempt-around <= attemptsAround; attempt++ {
		tokens[cloud.ClientToken(cluster, obj.UID, attempt)] = attempt
	}
	return tokens
}

// split returns the entries that are this object's: those that bear its uid, or a token that we derive for it, and the one that it has
// taken over. What status says alone makes nothing ours. Entries come sorted by launch time.
func (f facts) split(in Input) (live, doomed []observer.Entry) {
	for _, e := range in.Entries {
		if _, ours := f.tokens[e.ClientToken]; !ours && e.OwnedBy.UID != in.Object.UID && !f.hasTakenOver(in, &e) {
			continue
		}
		if e.State.Live() && !e.Gone {
			live = append(live, e)
		} else {
			doomed = append(doomed, e)
		}
	}
	return live, doomed
}

// preferred is the recorded instance where it lives, else the oldest.
func preferred(live []observer.Entry, recorded string) *observer.Entry {
	if len(live) == 0 {
		return nil
	}
	if i := slices.IndexFunc(live, func(e observer.Entry) bool { return e.ID == recorded }); i >= 0 {
		return &live[i]
	}
	return &live[0]
}

// outdated tells whether a live instance is of an attempt before the one whose instance status records and EC2 has not
// shown here yet: that one was begun when somebody saw this one's end.
func (f facts) outdated(in Input, e observer.Entry) bool {
	status := in.Object.Status
	attempt, ours := f.tokens[e.ClientToken]
	if !ours || status.InstanceID == "" || status.Launch == nil || attempt >= status.Launch.Attempt || recordedGone(in) {
		return false
	}
	return !slices.ContainsFunc(in.Entries, func(e observer.Entry) bool { return e.ID == status.InstanceID })
}

// latest is the doomed instance of the highest attempt.
func latest(doomed []observer.Entry, tokens map[string]int64) *observer.Entry {
	if len(doomed) == 0 {
		return nil
	}
	e := slices.MaxFunc(doomed, func(a, b observer.Entry) int {
		return cmp.Compare(tokens[a.ClientToken], tokens[b.ClientToken])
	})
	return &e
}

// consumed tells whether the latest attempt that the object knows of has had its instance: EC2 shows it doomed, or that of a
// later one, says so of its token, or the instance that status recorded for it is gone.
func consumed(in Input, f facts, doomed []observer.Entry, known int64) bool {
	if slices.ContainsFunc(doomed, func(e observer.Entry) bool { return f.tokens[e.ClientToken] >= max(1, known) }) {
		return true
	}
	if f.intent == nil {
		return in.Object.Status.InstanceID != ""
	}
	if f.intent.For != "" {
		return f.lost(in) == ""
	}
	return in.Memory.Terminated == f.intent.Token || recordedFor(in.Object, f.intent) && recordedGone(in)
}

// recordedFor tells whether status.instanceID is the instance of the intent's attempt, or may be. It is of a later one where somebody
// has put an old copy of the annotation back.
func recordedFor(obj *ec2v1.EC2Instance, intent *LaunchIntent) bool {
	if intent != nil && intent.For != "" {
		return true
	}
	if obj.Status.InstanceID == "" {
		return false
	}
	return intent == nil || obj.Status.Launch == nil || obj.Status.Launch.Attempt >= intent.Attempt
}

// recordedID is the instance that status records, or the one that the intent stands for, unless status tells of a later launch.
func (f facts) recordedID() string {
	s := f.object.Status
	later := s.InstanceID != "" && s.Launch != nil && f.intent != nil && s.Launch.Attempt > f.intent.Attempt
	if f.intent == nil || f.intent.For == "" || later {
		return s.InstanceID
	}
	return f.intent.For
}

// gone tells whether that one is known to be gone.
func (f facts) gone(in Input) bool {
	if id := f.recordedID(); id != in.Object.Status.InstanceID {
		return in.Memory.Gone == id
	}
	return recordedGone(in)
}

// recordedGone tells whether the recorded instance is known to be gone.
func recordedGone(in Input) bool {
	return in.Memory.Gone == in.Object.Status.InstanceID || cloud.State(in.Object.Status.State) == cloud.StateTerminated
}

// lost returns the id of the object's instance when EC2's lists do not show it, or no longer do, and it is not
// known to be gone; else "".
func (f facts) lost(in Input) string {
	if f.current != nil {
		return f.vanished(in)
	}
	id, gone := f.recordedID(), f.gone(in)
	if f.last != nil && outOfSight(*f.last) && (f.last.ID != id || !gone) {
		return f.last.ID
	}
	if gone || !recordedFor(in.Object, f.intent) && !f.overtaken {
		return ""
	}
	i := slices.IndexFunc(in.Entries, func(e observer.Entry) bool { return e.ID == id })
	if i < 0 || outOfSight(in.Entries[i]) {
		return id
	}
	return ""
}

// outOfSight tells whether EC2 has ceased to show an instance before it was terminated.
func outOfSight(e observer.Entry) bool {
	return !e.Missing.IsZero() && !e.Gone && e.State != cloud.StateTerminated
}

// vanished returns the live instance's id when EC2 has ceased to show it. A young one may just not show yet,
// and the observer goes on looking for it.
func (f facts) vanished(in Input) string {
	if f.current.Missing.IsZero() || f.untilVanished(in) > 0 {
		return ""
	}
	return f.current.ID
}

// untilVanished is how much longer EC2 may take to show the live instance; zero while it shows it.
func (f facts) untilVanished(in Input) time.Duration {
	if f.current.Missing.IsZero() {
		return 0
	}
	return max(0, f.launchedAt().Add(consistencyWindow).Sub(in.Now))
}

// untilSettled is how long it takes until the states of all live instances are known for certain: what EC2 was asked for before that, and
// has not answered since, is not.
func (f facts) untilSettled(in Input) time.Duration {
	latest, described := f.current.LaunchTime, f.current.Described
	for _, e := range f.surplus {
		if e.LaunchTime.After(latest) {
			latest = e.LaunchTime
		}
		if e.Described.Before(described) {
			described = e.Described
		}
	}
	settled := latest.Add(consistencyWindow)
	switch {
	case in.Now.Before(settled):
		return settled.Sub(in.Now)
	case described.Before(settled):
		return settle
	default:
		return 0
	}
}

// shuttingDown tells whether EC2 shows the latest instance on its way to terminated.
func (f facts) shuttingDown() bool {
	return f.last != nil && f.last.State == cloud.StateShuttingDown && f.last.Missing.IsZero() && !f.last.Gone
}

// endsYet tells whether that one is the latest attempt's, so that the next one waits for its end.
func (f facts) endsYet() bool { return f.shuttingDown() && (f.consumed || f.intent == nil) }

// lastLaunchPossible is the latest moment at which anybody can have asked EC2 to launch for an object that is
// being deleted: nobody starts to once it is, and a call that was under way has its deadline.
func (f facts) lastLaunchPossible() time.Time {
	return f.object.DeletionTimestamp.Add(cloud.LaunchTimeout)
}

// plan starts a plan that leaves everything as it is.
func (f facts) plan() Plan {
	p := Plan{ManagedTagKeys: f.ourTags(f.told()), ManagedGroups: f.object.Status.ManagedSecurityGroupIDs, Instance: f.told()}
	if p.Instance != nil {
		p.Attempt = f.tokens[p.Instance.ClientToken]
	}
	return p
}

// told is the instance that status tells of, or nil when EC2 shows none: then status stays with what it told before.
func (f facts) told() *observer.Entry {
	switch {
	case f.current != nil:
		return f.current
	case f.last != nil && f.last.ID == f.object.Status.InstanceID:
		return f.last
	default:
		return nil
	}
}
