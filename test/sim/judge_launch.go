// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// consistencyWindow is how long EC2 may hide what it has accepted: its guide to eventual consistency says up to five minutes.
const consistencyWindow = 5 * time.Minute

// intent is the part of a launch intent that is judged.
type intent struct {
	UID     types.UID `json:"uid"`
	For     string    `json:"for"`
	Attempt int64     `json:"attempt"`
	Token   string    `json:"token"`
	Hash    string    `json:"hash"`
	Holder  string    `json:"holder"`
}

// intentIn reads an object's launch intent; nil when it has none, or one that is not its own.
func (j *judge) intentIn(obj *ec2v1.EC2Instance) *intent {
	out := &intent{}
	if json.Unmarshal([]byte(obj.Annotations[ec2v1.AnnotationLaunch]), out) != nil {
		return nil
	}
	if out.UID != obj.UID || (out.Attempt < 1 && out.For == "") || out.Token != cloud.ClientToken(j.cluster, obj.UID, out.Attempt) {
		return nil
	}
	return out
}

// attempt is one launch attempt, as it became known.
type attempt struct {
	intent

	// intended is when its intent was written, by a process.
	intended time.Time
	writer   string
	// form is what RunInstances was told, and pass in which pass it was last sent, by process.
	form string
	pass map[string]int
	// outstanding are requests that nobody has an answer to, the latest of unanswered; refused: the writer has been answered with a
	// refusal.
	outstanding int
	unanswered  time.Time
	refused     bool
	// seen are the processes that have seen the intent, and before those that had when it was written anew.
	seen, before map[string]bool
}

// launches are all attempts.
type launches struct {
	byToken map[string]*attempt
	latest  map[types.UID]*attempt
	// tampered are objects whose intent or finalizer somebody else has taken away or changed: then some promises are off.
	tampered map[types.UID]bool
	// keyless are objects whose intent somebody else has taken away or changed before a status told of the instance: what says which
	// of the launch's tags are the operator's is gone.
	keyless map[types.UID]bool
	// erased are objects from which somebody else has taken intent and finalizer at once, before a status told of the launch: nothing
	// in the API server tells them from new ones.
	erased map[types.UID]bool
	// left are objects that are gone, with the policy that left their instance.
	left map[types.UID]ec2v1.DeletionPolicy
}

func newLaunches() launches {
	return launches{
		byToken: map[string]*attempt{}, latest: map[types.UID]*attempt{}, tampered: map[types.UID]bool{}, keyless: map[types.UID]bool{}, erased: map[types.UID]bool{},
		left: map[types.UID]ec2v1.DeletionPolicy{},
	}
}

// lenient counts the objects of a world for which some questions have no answer.
type lenient struct{ tampered, keyless, erased int }

func (l *lenient) add(o lenient) {
	l.tampered += o.tampered
	l.keyless += o.keyless
	l.erased += o.erased
}

// lenience tells for how many objects the judge has to leave questions out.
func (l launches) lenience() lenient {
	return lenient{tampered: len(l.tampered), keyless: len(l.keyless), erased: len(l.erased)}
}

// tampered remembers what others do to the intent and the finalizer.
func (j *judge) tampered(before, after *ec2v1.EC2Instance) {
	value, had := before.Annotations[ec2v1.AnnotationLaunch]
	if j.intentIn(after) == nil && len(before.Status.ManagedTagKeys) > 0 && len(after.Status.ManagedTagKeys) == 0 {
		j.launches.keyless[after.UID] = true // Both records of the tags are gone.
	}
	held := slices.Contains(before.Finalizers, ec2v1.InstanceFinalizer)
	if (had && after.Annotations[ec2v1.AnnotationLaunch] != value) || (held && !slices.Contains(after.Finalizers, ec2v1.InstanceFinalizer)) {
		j.launches.tampered[after.UID] = true
		if had && after.Status.InstanceID == "" {
			j.launches.keyless[after.UID] = true
		}
		if isBlank(after) {
			j.launches.erased[after.UID] = true
		}
	}
}

