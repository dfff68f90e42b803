// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/types"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testCluster = "0b6b5b0e-6b43-4f42-a0e5-2f8b6b5b7f10"

const testInterval = time.Minute

var testScope = Scope{Account: "default", Region: "eu-central-1"}

// fakeEC2 is a Lister that shows what a test puts into it.
type fakeEC2 struct {
	mu        sync.Mutex
	instances map[string]cloud.Instance
	// untagged are shown by id only, as instances that have lost their tags are.
	untagged map[string]bool
	listErr  error
	lookErr  error
	// during is called while a list is under way, after its page was made.
	during func()
	// delay is how long a call takes, and statusDelay a list of statuses.
	delay, statusDelay time.Duration
	// statuses are those of running instances, of which others are initializing; hidden ones have none.
	statuses  map[string]cloud.InstanceStatus
	hidden    map[string]bool
	statusErr error
	// duringStatuses is called while a list of statuses is under way, after its page was made.
	duringStatuses func()

	lists, pages int
	looks        []look
	statusLists  []time.Time
}

// look is one call of Look.
type look struct {
	at  time.Time
	ids []string
}

func newFakeEC2(list ...cloud.Instance) *fakeEC2 {
	f := &fakeEC2{
		instances: map[string]cloud.Instance{}, untagged: map[string]bool{},
		statuses: map[string]cloud.InstanceStatus{}, hidden: map[string]bool{},
	}
	for _, i := range list {
		f.instances[i.ID] = i
	}
	return f
}

func (f *fakeEC2) List(ctx context.Context, yield func([]cloud.Instance) error) error {
	f.mu.Lock()
	f.lists++
	var shown []cloud.Instance
	for _, id := range slices.Sorted(maps.Keys(f.instances)) {
		if !f.untagged[id] {
			shown = append(shown, f.instances[id])
		}
	}
	during, delay, err := f.during, f.delay, f.listErr
	f.mu.Unlock()
	if during != nil {
		during()
	}
	if !pass(ctx, delay) {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	for page := range slices.Chunk(shown, 1000) {
		f.mu.Lock()
		f.pages++
		f.mu.Unlock()
		if err := yield(page); err != nil {
			return err
		}
	}
	return nil
}

func (f *fakeEC2) Look(ctx context.Context, ids []string) ([]cloud.Instance, error) {
	f.mu.Lock()
	f.looks = append(f.looks, look{time.Now(), ids})
	var shown []cloud.Instance
	for _, id := range ids {
		if i, ok := f.instances[id]; ok {
			shown = append(shown, i)
		}
	}
	delay, err := f.delay, f.lookErr
	f.mu.Unlock()
	if !pass(ctx, delay) {
		return nil, ctx.Err()
	}
	return shown, err
}

func (f *fakeEC2) ListStatuses(ctx context.Context, yield func([]cloud.InstanceStatus) error) error {
	f.mu.Lock()
	f.statusLists = append(f.statusLists, time.Now())
	var shown []cloud.InstanceStatus
	for _, id := range slices.Sorted(maps.Keys(f.instances)) {
		if f.instances[id].State != cloud.StateRunning || f.hidden[id] {
			continue
		}
		s, ok := f.statuses[id]
		if !ok {
			s = checks(cloud.CheckInitializing)
		}
		s.ID, s.State = id, cloud.StateRunning
		shown = append(shown, s)
	}
	during, delay, err := f.duringStatuses, f.statusDelay, f.statusErr
	f.mu.Unlock()
	if during != nil {
		during()
	}
	if !pass(ctx, delay) {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	return yield(shown)
}

// checks is a status whose checks all have the same result.
func checks(r cloud.CheckResult) cloud.InstanceStatus {
	c := cloud.Check{Result: r}
	return cloud.InstanceStatus{System: c, Instance: c, AttachedEBS: c}
}

func (f *fakeEC2) setStatus(n int, s cloud.InstanceStatus) {
	f.change(func() { f.statuses[id(n)] = s })
}

func (f *fakeEC2) statusCalls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.statusLists)
}

// pass lets time pass, unless ctx ends first.
func pass(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func (f *fakeEC2) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

func (f *fakeEC2) set(i cloud.Instance) { f.change(func() { f.instances[i.ID] = i }) }

func (f *fakeEC2) setState(id string, s cloud.State) {
	f.change(func() {
		i := f.instances[id]
		i.State = s
		f.instances[id] = i
	})
}

func (f *fakeEC2) counts() (lists, looks int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lists, len(f.looks)
}

func owner(n int) cloud.Owner {
	return cloud.Owner{UID: types.UID(fmt.Sprintf("uid-%04d", n)), Namespace: "shop", Name: fmt.Sprintf("web-%d", n)}
}

// instance is owner n's.
func instance(n int, s cloud.State) cloud.Instance {
	return cloud.Instance{
		ID: id(n), State: s, Tags: cloud.IdentityTags(testCluster, owner(n)), ClientToken: cloud.ClientToken(testCluster, owner(n).UID, 1),
	}
}

func id(n int) string { return fmt.Sprintf("i-%04d", n) }

// watch is an observer under test, in a bubble.
type watch struct {
	*testing.T
	observer *Observer
	ec2      *fakeEC2
	view     *View
	stop     func()

	mu     sync.Mutex
	told   []string
	synced []Scope
}

// middle is the random number that makes jitter vanish.
func middle() float64 { return 0.5 }

// inBubble runs an observer of f, whose first list is done when the test begins.
func inBubble(t *testing.T, f *fakeEC2, test func(*watch)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := startWatch(t, New(Options{Cluster: testCluster, Random: middle}))
		w.ec2 = f
		w.view = w.observer.Track(testScope, f, testInterval)
		synctest.Wait()
		w.forgetWhatWasTold()
		test(w)
	})
}

func startWatch(t *testing.T, o *Observer) *watch {
	t.Helper()
	w := &watch{T: t, observer: o}
	o.OnChange(func(owner cloud.Owner) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told = append(w.told, owner.Name)
	})
	o.OnSynced(func(s Scope) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.synced = append(w.synced, s)
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- o.Start(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.stop)
	return w
}

func (w *watch) forgetWhatWasTold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = nil
}

// after lets time pass and returns who was told since.
func (w *watch) after(d time.Duration) []string {
	time.Sleep(d)
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	told := w.told
	w.told = nil
	return told
}

// expectTold lets time pass and checks who was told, in any order.
func (w *watch) expectTold(d time.Duration, want ...string) {
	w.Helper()
	got := w.after(d)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.Errorf("told %v, want %v", got, want)
	}
}

func (w *watch) entry(n int) Entry {
	w.Helper()
	e, ok := w.view.ByID(id(n))
	if !ok {
		w.Fatalf("%s is not in the store", id(n))
	}
	return e
}

func (w *watch) expectState(n int, s cloud.State) {
	w.Helper()
	if got := w.entry(n).State; got != s {
		w.Errorf("%s is %s, want %s", id(n), got, s)
	}
}
