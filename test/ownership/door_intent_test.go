// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/test/ownership/intents"
)

// drawn is an intent for any object.
type drawn struct {
	manager     apply.Manager
	force       bool
	subresource string
	config      intents.Config
}

func (d drawn) key() string { return string(d.manager) + "/" + d.subresource }

func drawIntent(t *rapid.T) drawn {
	d := drawn{manager: rapid.SampledFrom([]apply.Manager{"a", "b", "c"}).Draw(t, "manager"), force: rapid.Bool().Draw(t, "force")}
	if rapid.Bool().Draw(t, "status") {
		d.subresource, d.config = apply.SubresourceStatus, intents.Status("", namespace).Draw(t, "intent")
	} else {
		d.config = intents.Main("", namespace).Draw(t, "intent")
	}
	return d
}

// newPair makes two objects that are the same.
func newPair(t *rapid.T, n int) (through, past *way) {
	t.Helper()
	through, past = newWay(t, fmt.Sprintf("through-%d", n), shared.RESTConfig()), newWay(t, fmt.Sprintf("past-%d", n), shared.RESTConfig())
	for _, w := range []*way{through, past} {
		w.create("base")
		t.Cleanup(newScene(t, instances, w.name).tearDown)
	}
	return through, past
}

// forObject is the intent for one object.
func (d drawn) forObject(w *way) intents.Config {
	w.t.Helper()
	out := &ec2v1ac.EC2InstanceApplyConfiguration{}
	if err := json.Unmarshal(marshal(w.t, d.config), out); err != nil {
		w.t.Fatal(err)
	}
	return out.WithName(w.name)
}

// through sends it through the door, and tells the outcome.
func (d drawn) through(w *way) (string, error) {
	w.t.Helper()
	w.later()
	live := w.live()
	config := d.forObject(w).WithUID(live.UID).WithResourceVersion(live.ResourceVersion)
	result, err := w.door.Apply(w.t.Context(), live, apply.Intent{Config: config, Manager: d.manager, Subresource: d.subresource, Force: d.force})
	if err != nil {
		return "refused", err
	}
	if len(result.Left) > 0 {
		w.t.Fatalf("left to others: %v", result.Left)
	}
	return string(result.Outcome), nil
}

// past sends it with a plain client, and tells what the API server had against it.
func (d drawn) past(w *way) string {
	w.t.Helper()
	opts := []client.ApplyOption{client.FieldOwner(d.manager)}
	if d.force {
		opts = append(opts, client.ForceOwnership)
	}
	if d.subresource == "" {
		return causes(w.client.Apply(w.t.Context(), d.forObject(w), opts...))
	}
	sub := &client.SubResourceApplyOptions{}
	sub.ApplyOptions.ApplyOptions(opts)
	return causes(w.client.SubResource(d.subresource).Apply(w.t.Context(), d.forObject(w), sub))
}

// causes are the fields that the API server complains of and what it says of them, without the object's name. Most are conflicts; a value
// that is taken by force and then given up can leave something that is not valid.
func causes(err error) string {
	if err == nil {
		return ""
	}
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
func (w *way) essence() map[string]any {
	w.t.Helper()
	raw, err := direct.get(w.t.Context(), instances.path(instances.Version, namespace, w.name, ""))
	if err != nil {
		w.t.Fatal(err)
	}
	out := raw.DeepCopy()
	unstructured.RemoveNestedField(out.Object, "metadata", "name")
	return map[string]any{"content": asMap(content(out)), "generation": raw.GetGeneration(), "ownership": ownersOf(raw).entries}
}
