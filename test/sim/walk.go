// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// How a walk goes: so many objects are edited before the world comes to rest; the objects are compared with fresh ones after so many
// edits; and at rest nothing may be written for that long.
const (
	walkBatch    = 5
	comparedEach = 100
	walkQuiet    = 10 * time.Minute
	walkStill    = 30 * time.Minute
)

// twins is the namespace of the fresh objects.
const twins = "twins"

// firstNumber is of the first object: addresses in a subnet that end in less are EC2's own.
const firstNumber = 10

// walk is a row of edits of a few objects.
type walk struct {
	world   *world
	schema  *specSchema
	seed    uint64
	objects []*walked
	tally   walkTally
}

// walkTally counts what came of the edits.
type walkTally struct {
	allowed, refusedBySchema, refusedByEC2 int
	// reverted edits, those that went back further, to the latest sound spec, and those after which the instance was terminated.
	reverted, rolledBack, terminated int
	// compared with a fresh object: in how many values; and objects that could not be, since the fresh one is refused by EC2 for what policy
	// has not let the old one follow.
	compared, values, incomparable int
}

// walked is an object of a walk.
type walked struct {
	name   string
	number int
	// applied is the user's spec, before is the one that it took the place of, and sound is the latest with which EC2 was as spec says.
	applied, before, sound spec
	// ever are the fields that spec has had, by path.
	ever map[string]bool
	// latent: something in spec was not allowed to take place before the latest edit.
	latent bool
	// gaveUp: the latest spec is without a field that the one before it had; and what the latest edit was.
	gaveUp bool
	what   string
}

// walkOptions are how long a walk is.
type walkOptions struct {
	objects, edits int
	skip           map[int]bool
}

// newWalk makes the objects of a walk.
func newWalk(w *world, o walkOptions) (*walk, error) {
	schema, err := schemaOfSpec()
	if err != nil {
		return nil, err
	}
	k := &walk{world: w, schema: schema, seed: w.seed}
	w.ec2.EditWorld(ec2sim.DefaultAccount, walkRegion, ampleWorld)
	if err := k.furnish(); err != nil {
		return nil, err
	}
	allowances := []ec2v1.UpdateAllowance{ec2v1.UpdateInPlace, ec2v1.UpdateStopStart, ec2v1.UpdateReplace}
	for n := range o.objects {
		first := firstSpec(allowances[w.random.IntN(len(allowances))])
		obj := &walked{name: fmt.Sprintf("obj-%02d", n+1), number: firstNumber + n, sound: first, ever: map[string]bool{}}
		k.objects = append(k.objects, obj)
		if err := k.apply(obj, first); err != nil {
			return nil, fmt.Errorf("making %s: %w", obj.name, err)
		}
		obj.before = first
	}
	return k, nil
}

// furnish makes what specs can name, in both namespaces.
func (k *walk) furnish() error {
	ctx := context.Background()
	things := []client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: twins}}}
	for _, in := range []string{namespace, twins} {
		meta := metav1.ObjectMeta{Namespace: in, Name: bootName}
		things = append(things,
			&corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{bootKey: []byte("#!/bin/sh\necho hushhush\n")}},
			&corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{bootKey: "#!/bin/sh\necho hello\n"}})
	}
	for _, thing := range things {
		if err := k.world.user.Create(ctx, thing); err != nil {
			return fmt.Errorf("making %s: %w", thing.GetName(), err)
		}
	}
	return nil
}

// walk walks: batch by batch, as long as nothing is violated. It tells how many edits it came to.
func (k *walk) walk(o walkOptions) (edits int, err error) {
	if err := k.rest(); err != nil {
		return 0, err
	}
	for from := 0; from < o.edits; {
		to := min(from+walkBatch, from-from%len(k.objects)+len(k.objects), o.edits)
		if err := k.batch(from, to, o.skip); err != nil || k.failed() {
			return to, err
		}
		if to == o.edits || to/comparedEach > from/comparedEach {
			if err := k.compare(); err != nil || k.failed() {
				return to, err
			}
		}
		from = to
	}
	return o.edits, nil
}

func (k *walk) failed() bool { return len(k.world.judge.verdict()) > 0 }

