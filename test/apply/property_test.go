// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/test/apply/intents"
)

// steps is how many applies one object gets.
const steps = 20

// TestTheDoorChangesNothingElse: of two objects, one gets the intents of three managers through the door, with the live object at hand,
// and the other through a plain client. They stay the same, in content and ownership, and so do the answers.
func TestTheDoorChangesNothingElse(t *testing.T) {
	t.Logf("rapid's seed is %s", flag.Lookup("rapid.seed").Value)
	var objects atomic.Int64
	outcomes := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		n := objects.Add(1)
		door, plain := newRig(t, fmt.Sprintf("door-%d", n)), newRig(t, fmt.Sprintf("plain-%d", n))
		for _, r := range []*rig{door, plain} {
			r.create("base", r.base)
		}
		latest := map[string]drawn{}
		for range steps {
			in := drawIntent(t)
			// What a controller applies most often is what it has applied before.
			if again, ok := latest[in.key()]; ok && rapid.Bool().Draw(t, "again") {
				in = again
			}
			latest[in.key()] = in
			outcome := throughDoor(door, in)
			answer := throughClient(plain, in)
			reason, _, _ := strings.Cut(outcome, ";")
			outcomes[reason]++
			if outcome == string(apply.Skipped) || outcome == string(apply.Unchanged) || outcome == string(apply.Changed) {
				outcome = ""
			}
			if outcome != answer {
				t.Fatalf("through the door: %q, through a client: %q", outcome, answer)
			}
			door.same(plain.essence(), door.essence())
		}
	})
	t.Logf("Outcomes: %v", outcomes)
	for _, outcome := range []string{string(apply.Skipped), string(apply.Changed), string(metav1.StatusReasonConflict)} {
		if outcomes[outcome] == 0 {
			t.Errorf("no intent was %s: %v", outcome, outcomes)
		}
	}
	// The live object was at hand, so what changes nothing was never sent.
	if n := outcomes[string(apply.Unchanged)]; n != 0 {
		t.Errorf("%d intents were sent for nothing", n)
	}
}

// drawn is an intent for any object.
type drawn struct {
	manager     apply.Manager
	force       bool
	subresource string
	config      intents.Config
}

func (d drawn) key() string { return string(d.manager) + "/" + d.subresource }

func drawIntent(t *rapid.T) drawn {
	d := drawn{manager: rapid.SampledFrom([]apply.Manager{a, b, c}).Draw(t, "manager"), force: rapid.Bool().Draw(t, "force")}
	if rapid.Bool().Draw(t, "status") {
		d.subresource, d.config = apply.SubresourceStatus, intents.Status("", namespace).Draw(t, "intent")
	} else {
		d.config = intents.Main("", namespace).Draw(t, "intent")
	}
	return d
}

// forObject is the intent for one object.
func (d drawn) forObject(r *rig) intents.Config {
	r.t.Helper()
	out := &ec2v1ac.EC2InstanceApplyConfiguration{}
	r.must(json.Unmarshal([]byte(pretty(r.t, d.config)), out))
	return out.WithName(r.name)
}

// throughDoor tells the outcome or the error.
func throughDoor(r *rig, d drawn) string {
	r.t.Helper()
	live := r.live()
	config := d.forObject(r).WithUID(live.UID).WithResourceVersion(live.ResourceVersion)
	result, err := r.applier.Apply(context.Background(), live, apply.Intent{Config: config, Manager: d.manager, Subresource: d.subresource, Force: d.force})
	if err != nil {
		return causes(err)
	}
	return string(result.Outcome)
}

// throughClient tells the error, if any.
func throughClient(r *rig, d drawn) string {
	r.t.Helper()
	opts := []client.ApplyOption{client.FieldOwner(d.manager)}
	if d.force {
		opts = append(opts, client.ForceOwnership)
	}
	var err error
	if d.subresource == "" {
		err = r.client.Apply(context.Background(), d.forObject(r), opts...)
	} else {
		sub := &client.SubResourceApplyOptions{}
		sub.ApplyOptions.ApplyOptions(opts)
		err = r.client.SubResource(d.subresource).Apply(context.Background(), d.forObject(r), sub)
	}
	if err != nil {
		return causes(err)
	}
	return ""
}

// causes are the fields that the API server complains of and what it says of them, without the object's name. Most are conflicts; a value
// that is taken by force and then given up can leave something that is not valid.
func causes(err error) string {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.ErrStatus.Details == nil || len(status.ErrStatus.Details.Causes) == 0 {
		return err.Error()
	}
	var out []string
	for _, cause := range status.ErrStatus.Details.Causes {
		out = append(out, cause.Field+": "+cause.Message)
	}
	slices.Sort(out) // The API server gives them in no order.
	return strings.Join(append([]string{string(status.ErrStatus.Reason)}, out...), "; ")
}

// essence is what of an object does not depend on its name or on when it was written.
func (r *rig) essence() map[string]any {
	r.t.Helper()
	raw := r.raw()
	ownership := map[string]any{}
	for _, e := range raw.GetManagedFields() {
		ownership[fmt.Sprintf("%s %s %s", e.Manager, e.Operation, e.Subresource)] = e.FieldsV1.GetRawString()
	}
	return map[string]any{
		"spec": raw.Object["spec"], "status": raw.Object["status"], "labels": raw.GetLabels(), "annotations": raw.GetAnnotations(),
		"finalizers": raw.GetFinalizers(), "generation": raw.GetGeneration(), "ownership": ownership,
	}
}