// isBlank tells whether an object bears no trace of a launch.
func isBlank(obj *ec2v1.EC2Instance) bool {
	_, intended := obj.Annotations[ec2v1.AnnotationLaunch]
	return !intended && !slices.Contains(obj.Finalizers, ec2v1.InstanceFinalizer) && obj.Status.Launch == nil && obj.Status.InstanceID == ""
}

// unguarded remembers an object that somebody else's write has let go.
func (j *judge) unguarded(obj *ec2v1.EC2Instance) {
	if slices.Contains(obj.Finalizers, ec2v1.InstanceFinalizer) {
		j.launches.tampered[obj.UID] = true
	}
}

// intended looks at the launch intent that an operator's write leaves.
func (j *judge) intended(before, after *ec2v1.EC2Instance, user string) {
	was, is := before.Annotations[ec2v1.AnnotationLaunch], after.Annotations[ec2v1.AnnotationLaunch]
	if was == is {
		return
	}
	if is == "" {
		j.holds(onePerAttempt, after.DeletionTimestamp != nil || j.launches.tampered[after.UID], "the operator took the launch intent of %s away", after.Name)
		return
	}
	now := j.intentIn(after)
	j.holds(onePerAttempt, now != nil, "the intent of %s is not for that object, or its token is not the attempt's: %s", after.Name, is)
	if now == nil {
		return
	}
	old := j.intentIn(before)
	switch {
	case old != nil && old.Token == now.Token:
		j.sameAttempt(old, now, after.Name)
		return
	case now.For != "":
		j.standsFor(after, old, now)
		return
	case old != nil:
		j.holds(onePerAttempt, now.Attempt == old.Attempt+1, "%s has an intent of attempt %d after one of attempt %d", after.Name, now.Attempt, old.Attempt)
		j.mayRise(old, after, user)
	case !j.launches.tampered[after.UID]:
		_, again := j.launches.byToken[now.Token]
		j.holds(onePerAttempt, !again && now.Attempt == 1, "%s begins with an intent of attempt %d", after.Name, now.Attempt)
	}
	a := &attempt{intent: *now, intended: time.Now(), writer: user, pass: map[string]int{}, seen: map[string]bool{user: true}}
	if known := j.launches.byToken[now.Token]; known != nil {
		a.form, a.pass, a.outstanding, a.unanswered = known.form, known.pass, known.outstanding, known.unanswered
		a.before = maps.Clone(known.seen)
	}
	j.launches.byToken[now.Token], j.launches.latest[after.UID] = a, a
}

// sameAttempt: that the instance is to be replaced, or is not any more, and who may launch it, is noted on the intent that made it.
func (j *judge) sameAttempt(old, now *intent, name string) {
	j.holds(sameParameters, old.Hash == now.Hash, "the intent of attempt %d of %s has another hash than before", now.Attempt, name)
	if known := j.launches.byToken[now.Token]; known != nil {
		known.Holder = now.Holder
	}
}

// sees remembers that a process has seen an object with its intent.
func (j *judge) sees(user string, obj *ec2v1.EC2Instance) {
	if obj == nil || obj.Annotations[ec2v1.AnnotationLaunch] == "" {
		return
	}
	if i := j.intentIn(obj); i != nil {
		if known := j.launches.byToken[i.Token]; known != nil {
			known.seen[user] = true
		}
	}
}

// standsFor: an intent that no launch follows is for the instance that the object takes over.
func (j *judge) standsFor(obj *ec2v1.EC2Instance, old, now *intent) {
	first := old == nil && now.Attempt == 0 || j.launches.tampered[obj.UID]
	j.holds(onePerAttempt, first && now.Hash == "" && takesOver(obj, now.For), "%s has an intent that stands for %s: %+v after %+v", obj.Name, now.For, now, old)
}

// recordedStays: the operator's own record of an instance leaves it only when the instance is gone, or no longer bears the object's uid.
func (j *judge) recordedStays(before, after *ec2v1.EC2Instance, live []ec2sim.Instance, user string) {
	id := before.Status.InstanceID
	if id == "" {
		return
	}
	lives := slices.ContainsFunc(live, func(i ec2sim.Instance) bool { return i.ID == id })
	j.holds(idStays, after.Status.InstanceID == id || !lives || j.launches.erased[after.UID], "%s overwrites status.instanceID of %s with %q, and instance %s lives",
		user, before.Name, after.Status.InstanceID, id)
}

