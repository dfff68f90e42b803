// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// verb is how a request writes.
type verb string

const (
	apply     verb = "apply"
	create    verb = "create"
	update    verb = "update"
	merge     verb = "merge patch"
	strategic verb = "strategic merge patch"
	patch     verb = "JSON patch"
	erase     verb = "delete"
)

// guard is a uid or resourceVersion that a request carries.
type guard string

const (
	none  guard = ""
	live  guard = "live"
	old   guard = "first"
	other guard = "another"
)

// op is one request, for any world.
type op struct {
	verb    verb
	manager string
	// status: at the status endpoint.
	status, force, dryRun bool
	uid, version          guard
	// body of an apply or a creation, or the merge patch; an update is the live object with body merged into it.
	body map[string]any
	// ops of a JSON patch.
	ops []map[string]any
	// policy of a deletion.
	policy metav1.DeletionPropagation
}

func (o op) String() string {
	body, _ := json.Marshal(o.body)
	ops, _ := json.Marshal(o.ops)
	return fmt.Sprintf("%s by %q status=%t force=%t dryRun=%t uid=%q version=%q policy=%q %s %s", o.verb, o.manager, o.status, o.force, o.dryRun, o.uid, o.version, o.policy, body, ops)
}

const otherUID = "00000000-0000-4000-8000-000000000000"

// uidFor and versionFor are the guards in a world.
func (o op) uidFor(w *world) types.UID {
	switch {
	case o.uid == other:
		return otherUID
	case o.uid == live && w.live != nil:
		return w.live.GetUID()
	case o.uid == old && w.first != nil:
		return w.first.GetUID()
	}
	return ""
}

func (o op) versionFor(w *world) string {
	switch {
	case o.version == other:
		return "1"
	case o.version == live && w.live != nil:
		return w.live.GetResourceVersion()
	case o.version == old && w.first != nil:
		return w.first.GetResourceVersion()
	}
	return ""
}

func (o op) guarded(w *world, obj *unstructured.Unstructured) *unstructured.Unstructured {
	if uid := o.uidFor(w); uid != "" {
		obj.SetUID(uid)
	}
	if version := o.versionFor(w); version != "" {
		obj.SetResourceVersion(version)
	}
	return obj
}

// entry stands for an entry of managedFields in a JSON patch: the first by name. Which comes first in the list depends on
// the second in which each was written.
const entry = "ENTRY"

func (w *world) entryIndex() string {
	if w.live == nil || len(w.live.GetManagedFields()) == 0 {
		return "0"
	}
	all := w.live.GetManagedFields()
	name := func(e metav1.ManagedFieldsEntry) string {
		return e.Manager + " " + string(e.Operation) + " " + e.Subresource
	}
	first := slices.MinFunc(all, func(a, b metav1.ManagedFieldsEntry) int { return cmp.Compare(name(a), name(b)) })
	return strconv.Itoa(slices.IndexFunc(all, func(e metav1.ManagedFieldsEntry) bool { return name(e) == name(first) }))
}

// run makes the request. The object is the answer's; nil where it has none.
func (o op) run(w *world) (*unstructured.Unstructured, error) {
	ctx := context.Background()
	switch o.verb {
	case apply:
		obj := o.guarded(w, w.merged(w.empty(), o.body))
		return obj, o.apply(ctx, w, obj)
	case create:
		obj := o.guarded(w, w.merged(w.empty(), o.body))
		opts := []client.CreateOption{client.FieldOwner(o.manager)}
		if o.dryRun {
			opts = append(opts, client.DryRunAll)
		}
		return obj, w.client.Create(ctx, obj, opts...)
	case update:
		base := w.empty()
		if w.live != nil {
			base = w.live.DeepCopy()
		}
		obj := o.guarded(w, w.merged(base, o.body))
		return obj, o.update(ctx, w, obj)
	case merge, strategic:
		obj := w.empty()
		text, _ := json.Marshal(o.guarded(w, &unstructured.Unstructured{Object: runtime.DeepCopyJSON(o.body)}).Object)
		kind := types.MergePatchType
		if o.verb == strategic {
			kind = types.StrategicMergePatchType
		}
		return obj, o.patch(ctx, w, obj, client.RawPatch(kind, text))
	case patch:
		obj := w.empty()
		text, _ := json.Marshal(o.ops)
		text = bytes.ReplaceAll(text, []byte(entry), []byte(w.entryIndex()))
		return obj, o.patch(ctx, w, obj, client.RawPatch(types.JSONPatchType, text))
	default:
		return nil, o.delete(ctx, w)
	}
}

func (o op) apply(ctx context.Context, w *world, obj *unstructured.Unstructured) error {
	opts := []client.ApplyOption{client.FieldOwner(o.manager)}
	if o.force {
		opts = append(opts, client.ForceOwnership)
	}
	if o.dryRun {
		opts = append(opts, client.DryRunAll)
	}
	config := client.ApplyConfigurationFromUnstructured(obj)
	if !o.status {
		return w.client.Apply(ctx, config, opts...)
	}
	sub := &client.SubResourceApplyOptions{}
	sub.ApplyOptions.ApplyOptions(opts)
	return w.client.Status().Apply(ctx, config, sub)
}

func (o op) update(ctx context.Context, w *world, obj *unstructured.Unstructured) error {
	opts := &client.UpdateOptions{FieldManager: o.manager}
	if o.dryRun {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	if !o.status {
		return w.client.Update(ctx, obj, opts)
	}
	return w.client.Status().Update(ctx, obj, &client.SubResourceUpdateOptions{UpdateOptions: *opts})
}

func (o op) patch(ctx context.Context, w *world, obj *unstructured.Unstructured, p client.Patch) error {
	opts := &client.PatchOptions{FieldManager: o.manager}
	if o.dryRun {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	if !o.status {
		return w.client.Patch(ctx, obj, p, opts)
	}
	return w.client.Status().Patch(ctx, obj, p, &client.SubResourcePatchOptions{PatchOptions: *opts})
}

func (o op) delete(ctx context.Context, w *world) error {
	opts := &client.DeleteOptions{}
	if uid := o.uidFor(w); uid != "" {
		opts.Preconditions = &metav1.Preconditions{UID: &uid}
	}
	if version := o.versionFor(w); version != "" {
		if opts.Preconditions == nil {
			opts.Preconditions = &metav1.Preconditions{}
		}
		opts.Preconditions.ResourceVersion = &version
	}
	if o.policy != "" {
		opts.PropagationPolicy = &o.policy
	}
	if o.dryRun {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	return w.client.Delete(ctx, w.empty(), opts)
}

// merged is an object with a merge patch in it (RFC 7386), but for null, which stays.
func (w *world) merged(onto *unstructured.Unstructured, change map[string]any) *unstructured.Unstructured {
	onto.Object = mergeInto(onto.Object, runtime.DeepCopyJSON(change))
	return onto
}

func mergeInto(into, change map[string]any) map[string]any {
	if into == nil {
		into = map[string]any{}
	}
	for name, value := range change {
		if inner, isMap := value.(map[string]any); isMap {
			below, _ := into[name].(map[string]any)
			into[name] = mergeInto(below, inner)
		} else {
			into[name] = value
		}
	}
	return into
}
