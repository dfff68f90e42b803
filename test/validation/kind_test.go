// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// owner is the field manager of these tests.
const owner = client.FieldOwner("validation-test")

// kind is one kind of the API and what is said of it.
type kind struct {
	name string
	// base is the smallest object that is accepted, as YAML.
	base  string
	rows  []row
	moves []move
}

// object is the base with a patch of one section merged into it.
func (k kind) object(t *testing.T, name string, s section, patch string) *unstructured.Unstructured {
	t.Helper()
	base, err := yaml.YAMLToJSON([]byte(k.base))
	if err != nil {
		t.Fatalf("base: %v", err)
	}
	change, err := yaml.YAMLToJSONStrict([]byte("metadata: {name: " + name + "}"))
	if err != nil {
		t.Fatalf("name %q: %v", name, err)
	}
	merged := merge(t, base, change)
	if patch != "" {
		value, err := yaml.YAMLToJSONStrict([]byte(patch))
		if err != nil {
			t.Fatalf("patch %s: %v", patch, err)
		}
		wrapped, err := json.Marshal(map[section]json.RawMessage{s: value})
		if err != nil {
			t.Fatalf("patch %s: %v", patch, err)
		}
		merged = merge(t, merged, wrapped)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(merged); err != nil {
		t.Fatal(err)
	}
	return object
}

func merge(t *testing.T, document, patch []byte) []byte {
	t.Helper()
	merged, err := jsonpatch.MergePatch(document, patch)
	if err != nil {
		t.Fatalf("merging %s: %v", patch, err)
	}
	return merged
}

// check asks the API server about every row, without storing anything, and about every move.
func (k kind) check(t *testing.T) {
	t.Helper()
	c := newClient(t)
	stored := k.object(t, "stored-for-status", spec, "")
	if err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(stored), owner); err != nil {
		t.Fatalf("storing the base: %v", err)
	}
	for _, row := range k.rows {
		t.Run(row.name(), func(t *testing.T) {
			expect(t, k.ask(t, c, row), row.refused)
		})
	}
	for i, move := range k.moves {
		t.Run(move.name(), func(t *testing.T) {
			name := fmt.Sprintf("moves-%d", i)
			before, after := k.object(t, name, spec, move.before), k.object(t, name, spec, move.after)
			if err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(before), owner); err != nil {
				t.Fatalf("storing what was before: %v", err)
			}
			expect(t, c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(after), owner, client.DryRunAll), move.refused)
		})
	}
}

// ask sends the row's object as a dry run.
func (k kind) ask(t *testing.T, c client.Client, r row) error {
	t.Helper()
	switch {
	case r.create:
		return c.Create(t.Context(), k.object(t, "row", r.section, r.patch), owner, client.DryRunAll)
	case r.section == status:
		object := k.object(t, "stored-for-status", status, r.patch)
		unstructured.RemoveNestedField(object.Object, string(spec))
		return c.Status().Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object), owner, client.DryRunAll)
	}
	object := k.object(t, "row", r.section, r.patch)
	return c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object), owner, client.DryRunAll)
}

func expect(t *testing.T, err error, refused []string) {
	t.Helper()
	if diff := cmp.Diff(refused, reasons(err)); diff != "" {
		t.Errorf("the reasons of refusal differ (-want +got):\n%s", diff)
	}
}

// rulesSkipped is what the API server adds when an object is not well-formed enough to evaluate rules on it.
const rulesSkipped = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

var (
	// echo is the refused value, which the API server puts before what it has to say about it.
	echo = regexp.MustCompile(`^Invalid value: (?s:.*: )?((?:must |[^ ]+ in body ).*)$`)
	// untyped is what server-side apply puts before what it finds out by itself, before validation.
	untyped = regexp.MustCompile(`^failed to create typed patch object \([^)]*\): \.`)
)

// reasons are why the API server refused something, "field: message" without the refused value, in the order of the fields.
func reasons(err error) []string {
	if err == nil {
		return nil
	}
	var refusal apierrors.APIStatus
	if !errors.As(err, &refusal) || refusal.Status().Details == nil || len(refusal.Status().Details.Causes) == 0 {
		return []string{untyped.ReplaceAllString(err.Error(), "")}
	}
	var list []string
	for _, cause := range refusal.Status().Details.Causes {
		message := cause.Message
		if match := echo.FindStringSubmatch(message); match != nil {
			message = match[1]
		}
		if !strings.HasSuffix(message, rulesSkipped) {
			list = append(list, cause.Field+": "+message)
		}
	}
	slices.Sort(list)
	return list
}
