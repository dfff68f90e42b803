// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Outcome is what became of an intent.
type Outcome string

// The outcomes.
const (
	// Skipped: nothing was sent, since the cached object shows that nothing would change.
	Skipped Outcome = "Skipped"
	// Unchanged: it was sent and the API server changed nothing.
	Unchanged Outcome = "Unchanged"
	// Changed: it was sent and the object changed, or was created.
	Changed Outcome = "Changed"
	// Deleted: the object was given up (Withdraw), and it is being deleted.
	Deleted Outcome = "Deleted"
)

// Result is what became of an intent, and the identity of the object after it.
type Result struct {
	Outcome         Outcome
	UID             types.UID
	ResourceVersion string
	// Taken are the fields that were taken from others by force, and Left those that were left to them for now.
	Taken []Conflict
	Left  []Left
}

// Applier applies intents.
type Applier struct {
	client    client.Client
	predictor *Predictor
	clock     clock.PassiveClock
	metrics   *Metrics
	writes    writes
	contests  contests
	noOps     noOps
}

// Option changes an Applier.
type Option func(*Applier)

// WithMetrics counts what becomes of intents.
func WithMetrics(m *Metrics) Option { return func(a *Applier) { a.metrics = m } }

// WithClock tells the time by another clock than the system's.
func WithClock(c clock.PassiveClock) Option { return func(a *Applier) { a.clock = c } }

// New returns an Applier that writes through c. Kinds that p does not know are always sent.
func New(c client.Client, p *Predictor, options ...Option) *Applier {
	a := &Applier{client: c, predictor: p, clock: clock.RealClock{}, noOps: newNoOps()}
	for _, o := range options {
		o(a)
	}
	return a
}

// Apply sends the intent as one server-side apply, or nothing when live shows that nothing would change. live
// is the object as the cache has it, with its managedFields; nil sends in any case.
//
// The error is a *ConflictError, a *StaleError or a *GoneError where the API server says so.
func (a *Applier) Apply(ctx context.Context, live client.Object, in Intent) (Result, error) {
	draft, err := a.Draft(live, in)
	if err != nil {
		return Result{}, err
	}
	return a.Send(ctx, draft)
}

// Send sends a draft, once, or nothing when nothing would change; see Apply.
func (a *Applier) Send(ctx context.Context, d *Draft) (Result, error) {
	if err := a.disinherit(ctx, d); err != nil {
		return Result{}, err
	}
	a.metrics.decided(d)
	if d.prediction.NoOp {
		return Result{Outcome: Skipped, UID: d.live.GetUID(), ResourceVersion: d.live.GetResourceVersion(), Left: d.Left}, nil
	}
	result, err := a.sendNoted(ctx, d)
	a.metrics.answered(d, result.Outcome, err)
	if err != nil {
		return Result{}, err
	}
	for _, c := range d.Taken {
		a.contests.took(d.contest(c), result.ResourceVersion, a.clock.Now())
	}
	return result, nil
}

// Fresh tells whether live, an object from the cache, contains all that this Applier has written to it. A
// reconciler does not decide on one that does not: it comes back when the cache has caught up.
func (a *Applier) Fresh(live client.Object) bool {
	return a.writes.contained(live.GetUID(), live.GetResourceVersion(), a.clock.Now())
}

// Foreign tells whether somebody else has written live, as a watch event shows it, after all that this Applier has: another process
// of ours, perhaps, with the same manager's name. A write whose answer was lost counts as somebody else's.
func (a *Applier) Foreign(live client.Object) bool {
	return a.writes.foreign(live.GetUID(), live.GetResourceVersion())
}

// Forget drops what is remembered of an object that is gone.
func (a *Applier) Forget(uid types.UID) {
	a.ForgetWrites(uid)
	a.contests.forget(uid)
}

// ForgetWrites drops what Fresh remembers of an object that the cache no longer shows, though it may be there: a label
// that the cache selects by may have been taken from it. Fights over it are remembered, the one over that label too.
func (a *Applier) ForgetWrites(uid types.UID) { a.writes.forget(uid) }

// sendNoted sends, and remembers what was written. Its watch event may come before the answer.
func (a *Applier) sendNoted(ctx context.Context, d *Draft) (Result, error) {
	if d.live != nil {
		sent := a.writes.sending(d.live.GetUID())
		defer sent()
	}
	result, err := a.send(ctx, d)
	if err == nil {
		a.writes.record(result.UID, result.ResourceVersion, a.clock.Now())
	}
	return result, err
}

// send makes the request and reads the answer.
func (a *Applier) send(ctx context.Context, d *Draft) (Result, error) {
	config := d.config()
	if err := a.request(ctx, d.intent, config); err != nil {
		return Result{}, classify(d.intent.Manager, err, d.before, d.body)
	}
	answer, err := bodyOf(config)
	if err != nil {
		return Result{}, fmt.Errorf("reading the API server's answer: %w", err)
	}
	if config != d.intent.Config && reflect.TypeOf(config) != reflect.TypeOf(d.intent.Config) {
		if err := answerInto(d.intent.Config, answer); err != nil {
			return Result{}, fmt.Errorf("reading the API server's answer: %w", err)
		}
	}
	out := Result{Outcome: Changed, UID: answer.GetUID(), ResourceVersion: answer.GetResourceVersion(), Taken: d.Taken, Left: d.Left}
	if basis := d.basis(); basis != "" && basis == out.ResourceVersion {
		out.Outcome = Unchanged
	}
	return out, nil
}

// config is what is sent. What takes from others is guarded by the version that it was decided on: on an older one the fields may have
// been taken back by somebody of ours, who has told of it.
func (d *Draft) config() runtime.ApplyConfiguration {
	guarded := len(d.Taken) > 0 && d.body.GetResourceVersion() == ""
	if len(d.Left) == 0 && !guarded {
		return d.intent.Config
	}
	body := d.body.DeepCopy()
	if guarded {
		body.SetResourceVersion(d.version())
	}
	return client.ApplyConfigurationFromUnstructured(body)
}

func (a *Applier) request(ctx context.Context, in Intent, config runtime.ApplyConfiguration) error {
	opts := []client.ApplyOption{client.FieldOwner(in.Manager)}
	if in.Force {
		opts = append(opts, client.ForceOwnership)
	}
	if in.Subresource == "" {
		return a.client.Apply(ctx, config, opts...) //nolint:wrapcheck // classify wraps it.
	}
	sub := &client.SubResourceApplyOptions{}
	sub.ApplyOptions.ApplyOptions(opts)
	return a.client.SubResource(in.Subresource).Apply(ctx, config, sub) //nolint:wrapcheck // The same.
}

// basis is the resourceVersion that the API server has if nobody else writes: the one that the intent is
// guarded by, since that may be newer than the cache, or the cache's. It is empty where neither is known.
func (d *Draft) basis() string {
	if version := d.body.GetResourceVersion(); version != "" {
		return version
	}
	return d.version()
}
