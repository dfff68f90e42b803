// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
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
)

// Result is what became of an intent, and the identity of the object after it.
type Result struct {
	Outcome         Outcome
	UID             types.UID
	ResourceVersion string
}

// Applier applies intents.
type Applier struct {
	client    client.Client
	predictor *Predictor
	writes    writes
}

// New returns an Applier that writes through c. Kinds that p does not know are always sent.
func New(c client.Client, p *Predictor) *Applier {
	return &Applier{client: c, predictor: p}
}

// Apply sends the intent as one server-side apply, or nothing when live shows that nothing would change. live
// is the object as the cache has it, with its managedFields; nil sends in any case.
//
// The error is a *ConflictError, a *StaleError or a *GoneError where the API server says so.
func (a *Applier) Apply(ctx context.Context, live client.Object, in Intent) (Result, error) {
	body, err := in.body()
	if err != nil {
		return Result{}, err
	}
	if err := in.check(body); err != nil {
		return Result{}, err
	}
	if live != nil && a.predictor.NoOp(live, body, in) {
		return Result{Outcome: Skipped, UID: live.GetUID(), ResourceVersion: live.GetResourceVersion()}, nil
	}
	if err := classify(in.Manager, a.send(ctx, in)); err != nil {
		return Result{}, err
	}
	result, err := result(basis(live, body), in)
	if err != nil {
		return Result{}, err
	}
	a.writes.record(result.UID, result.ResourceVersion)
	return result, nil
}

// Fresh tells whether live, an object from the cache, contains all that this Applier has written to it. A
// reconciler does not decide on one that does not: it comes back when the cache has caught up.
func (a *Applier) Fresh(live client.Object) bool {
	return a.writes.contained(live.GetUID(), live.GetResourceVersion())
}

// Forget drops what Fresh remembers of an object that is gone.
func (a *Applier) Forget(uid types.UID) { a.writes.forget(uid) }

func (a *Applier) send(ctx context.Context, in Intent) error {
	opts := []client.ApplyOption{client.FieldOwner(in.Manager)}
	if in.Force {
		opts = append(opts, client.ForceOwnership)
	}
	if in.Subresource == "" {
		return a.client.Apply(ctx, in.Config, opts...) //nolint:wrapcheck // classify wraps it.
	}
	sub := &client.SubResourceApplyOptions{}
	sub.ApplyOptions.ApplyOptions(opts)
	return a.client.SubResource(in.Subresource).Apply(ctx, in.Config, sub) //nolint:wrapcheck // The same.
}

// basis is the resourceVersion that the API server has if nobody else writes: the one that the intent is
// guarded by, since that may be newer than the cache, or the cache's. It is empty where neither is known.
func basis(live client.Object, body *unstructured.Unstructured) string {
	if version := body.GetResourceVersion(); version != "" || live == nil {
		return version
	}
	return live.GetResourceVersion()
}

// result reads the answer, which the client has put in the place of the intent. An object without a version is
// taken for changed.
func result(basis string, in Intent) (Result, error) {
	answer, err := in.body()
	if err != nil {
		return Result{}, fmt.Errorf("reading the API server's answer: %w", err)
	}
	out := Result{Outcome: Changed, UID: answer.GetUID(), ResourceVersion: answer.GetResourceVersion()}
	if basis != "" && basis == out.ResourceVersion {
		out.Outcome = Unchanged
	}
	return out, nil
}