// batch edits a few objects, and has the world come to rest. What EC2 refuses, what has the operator leave EC2 alone, and now and then
// something else, is taken back: that heals.
func (k *walk) batch(from, to int, skip map[int]bool) error {
	var edited, reverted []*walked
	random := map[*walked]bool{}
	for n := from; n < to; n++ {
		if skip[n] {
			continue
		}
		obj, done, lucky, err := k.edit(n)
		if err != nil {
			return err
		}
		if done {
			edited = append(edited, obj)
			random[obj] = lucky
		}
	}
	if len(edited) == 0 {
		return nil
	}
	if err := k.rest(); err != nil {
		return err
	}
	for _, obj := range edited {
		healthy := k.isHealthy(obj)
		if k.failed() {
			return nil
		}
		if !healthy {
			k.tally.refusedByEC2++
		}
		if !healthy || handsOff(obj.applied) || random[obj] {
			reverted = append(reverted, obj)
		}
	}
	return k.heal(reverted)
}

// objectOf is the object of the n-th edit: each round goes through all of them in an order of its own.
func (k *walk) objectOf(n int) *walked {
	round := stepRandom(k.seed, math.MaxInt32+n/len(k.objects))
	return k.objects[round.Perm(len(k.objects))[n%len(k.objects)]]
}

// edit makes the n-th edit. It is done if the schema allows it; lucky edits are taken back although nothing is wrong with them.
func (k *walk) edit(n int) (obj *walked, done, lucky bool, err error) {
	obj = k.objectOf(n)
	d := &drawer{specSchema: k.schema, random: stepRandom(k.seed, n), name: obj.name, number: obj.number}
	e := d.draw(obj.applied)
	lucky = d.oneIn(10)
	against := k.schema.against(e.next, obj.applied)
	k.world.trace("edit %d of %s: %s: the schema has %v against it", n, obj.name, e.what, against.ToAggregate())
	if e.broken != "" && len(against) == 0 {
		k.violated(obj, "edit %d: %s: the schema allows it", n, e.what)
		return obj, false, false, nil
	}
	if len(against) > 0 {
		k.tally.refusedBySchema++
		return obj, false, false, k.refused(obj, e, against)
	}
	k.tally.allowed++
	obj.latent = !k.isSound(obj)
	obj.what = fmt.Sprintf("edit %d: %s", n, e.what)
	if err := k.apply(obj, e.next); err != nil {
		k.violated(obj, "the schema allows it, and the API server does not: %v", err)
		return obj, false, false, nil
	}
	return obj, true, lucky, nil
}

// refused has the API server refuse what the schema does not allow: with the field's name, and without a trace.
func (k *walk) refused(obj *walked, e edit, against field.ErrorList) error {
	before, err := k.world.get(obj.name)
	if err != nil {
		return err
	}
	err = k.send(namespace, obj.name, e.next)
	after, getErr := k.world.get(obj.name)
	if getErr != nil {
		return getErr
	}
	names := []string{e.broken}
	if e.broken == "" {
		names = nil
		for _, wrong := range against {
			names = append(names, lastName(wrong.Field))
		}
	}
	switch {
	case err == nil:
		k.violated(obj, "%s: the schema has %v against it, and the API server takes it", e.what, against.ToAggregate())
	case !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) && !isSchemaError(err):
		return fmt.Errorf("applying to %s: %w", obj.name, err)
	case !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(err.Error(), name) }):
		k.violated(obj, "%s: the refusal names none of %v: %v", e.what, names, err)
	case !reflect.DeepEqual(before, after):
		k.violated(obj, "%s: it was refused, and something has changed", e.what)
	}
	return nil
}

// isSchemaError tells a refusal by the merge code, which has no type of its own.
func isSchemaError(err error) bool {
	return apierrors.ReasonForError(err) == metav1.StatusReasonUnknown && strings.Contains(err.Error(), ".spec")
}

// apply applies a spec to an object, and remembers it.
func (k *walk) apply(obj *walked, next spec) error {
	if err := k.send(namespace, obj.name, next); err != nil {
		return err
	}
	obj.before, obj.applied = obj.applied, next
	had, has := k.schema.leaves(obj.before), k.schema.leaves(next)
	obj.gaveUp = false
	for path := range had {
		obj.gaveUp = obj.gaveUp || !has[path]
	}
	for path := range has {
		obj.ever[path] = true
	}
	return nil
}

// send applies a spec as the user.
func (k *walk) send(in, name string, next spec) error {
	u := &unstructured.Unstructured{Object: spec{"spec": runtime.DeepCopyJSON(next)}}
	u.SetGroupVersionKind(instanceKind)
	u.SetNamespace(in)
	u.SetName(name)
	return k.world.user.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(userName), client.ForceOwnership)
}

