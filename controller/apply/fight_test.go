// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

const (
	tagA = `.spec.tags[key="a"].value`
	tagB = `.spec.tags[key="b"].value`
)

// ring is where we and others take a field from each other.
type ring struct {
	*world
	// wanted is what we want, by force unless gentle.
	wanted func() instanceConfig
	gentle bool
}

func newRing(t *testing.T) *ring {
	t.Helper()
	r := &ring{world: newWorld(t), wanted: ourMain}
	r.mustApply(main(user, web().WithSpec(usersSpec())))
	if got := r.pass(); got.Outcome != Changed || got.Taken != nil || got.Left != nil {
		t.Fatalf("the first pass gives %v", got)
	}
	return r
}

// pass is one of ours, on the newest object.
func (r *ring) pass() Result {
	r.t.Helper()
	got, err := r.passOn(r.live())
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

func (r *ring) passOn(live *ec2v1.EC2Instance) (Result, error) {
	in := main(us, r.wanted().WithUID(serverUID))
	in.Force = !r.gentle
	return r.applier.Apply(context.Background(), live, in)
}

// takes is somebody's forced apply of tags, key and value in turn.
func (r *ring) takes(m Manager, tags ...string) {
	r.t.Helper()
	spec := ec2v1ac.EC2InstanceSpec()
	for i := 0; i < len(tags); i += 2 {
		spec.WithTags(tag(tags[i], tags[i+1]))
	}
	r.mustApply(forced(main(m, web().WithSpec(spec))))
}

func (r *ring) after(d time.Duration) { r.clock.SetTime(r.clock.Now().Add(d)) }

// tags are what the object has.
func (r *ring) tags() map[string]string {
	out := map[string]string{}
	for _, tag := range r.live().Spec.Tags {
		out[tag.Key] = *tag.Value
	}
	return out
}

// gives holds a result to an outcome, to what was taken from whom, and to what is left until when.
func (r *ring) gives(got Result, outcome Outcome, taken map[string]string, left map[string]time.Duration) {
	r.t.Helper()
	same(r.t, outcome, got.Outcome)
	gotTaken, gotLeft := map[string]string{}, map[string]time.Duration{}
	for _, c := range got.Taken {
		gotTaken[c.Field] = listed(c.Owners)
	}
	for _, l := range got.Left {
		gotLeft[l.Field] = l.Until.Sub(r.clock.Now())
		if len(l.Owners) == 0 || l.Live == nil || l.Wanted == nil {
			r.t.Errorf("%v does not say who has what", l)
		}
	}
	if taken == nil {
		taken = map[string]string{}
	}
	if left == nil {
		left = map[string]time.Duration{}
	}
	same(r.t, taken, gotTaken)
	same(r.t, left, gotLeft)
}

// TestAFight from the first take-over to the end.
func TestAFight(t *testing.T) {
	r := newRing(t)
	byOther := map[string]string{tagA: "other (Apply)"}

	r.takes(other, "a", "theirs")
	r.gives(r.pass(), Changed, byOther, nil)
	same(t, "1", r.tags()["a"])
	r.gives(r.pass(), Skipped, nil, nil)

	r.after(30 * time.Second)
	r.takes(other, "a", "theirs")
	requests := r.server.requests
	r.gives(r.pass(), Skipped, nil, map[string]time.Duration{tagA: time.Minute})
	r.after(10 * time.Second)
	r.gives(r.pass(), Skipped, nil, map[string]time.Duration{tagA: 50 * time.Second})
	same(t, 0, r.server.requests-requests)
	same(t, "theirs", r.tags()["a"])

	// All else is applied in the meantime, and what is left is not claimed.
	r.wanted = func() instanceConfig { return changed(func(s specConfig) { s.Tags[1].WithValue("2") }) }
	r.gives(r.pass(), Changed, nil, map[string]time.Duration{tagA: 50 * time.Second})
	same(t, map[string]string{"a": "theirs", "b": "2", "stage": "test"}, r.tags())
	table, err := Ownership(r.live())
	if err != nil {
		t.Fatal(err)
	}
	if paths := table.Of(string(us)).Paths(); len(table.Of(string(other)).Shared()) != 1 || slices.Contains(paths, tagA) || !slices.Contains(paths, tagB) {
		t.Errorf("while the field is left we own %v", paths)
	}

	r.after(50 * time.Second)
	r.gives(r.pass(), Changed, byOther, nil)
	same(t, "1", r.tags()["a"])

	for _, minutes := range []int{2, 4, 8, 15, 15} {
		pause := time.Duration(minutes) * time.Minute
		r.after(time.Second)
		r.takes(other, "a", "theirs")
		r.gives(r.pass(), Skipped, nil, map[string]time.Duration{tagA: pause})
		r.after(pause)
		r.gives(r.pass(), Changed, byOther, nil)
	}

	r.after(17 * time.Minute)
	r.takes(other, "a", "theirs")
	r.gives(r.pass(), Changed, byOther, nil)
	r.takes(other, "a", "theirs")
	r.gives(r.pass(), Skipped, nil, map[string]time.Duration{tagA: time.Minute})
}

// TestAFightIsOverOneField: another one is taken back meanwhile.
func TestAFightIsOverOneField(t *testing.T) {
	r := newRing(t)
	r.takes(other, "a", "theirs")
	r.pass()
	r.takes(other, "a", "theirs", "b", "theirs")
	r.gives(r.pass(), Changed, map[string]string{tagB: "other (Apply)"}, map[string]time.Duration{tagA: time.Minute})
	same(t, map[string]string{"a": "theirs", "b": "", "stage": "test"}, r.tags())
	r.takes("third", "b", "theirs")
	r.gives(r.pass(), Skipped, nil, map[string]time.Duration{tagA: time.Minute, tagB: time.Minute})
}

// TestAFightByUpdates is one, too.
func TestAFightByUpdates(t *testing.T) {
	r := newRing(t)
	edit := func() {
		updated := r.raw()
		set(updated, true, "spec", "suspend")
		if _, err := r.server.put(updated, "", "edit", false); err != nil {
			t.Fatal(err)
		}
	}
	edit()
	r.gives(r.pass(), Changed, map[string]string{".spec.suspend": "edit (Update)"}, nil)
	edit()
	r.gives(r.pass(), Skipped, nil, map[string]time.Duration{".spec.suspend": time.Minute})
}

// TestAnOldCacheIsNoTakeOver: an object that does not show yet that the field was taken back tells nothing new.
func TestAnOldCacheIsNoTakeOver(t *testing.T) {
	r := newRing(t)
	r.takes(other, "a", "theirs")
	old := r.live()
	r.gives(r.pass(), Changed, map[string]string{tagA: "other (Apply)"}, nil)
	got, err := r.passOn(old)
	if err != nil {
		t.Fatal(err)
	}
	// It is sent again, and nothing is told twice.
	r.gives(got, Changed, nil, nil)
	r.gives(r.pass(), Skipped, nil, nil)
	r.takes(other, "a", "theirs")
	r.gives(r.pass(), Skipped, nil, map[string]time.Duration{tagA: time.Minute})
}

// TestNothingIsLeftWithoutForce: it is a conflict each time.
func TestNothingIsLeftWithoutForce(t *testing.T) {
	r := newRing(t)
	r.gentle = true
	for range 3 {
		r.takes(other, "a", "theirs")
		got, err := r.passOn(r.live())
		if !IsOwnershipConflict(err) || got.Left != nil || got.Taken != nil {
			t.Errorf("the result is %v (%v)", got, err)
		}
	}
}

// TestNothingIsTakenFromNobody: before-first-apply is no manager that could take anything.
func TestNothingIsTakenFromNobody(t *testing.T) {
	r := newRing(t)
	for range 3 {
		updated := r.raw()
		set(updated, "2026", "metadata", "annotations", "example.com/us")
		updated.SetManagedFields(nil)
		r.server.object = updated
		r.mustApply(main(user, web().WithSpec(usersSpec())))
		if _, err := r.passOn(r.live()); !IsStale(err) {
			t.Fatalf("the error is %v, want that what is ours was taken out of what is nobody's", err)
		}
		r.gives(r.pass(), Changed, nil, nil)
	}
}

// TestAForgottenFight starts anew.
func TestAForgottenFight(t *testing.T) {
	r := newRing(t)
	r.takes(other, "a", "theirs")
	r.pass()
	r.applier.Forget(types.UID(serverUID))
	r.takes(other, "a", "theirs")
	r.gives(r.pass(), Changed, map[string]string{tagA: "other (Apply)"}, nil)
}

// TestAFightOutlivesTheCache: that the cache no longer shows an object is no end of a fight over it.
func TestAFightOutlivesTheCache(t *testing.T) {
	r := newRing(t)
	r.takes(other, "a", "theirs")
	r.pass()
	r.applier.ForgetWrites(types.UID(serverUID))
	r.takes(other, "a", "theirs")
	if got := r.pass(); len(got.Left) != 1 || len(got.Taken) != 0 {
		t.Errorf("the result is %+v, want that the field is left", got)
	}
}

// TestADraftIsNotSent: it only tells.
func TestADraftIsNotSent(t *testing.T) {
	r := newRing(t)
	r.takes(other, "a", "theirs")
	requests := r.server.requests
	for range 3 {
		d, err := r.applier.Draft(r.live(), forced(main(us, ourMain().WithUID(serverUID))))
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Taken) != 1 || d.Taken[0].Field != tagA || len(d.Left) != 0 {
			t.Errorf("a draft would take %v and leave %v", d.Taken, d.Left)
		}
	}
	d, err := r.applier.Draft(nil, Intent{Config: ourMain(), Manager: us, Force: true, Create: true})
	if err != nil || d.Taken != nil || d.Left != nil || d.version() != "" || d.uid() != "" {
		t.Errorf("of an object that is not cached the draft knows %v (%v)", d, err)
	}
	same(t, 0, r.server.requests-requests)
}

// TestATakingIsGuarded: what an older object shows as taken may have been taken back since, by another process of ours that has told of
// it. It is not taken back, and told, again.
func TestATakingIsGuarded(t *testing.T) {
	r := newRing(t)
	r.takes(other, "a", "theirs")
	old := r.live()
	if got := r.pass(); len(got.Taken) != 1 {
		t.Fatalf("the pass gives %v", got)
	}
	another := New(r.client, r.predictor, WithClock(r.clock))
	config := r.wanted().WithUID(serverUID)
	if got, err := another.Apply(t.Context(), old, forced(main(us, config))); !IsStale(err) || len(got.Taken) != 0 {
		t.Errorf("another process, on the object of before, gives %v (%v)", got, err)
	}
	r.takes(other, "a", "theirs")
	if _, err := another.Apply(t.Context(), r.live(), forced(main(us, config))); err != nil {
		t.Fatal(err)
	}
	if config.ResourceVersion == nil || *config.ResourceVersion != r.live().ResourceVersion || config.Labels["theirs"] != r.live().Labels["theirs"] {
		t.Errorf("the configuration does not hold the answer: %+v", config.ObjectMetaApplyConfiguration)
	}
}
