// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

var instanceKind = ec2v1.SchemeGroupVersion.WithKind("EC2Instance")

// judge holds every moment of a run to the invariants (oracles), by what is true: the API server's history, the whole of EC2, and what
// goes over the wire. It never asks what an operator believes, but for the version of an object that a pass has read.
type judge struct {
	world *world
	// cluster is what tokens are derived from.
	cluster string

	mu       sync.Mutex
	seen     int64
	known    map[types.UID]*ec2v1.EC2Instance
	history  history
	launches launches
	calls    calls
	writers  map[types.UID]*writer
	thefts   thefts
	secrets  secretWatch
	// noted are the instances with a tag from the console, and started is when the console has started one.
	noted      map[string]bool
	started    map[string]time.Time
	checked    tally
	broken     tally
	violations []string
	// writes and mutations are what operators changed in Kubernetes and in EC2, or asked EC2 to change; accepted are those that it did.
	writes, mutations, accepted int
}

func newJudge(w *world) *judge {
	j := &judge{
		world: w, known: map[types.UID]*ec2v1.EC2Instance{}, history: newHistory(), launches: newLaunches(), calls: newCalls(),
		writers: map[types.UID]*writer{}, thefts: newThefts(),
		noted: map[string]bool{}, started: map[string]time.Time{},
	}
	if w != nil && w.api != nil {
		j.cluster = string(w.api.Object(namespaceKind, types.NamespacedName{Name: metav1.NamespaceSystem}).GetUID())
	}
	return j
}

// violated records that something is wrong.
// violatedMark begins a violation in the trace.
const violatedMark = "VIOLATED"

func (j *judge) violated(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if j.world != nil {
		j.world.trace("%s: %s", violatedMark, text)
	}
	j.violations = append(j.violations, text)
}

// holds asks an oracle: what is told is wrong unless ok.
func (j *judge) holds(o oracle, ok bool, format string, args ...any) {
	j.checked[o]++
	if !ok {
		j.broken[o]++
		j.violated("invariant %d: %s", oracles[o].invariant, fmt.Sprintf(format, args...))
	}
}

// onePerObject: at most one live instance for each object, by the uid that it bears.
func (j *judge) onePerObject(all []ec2sim.Instance) {
	live := map[string][]string{}
	var uids []string
	for _, i := range all {
		if i.Live() {
			uid := i.Tags[ec2v1.TagUID]
			if live[uid] == nil {
				uids = append(uids, uid)
			}
			live[uid] = append(live[uid], i.ID)
		}
	}
	slices.Sort(uids)
	for _, uid := range uids {
		ids := live[uid]
		slices.Sort(ids)
		j.holds(oneLive, len(ids) < 2 || j.launches.erased[types.UID(uid)], "object %s has instances %v", uid, ids)
	}
}

// looked remembers that a process reads an object past its cache.
func (j *judge) looked(r apiserver.Request, revision int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.history.looked[readKey{r.User, objectID{r.Kind.Kind, r.Key()}}] = revision
}

// wrote looks at what a request to the API server was, and what it changed. It is told of all requests that were served.
func (j *judge) wrote(r apiserver.Record) {
	j.mu.Lock()
	defer j.mu.Unlock()
	operator := isOperator(r.User)
	if operator {
		j.asked(r)
	}
	if !r.Changed {
		if operator && r.Writes() && r.Err == nil {
			j.changedNothing(r)
		}
		return
	}
	if operator {
		if r.Kind.Kind != "EC2Account" { // An account counts instances by state, and EC2 forgets terminated ones after an hour.
			j.writes++
		}
		j.world.trace("%s %s %s %s %s as %s", r.User, r.Verb, r.Kind.Kind, r.Subresource, r.Name, r.Manager)
	}
	changes := j.world.api.Changes(j.seen)
	for i, c := range changes {
		j.seen = c.ResourceVersion
		by := by{}
		if i == len(changes)-1 && c.Kind == r.Kind { // What comes before is the garbage collector's, which tells nobody.
			by.user, by.record = r.User, &r
		}
		j.changed(c, by)
	}
}

// by is whose a change is: nobody's is the garbage collector's.
type by struct {
	user   string
	record *apiserver.Record
}

func (b by) operator() bool { return isOperator(b.user) }

// changed looks at one change of an object.
func (j *judge) changed(c apiserver.Change, by by) {
	before := j.history.latest(c)
	j.history.add(c)
	if c.Kind == instanceKind {
		j.instanceChanged(before, c, by)
		return
	}
	if c.Kind.Kind == "Secret" {
		j.secrets.learn(c.Object)
	}
	if by.operator() {
		j.childWritten(before, c, by)
	}
}

// instanceChanged compares an EC2Instance with how it was before.
func (j *judge) instanceChanged(old *apiserver.Change, c apiserver.Change, by by) {
	obj, err := typedInstance(c.Object)
	if err != nil {
		j.violated("an object that cannot be read: %v", err)
		return
	}
	before := j.known[obj.UID]
	j.known[obj.UID] = obj
	j.history.typed(c, obj)
	if c.Type == watch.Deleted {
		delete(j.known, obj.UID)
		if by.operator() {
			// What is told is the object as it was; the finalizer's going is what deleted it.
			j.released(obj)
		} else {
			j.unguarded(obj)
		}
		return
	}
	switch {
	case before == nil:
	case by.operator():
		j.writtenByUs(before, obj, old, c, by)
	default:
		j.tampered(before, obj)
	}
}

// writtenByUs looks at an operator's write.
func (j *judge) writtenByUs(before, after *ec2v1.EC2Instance, old *apiserver.Change, c apiserver.Change, by by) {
	j.userPart(before, after)
	j.intended(before, after, by.user)
	if slices.Contains(before.Finalizers, ec2v1.InstanceFinalizer) && !slices.Contains(after.Finalizers, ec2v1.InstanceFinalizer) {
		j.released(before)
		j.holds(finalizerStays, before.DeletionTimestamp != nil, "%s takes the finalizer of %s away, which nobody has deleted", by.user, before.Name)
	}
	j.recordedStays(before, after, liveOf(j.world.ec2, before.UID), by.user)
	if old != nil {
		j.others(old.Object, c.Object, before.ManagedFields, after.ManagedFields, true)
	}
	j.ownManagers(after)
	j.takenBack(before, after, c.ResourceVersion)
	j.conditionTimes(before, after)
	if by.record != nil && by.record.Subresource == statusSubresource {
		j.statusWritten(before, after, old, c)
	}
}

// totals are what operators have changed so far.
func (j *judge) totals() (writes, mutations int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.writes, j.mutations
}

// changedSoFar is how much operators have changed so far, in Kubernetes and in EC2, and how much EC2 has refused.
func (j *judge) changedSoFar() (changed, refused int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.writes + j.accepted, j.mutations - j.accepted
}

func (j *judge) verdict() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.violations)
}

// asking is how often each oracle was asked so far.
func (j *judge) asking() tally {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.checked
}

func liveOf(sim *ec2sim.Sim, uid types.UID) []ec2sim.Instance {
	var out []ec2sim.Instance
	for _, i := range sim.Instances() {
		if i.Live() && i.Tags[ec2v1.TagUID] == string(uid) {
			out = append(out, i)
		}
	}
	return out
}

func typedInstance(u *unstructured.Unstructured) (*ec2v1.EC2Instance, error) {
	obj := &ec2v1.EC2Instance{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj); err != nil {
		return nil, fmt.Errorf("converting an EC2Instance: %w", err)
	}
	return obj, nil
}