// heal takes edits back. Where an earlier edit could not take place before the latest, and EC2 has refused it since, the way back is to the
// latest spec with which EC2 was as spec says.
func (k *walk) heal(ill []*walked) error {
	if len(ill) == 0 {
		return nil
	}
	for _, obj := range ill {
		if err := k.revert(obj, obj.before); err != nil {
			return err
		}
	}
	k.tally.reverted += len(ill)
	if err := k.rest(); err != nil {
		return err
	}
	var still, kept []*walked
	for _, obj := range ill {
		switch healthy := k.isHealthy(obj); {
		case healthy:
		case obj.latent:
			still = append(still, obj)
		case obj.gaveUp:
			kept = append(kept, obj)
		default:
			k.violated(obj, "reverting %s does not heal it: %s", obj.what, k.told(obj))
		}
	}
	if err := k.rollBack(still); err != nil {
		return err
	}
	return k.terminate(kept)
}

// terminate is the last resort for what EC2 keeps of a field that spec does not have any more: that is no drift by contract, so only another
// instance is without it.
func (k *walk) terminate(ill []*walked) error {
	if len(ill) == 0 || k.failed() {
		return nil
	}
	for _, obj := range ill {
		k.world.trace("%s keeps in EC2 what spec does not have any more after %s: %s", obj.name, obj.what, k.told(obj))
		if err := k.world.terminateInConsole(obj.name); err != nil {
			return err
		}
	}
	k.tally.terminated += len(ill)
	if err := k.rest(); err != nil {
		return err
	}
	for _, obj := range ill {
		if !k.isHealthy(obj) {
			k.violated(obj, "another instance does not heal it after %s: %s", obj.what, k.told(obj))
		}
	}
	return nil
}

// rollBack goes back to the latest spec that was sound.
func (k *walk) rollBack(ill []*walked) error {
	if len(ill) == 0 || k.failed() {
		return nil
	}
	for _, obj := range ill {
		if err := k.revert(obj, obj.sound); err != nil {
			return err
		}
	}
	k.tally.rolledBack += len(ill)
	if err := k.rest(); err != nil {
		return err
	}
	for _, obj := range ill {
		if !k.isHealthy(obj) {
			k.violated(obj, "going back to the spec with which EC2 was in sync does not heal it after %s: %s", obj.what, k.told(obj))
		}
	}
	return nil
}

// revert applies an earlier spec. Where a rule on changes is in the way, such as that volumes only grow, the field is taken out of spec
// first.
func (k *walk) revert(obj *walked, to spec) error {
	to = runtime.DeepCopyJSON(to)
	against := k.schema.against(to, obj.applied)
	if len(against) > 0 {
		between := runtime.DeepCopyJSON(to)
		for _, wrong := range against {
			name, _, _ := strings.Cut(strings.TrimPrefix(wrong.Field, "spec."), "[")
			delete(between, name)
		}
		if err := k.apply(obj, between); err != nil {
			return fmt.Errorf("taking back %s of %s: %w", obj.what, obj.name, err)
		}
	}
	if err := k.apply(obj, to); err != nil {
		return fmt.Errorf("taking back %s of %s: %w", obj.what, obj.name, err)
	}
	return nil
}

// rest has the world come to rest, and nothing is written for a while then. What EC2 has refused may be asked for again, seldom.
func (k *walk) rest() error {
	w := k.world
	for began := time.Now(); ; {
		before, _ := w.judge.changedSoFar()
		if err := w.calm(walkQuiet, always); err != nil {
			return err
		}
		if after, _ := w.judge.changedSoFar(); after == before {
			break
		}
		if time.Since(began) > longestPlay {
			w.judge.violated("the world does not come to rest")
			return nil
		}
	}
	changed, refused := w.judge.changedSoFar()
	if err := w.calm(walkStill, always); err != nil {
		return err
	}
	after, again := w.judge.changedSoFar()
	w.judge.holds(nothingForNothing, after == changed, "at rest the operator wrote %d times", after-changed)
	if most := refusedAtRest * len(k.objects); again-refused > most {
		w.judge.violated("at rest the operator asked EC2 %d times for what it refuses, and not %d times at most", again-refused, most)
	}
	return nil
}

