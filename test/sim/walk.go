// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// walkLines is how much of its log a walk keeps: it can take virtual weeks.
const walkLines = 100_000

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
	// compared with a fresh object: in how many values; and objects that could not be, or not in what they say, since EC2 refuses the fresh
	// one what the old one has, or what policy has not let it follow.
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
	// whim: the latest edit is taken back whatever comes of it.
	whim bool
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
	w.lastLines = walkLines
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
	var edited []*walked
	for n := from; n < to; n++ {
		if skip[n] {
			continue
		}
		obj := k.objectOf(n)
		done, err := k.edit(obj, n)
		if err != nil {
			return err
		}
		if done {
			edited = append(edited, obj)
		}
	}
	if len(edited) == 0 {
		return nil
	}
	if err := k.rest(); err != nil {
		return err
	}
	return k.heal(slices.DeleteFunc(edited, k.stays))
}

// stays tells of an edit that is not taken back.
func (k *walk) stays(obj *walked) bool {
	healthy := k.isHealthy(obj)
	if !healthy {
		k.tally.refusedByEC2++
	}
	return healthy && !handsOff(obj.applied) && !obj.whim
}

// objectOf is the object of the n-th edit: each round goes through all of them in an order of its own.
func (k *walk) objectOf(n int) *walked {
	round := stepRandom(k.seed, math.MaxInt32+n/len(k.objects))
	return k.objects[round.Perm(len(k.objects))[n%len(k.objects)]]
}

// rest has the world come to rest, and nothing is written for a while then. What EC2 has refused may be asked for again, seldom.
func (k *walk) rest() error {
	w := k.world
	for began := time.Now(); ; {
		before, _ := w.judge.changedSoFar()
		if err := w.calm(walkQuiet, always); err != nil {
			return err
		}
		if after, _ := w.judge.changedSoFar(); after == before || k.starves() {
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
	if k.starves() {
		return nil
	}
	after, again := w.judge.changedSoFar()
	w.judge.holds(nothingForNothing, after == changed, "at rest the operator wrote %d times", after-changed)
	if most := refusedAtRest * len(k.objects); again-refused > most {
		w.judge.violated("at rest the operator asked EC2 %d times for what it refuses, and not %d times at most", again-refused, most)
	}
	return nil
}

// starves tells whether EC2 has no capacity for anything that an object may be launched with: then each candidate is asked for again in each
// round, as another attempt, which is written down.
func (k *walk) starves() bool {
	return slices.ContainsFunc(k.objects, func(of *walked) bool {
		obj := k.object(namespace, of.name)
		if obj == nil || len(obj.Spec.InstanceTypeFallbacks)+len(obj.Spec.SubnetFallbacks) == 0 {
			return false
		}
		launched := conditionOf(obj.Status.Conditions, ec2v1.ConditionLaunched)
		return launched != nil && launched.Reason == ec2v1.ReasonInsufficientCapacity
	})
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
