// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// world is one API server, and one object in it that may not exist.
type world struct {
	t      rapid.TB
	name   string
	client client.Client
	target *unstructured.Unstructured

	// live is the object as it is, and first as it was when it was first seen; nil while there is none.
	live, first *unstructured.Unstructured
	// uids that the object has had.
	uids []types.UID
}

// step is what one request did in one world.
type step struct {
	Answer answer
	// Object without what differs from server to server; nil where there is none.
	Object map[string]any
	// Owners: manager, operation, subresource and apiVersion -> fields.
	Owners map[string]string
	// Changed: the resourceVersion is another than before.
	Changed bool
}

// answer is an error, or nothing.
type answer struct {
	Code    int32
	Reason  string
	Message string
	Causes  []string
}

// do makes a request and tells what it did.
func (w *world) do(o op) step {
	w.t.Helper()
	var before string
	if w.live != nil {
		before = w.live.GetResourceVersion()
	}
	after, err := o.run(w)
	if err == nil && after != nil && !o.dryRun && after.GetDeletionTimestamp() == nil {
		w.see(after)
	} else {
		w.look()
	}
	out := step{Answer: w.answerOf(err)}
	shown := w.live
	if o.dryRun && err == nil {
		shown = after
	}
	if shown != nil {
		out.Object, out.Owners = w.essence(shown)
	}
	if w.live != nil {
		out.Changed = w.live.GetResourceVersion() != before
	}
	return out
}

// look reads the object.
func (w *world) look() {
	w.t.Helper()
	obj := w.empty()
	err := w.client.Get(context.Background(), client.ObjectKeyFromObject(w.target), obj)
	if apierrors.IsNotFound(err) {
		w.live = nil
		return
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.see(obj)
}

func (w *world) see(obj *unstructured.Unstructured) {
	w.live = obj
	if w.first == nil {
		w.first = obj
	}
	if !slices.Contains(w.uids, obj.GetUID()) {
		w.uids = append(w.uids, obj.GetUID())
	}
}

// empty is the object with nothing but its identity.
func (w *world) empty() *unstructured.Unstructured { return w.target.DeepCopy() }

var (
	moments = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	// The whole object, in an order that differs, and the name of a Go file.
	wholes   = regexp.MustCompile(`patch: Invalid value: ".*?[^\\]": `)
	schemes  = regexp.MustCompile(`in scheme ".*"`)
	versions = regexp.MustCompile(`(\(|nodePort: Duplicate value: |ResourceVersion in (?:precondition|object meta): )\d+`)
	goTimes  = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^"}]*`)
)

// text is what an API server says, without what differs from server to server.
func (w *world) text(s string) string {
	for i, uid := range w.uids {
		s = strings.ReplaceAll(s, string(uid), fmt.Sprintf("uid-%d", i))
	}
	for name, obj := range map[string]*unstructured.Unstructured{"live": w.live, "first": w.first} {
		if obj != nil {
			s = strings.ReplaceAll(s, fmt.Sprintf("%q", obj.GetResourceVersion()), name)
		}
	}
	s = wholes.ReplaceAllString(s, "patch: Invalid value: ")
	s = schemes.ReplaceAllString(s, "in scheme")
	s = versions.ReplaceAllString(s, "${1}VERSION")
	return goTimes.ReplaceAllString(moments.ReplaceAllString(s, "TIME"), "TIME")
}

func (w *world) answerOf(err error) answer {
	w.t.Helper()
	if err == nil {
		return answer{}
	}
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		w.t.Fatalf("the error is no answer: %v", err)
	}
	s := status.ErrStatus
	out := answer{Code: s.Code, Reason: string(s.Reason), Message: w.text(s.Message)}
	if s.Code == http.StatusInternalServerError {
		out.Message, _, _ = strings.Cut(out.Message, "): ") // One of the fields that the schema does not allow, any.
	}
	if s.Details != nil && len(s.Details.Causes) > 0 {
		out.Message = "" // It lists the causes, in no order.
		for _, cause := range s.Details.Causes {
			out.Causes = append(out.Causes, w.text(fmt.Sprintf("%s: %s: %s", cause.Type, cause.Field, cause.Message)))
		}
		slices.Sort(out.Causes)
	}
	return out
}

// essence is what of an object does not differ from server to server.
func (w *world) essence(obj *unstructured.Unstructured) (map[string]any, map[string]string) {
	w.t.Helper()
	obj = obj.DeepCopy()
	owners := map[string]string{}
	for _, e := range obj.GetManagedFields() {
		owners[fmt.Sprintf("%s %s %s %s", e.Manager, e.Operation, e.Subresource, e.APIVersion)] += w.text(e.FieldsV1.GetRawString())
	}
	for _, name := range []string{"managedFields", "uid", "resourceVersion", "creationTimestamp"} {
		unstructured.RemoveNestedField(obj.Object, "metadata", name)
	}
	if obj.GetDeletionTimestamp() != nil {
		_ = unstructured.SetNestedField(obj.Object, "set", "metadata", "deletionTimestamp")
	}
	maskAllotted(obj)
	if obj.GetKind() == "Namespace" && len(obj.GetFinalizers()) > 0 {
		obj.SetFinalizers(slices.Sorted(slices.Values(obj.GetFinalizers()))) // A deletion brings them into any order.
	}
	text, err := json.Marshal(obj.Object)
	if err != nil {
		w.t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal([]byte(w.text(string(text))), &out); err != nil {
		w.t.Fatal(err)
	}
	return out, owners
}

// maskAllotted hides addresses and ports that the server has chosen.
func maskAllotted(obj *unstructured.Unstructured) {
	spec, ok := obj.Object["spec"].(map[string]any)
	if !ok || obj.GetKind() != "Service" {
		return
	}
	if ip, ok := spec["clusterIP"].(string); ok && ip != "None" {
		spec["clusterIP"], spec["clusterIPs"] = "chosen", "chosen"
	}
	ports, _ := spec["ports"].([]any)
	for _, port := range ports {
		if p, ok := port.(map[string]any); ok && p["nodePort"] != nil {
			p["nodePort"] = "chosen"
		}
	}
}