// mayRise: an attempt is over when its instance is terminated; or when it never had one, and whoever began it knows that, or enough
// time has passed.
func (j *judge) mayRise(old *intent, obj *ec2v1.EC2Instance, user string) {
	name := obj.Name
	launched := false
	for _, i := range j.world.ec2.Instances() {
		if i.ClientToken == old.Token || i.ID == old.For {
			launched = true
			j.holds(attemptRises, i.State == "terminated", "%s begins the next attempt, and instance %s of the one before is %s", name, i.ID, i.State)
		}
	}
	a := j.launches.byToken[old.Token]
	if launched || a == nil {
		return
	}
	last := a.intended
	if a.unanswered.After(last) {
		last = a.unanswered
	}
	// Who has never seen an intent that was erased wholly cannot know that somebody else has begun its attempt.
	unknowable := j.launches.erased[obj.UID] && !a.before[user]
	certain := a.refused && (a.outstanding == 0 || unknowable)
	j.holds(attemptRises, certain || time.Since(last) >= consistencyWindow,
		"%s begins the next attempt %s after what may have been a launch of attempt %d", name, time.Since(last), a.Attempt)
}

// launchSent looks at a RunInstances when it is sent.
func (j *judge) launchSent(c *call) {
	token := c.form.Get("ClientToken")
	a := j.launches.byToken[token]
	j.holds(tokenOfIntent, a != nil, "RunInstances by %s with token %.12s, which no intent has had", c.user, token)
	if a == nil {
		return
	}
	form := c.form.Encode()
	j.holds(sameParameters, a.form == "" || a.form == form || j.launches.tampered[a.UID],
		"RunInstances with the token of attempt %d was told\n%s\nand is told\n%s", a.Attempt, a.form, form)
	a.form = form
	j.holds(onlyHolder, a.Holder == "" || a.Holder == c.user || j.launches.tampered[a.UID],
		"%s sends RunInstances of attempt %d, and %s holds its intent", c.user, a.Attempt, a.Holder)
	pass := j.history.pass[c.user]
	j.holds(onceEach, a.pass[c.user] != pass || pass == 0, "%s sends RunInstances of attempt %d twice in one pass", c.user, a.Attempt)
	a.pass[c.user] = pass
	a.outstanding++
	a.unanswered = time.Now()
}

// launchReaches looks at a RunInstances when EC2 begins to serve it.
func (j *judge) launchReaches(c *call) {
	a := j.launches.byToken[c.form.Get("ClientToken")]
	if a == nil {
		return
	}
	all := j.world.ec2.Instances()
	if slices.ContainsFunc(all, func(i ec2sim.Instance) bool { return i.ClientToken == a.Token }) {
		return // A repetition makes nothing.
	}
	j.holds(tokenOfIntent, j.launches.latest[a.UID] == a, "RunInstances of attempt %d, and the intent is of attempt %d", a.Attempt, j.launches.latest[a.UID].Attempt)
	live := slices.ContainsFunc(all, func(i ec2sim.Instance) bool { return i.Live() && i.Tags[ec2v1.TagUID] == string(a.UID) })
	j.holds(emptyRead, !live, "RunInstances of attempt %d, and the object %s has a live instance", a.Attempt, a.UID)
	obj := j.known[a.UID]
	guarded := obj != nil && slices.Contains(obj.Finalizers, ec2v1.InstanceFinalizer)
	// A policy that leaves the instance leaves one that is still being launched, too.
	left := j.launches.left[a.UID] == ec2v1.DeletionRetain || j.launches.left[a.UID] == ec2v1.DeletionStop
	j.holds(emptyRead, guarded || left || j.launches.tampered[a.UID], "RunInstances for %s, which is gone or has no finalizer", a.UID)
}

// launchAnswered notes what the operator knows of a RunInstances.
func (j *judge) launchAnswered(c *call, status int) {
	a := j.launches.byToken[c.form.Get("ClientToken")]
	if a == nil {
		return
	}
	a.outstanding--
	if status >= badRequest && c.user == a.writer {
		a.refused = true
	}
}