// refusedAtRest is how often an object may have EC2 refuse something in half an hour of rest: what may come to be there, such as a key
// pair, is asked for every two minutes.
const refusedAtRest = 16

// handsOff tells of a spec that has the operator leave EC2 alone.
func handsOff(of spec) bool { return of["suspend"] == true || of["managementPolicy"] == "Observe" }

// object reads an object of the walk.
func (k *walk) object(in, name string) *ec2v1.EC2Instance {
	u := k.world.api.Object(instanceKind.GroupKind(), types.NamespacedName{Namespace: in, Name: name})
	if u == nil {
		return nil
	}
	obj, err := typedInstance(u)
	if err != nil {
		k.world.judge.violated("reading %s: %v", name, err)
		return nil
	}
	return obj
}

// isHealthy looks at an object at rest: it is Ready, or says what is in the way; and it has one instance where it can have one.
func (k *walk) isHealthy(of *walked) bool {
	obj := k.object(namespace, of.name)
	if obj == nil {
		return false
	}
	live := liveOf(k.world.ec2, obj.UID)
	ready, launched := conditionOf(obj.Status.Conditions, ec2v1.ConditionReady), conditionOf(obj.Status.Conditions, ec2v1.ConditionLaunched)
	switch {
	case obj.Status.ObservedGeneration != obj.Generation || ready == nil || launched == nil:
		k.violated(of, "after %s the operator has not looked at it: %s", of.what, k.told(of))
	case len(live) > 1 || (len(live) == 0) != (launched.Status != metav1.ConditionTrue):
		k.violated(of, "after %s it has %d instances: %s", of.what, len(live), k.told(of))
	case ready.Status == metav1.ConditionTrue:
		unsettled := slices.ContainsFunc(obj.Status.Plan, func(c ec2v1.PlannedChange) bool { return c.State != ec2v1.PlanStateBlocked || c.Message == "" })
		if unsettled {
			k.violated(of, "after %s it is Ready, and something is left to do: %s", of.what, k.told(of))
		}
		if len(obj.Status.Plan) == 0 && !hasIgnored(obj) && !handsOff(of.applied) {
			of.sound = of.applied
		}
		return true
	case ready.Message == "" || !saysWhyNot(obj, ready.Reason):
		k.violated(of, "after %s it is not Ready, and does not say that something is in the way: %s", of.what, k.told(of))
	}
	return false
}

// isSound tells whether EC2 is all that spec says.
func (k *walk) isSound(of *walked) bool { return reflect.DeepEqual(of.applied, of.sound) }

func hasIgnored(obj *ec2v1.EC2Instance) bool {
	return slices.ContainsFunc(obj.Spec.UpdatePolicy.Overrides, func(o ec2v1.UpdateOverride) bool { return o.Allow == ec2v1.UpdateIgnore })
}

// saysWhyNot: an object that is not Ready at rest is stalled, or suspended, or waits for what EC2 may have later.
func saysWhyNot(obj *ec2v1.EC2Instance, reason string) bool {
	stalled := conditionOf(obj.Status.Conditions, ec2v1.ConditionStalled)
	if stalled != nil && stalled.Status == metav1.ConditionTrue && stalled.Message != "" {
		return true
	}
	return slices.Contains([]string{
		ec2v1.ReasonSuspended, ec2v1.ReasonInsufficientCapacity, ec2v1.ReasonQuotaExceeded, ec2v1.ReasonDependencyNotReady,
	}, reason)
}

// told tells what an object says.
func (k *walk) told(of *walked) string {
	obj := k.object(namespace, of.name)
	if obj == nil {
		return "it is gone"
	}
	var b strings.Builder
	for _, c := range obj.Status.Conditions {
		fmt.Fprintf(&b, "\n  %s %s %s: %s", c.Type, c.Status, c.Reason, c.Message)
	}
	for _, c := range obj.Status.Plan {
		fmt.Fprintf(&b, "\n  plan: %s from %s to %s by %s: %s %s", c.Field, c.Current, c.Desired, c.Action, c.State, c.Message)
	}
	fmt.Fprintf(&b, "\n  spec: %s", strings.TrimSuffix(fmt.Sprint(of.applied), "\n"))
	return b.String()
}

func (k *walk) violated(of *walked, format string, args ...any) {
	k.world.judge.violated("%s: %s", of.name, fmt.Sprintf(format, args...))
}
