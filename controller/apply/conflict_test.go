// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// TestOwnersAreRead from the API server's texts (apimachinery, printManager).
func TestOwnersAreRead(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, time.March, 4, 5, 6, 7, 0, time.UTC))
	for text, want := range map[string]Owner{
		`conflict with "user"`: {Manager: "user", Operation: byApply},
		`conflict with "a \"b\" with subresource \"c\" using d at e"`: {Manager: `a "b" with subresource "c" using d at e`, Operation: byApply},
		`conflict with "\u00fc\\\n"`:                                  {Manager: "ü\\\n", Operation: byApply},
		`conflict with ""`:                                            {Operation: byApply},
		`conflict with "prov" with subresource "status"`:              {Manager: "prov", Operation: byApply, Subresource: "status"},
		`conflict with "edit" using v1`:                               {Manager: "edit", Operation: byUpdate, APIVersion: "v1"},
		`conflict with "edit" using apps/v1 at 2026-03-04T05:06:07Z`:  {Manager: "edit", Operation: byUpdate, APIVersion: "apps/v1", Time: &at},
		`conflict with "edit" with subresource "scale" using apps/v1 at 2026-03-04T05:06:07Z`: {
			Manager: "edit", Operation: byUpdate, APIVersion: "apps/v1", Subresource: "scale", Time: &at,
		},
		`conflict with "edit" using v1 at some time`:   {Manager: "edit", Operation: byUpdate, APIVersion: "v1"},
		`conflict with "edit" with subresource status`: {Manager: "edit", Operation: byApply},
		"conflict with user":                           {Manager: "user", Operation: byApply},
		`conflict with "user`:                          {Manager: `"user`, Operation: byApply},
		"something else":                               {Manager: "something else", Operation: byApply},
	} {
		same(t, want, ownerNamed(text))
	}
}

// TestOwnersAreReadAsWritten: whatever a manager's name, what the merge code writes is read back.
func TestOwnersAreReadAsWritten(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	original := w.raw()
	merger, err := w.predictor.mergers.of(gvk, "")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		owner := Owner{
			Manager:     rapid.StringN(1, 20, 60).Draw(t, "name"),
			Operation:   rapid.SampledFrom([]metav1.ManagedFieldsOperationType{byApply, byUpdate}).Draw(t, "operation"),
			Subresource: rapid.SampledFrom([]string{"", "status", `a "b"`}).Draw(t, "subresource"),
			APIVersion:  version1,
		}
		live := original.DeepCopy()
		live.SetManagedFields([]metav1.ManagedFieldsEntry{{
			Manager: owner.Manager, Operation: owner.Operation, Subresource: owner.Subresource, APIVersion: owner.APIVersion,
			FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:instanceType":{}}}`),
		}})
		body := mustBody(t, main(us, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("m5.large"))))
		_, refusal := merger.apply(live, body, us, false)
		got, ok := Explain(refusal, live, body)
		if !ok {
			t.Fatalf("no conflict: %v", refusal)
		}
		// JSON, as which the API server keeps names, has no invalid text.
		owner.Manager = strings.ToValidUTF8(owner.Manager, "\ufffd")
		want := []Conflict{{
			Field: ".spec.instanceType", Path: fieldpath.MakePathOrDie("spec", "instanceType"), Owners: []Owner{owner}, Wanted: "m5.large", Live: "t3.micro",
		}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestExplain: fields with several owners are one conflict each, owners have what the object knows of them, and
// values are told where they are known.
func TestExplain(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec().WithUserData(ec2v1ac.UserData().WithInline("#!/bin/sh")))))
	w.mustApply(main(other, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("t3.micro"))))
	live := w.raw()
	in := main(us, web().WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("m5.large").WithTags(tag("stage", "live"), tag("new", "x")).
		WithUserData(ec2v1ac.UserData().WithInline("#!/bin/bash"))))
	wanted, err := in.body()
	if err != nil {
		t.Fatal(err)
	}
	refusal := w.request(in)
	got, ok := Explain(refusal, live, wanted)
	if !ok {
		t.Fatalf("no conflict: %v", refusal)
	}
	ownerOfType := func(m Manager) Owner {
		for _, e := range live.GetManagedFields() {
			if e.Manager == string(m) {
				return Owner{Manager: e.Manager, Operation: byApply, APIVersion: version1, Time: e.Time}
			}
		}
		return Owner{}
	}
	at := fieldpath.MakePathOrDie
	full := []Conflict{
		{Field: ".spec.instanceType", Path: at("spec", "instanceType"), Owners: []Owner{ownerOfType(other), ownerOfType(user)}, Live: "t3.micro", Wanted: "m5.large"},
		{
			Field: `.spec.tags[key="stage"].value`, Path: at("spec", "tags", fieldpath.KeyByFields("key", "stage"), "value"),
			Owners: []Owner{ownerOfType(user)}, Live: "test", Wanted: "live",
		},
		{
			Field: ".spec.userData", Path: at("spec", "userData"), Owners: []Owner{ownerOfType(user)},
			Live: map[string]any{"inline": MaskedValue}, Wanted: map[string]any{"inline": MaskedValue},
		},
	}
	same(t, full, got)
	same(t, []string{
		`.spec.instanceType is owned by other (Apply) and user (Apply) with "t3.micro", wanted "m5.large"`,
		`.spec.tags[key="stage"].value is owned by user (Apply) with "test", wanted "live"`,
		`.spec.userData is owned by user (Apply) with {"inline":"(masked)"}, wanted {"inline":"(masked)"}`,
	}, texts(got))

	t.Run("without the intent", func(t *testing.T) {
		got, _ := Explain(refusal, live, nil)
		want := slices.Clone(full)
		for i := range want {
			want[i].Wanted = nil
		}
		same(t, want, got)
	})
	t.Run("without the object", func(t *testing.T) {
		got, ok := Explain(fmt.Errorf("sending: %w", refusal), nil, wanted)
		if !ok {
			t.Fatal("a wrapped conflict is none")
		}
		same(t, []string{
			".spec.instanceType is owned by other (Apply) and user (Apply)",
			`.spec.tags[key="stage"].value is owned by user (Apply)`,
			".spec.userData is owned by user (Apply)",
		}, texts(got))
		for _, c := range got {
			if c.Path != nil || c.Owners[0].Time != nil || c.Owners[0].APIVersion != "" {
				t.Errorf("%v knows what nobody told it", c)
			}
		}
	})
	t.Run("on an object with managedFields that cannot be read", func(t *testing.T) {
		broken := live.DeepCopy()
		entries := broken.GetManagedFields()
		for i := range entries {
			entries[i].FieldsV1 = metav1.NewFieldsV1(`{"k:nope":{}}`)
		}
		broken.SetManagedFields(entries)
		got, ok := Explain(refusal, broken, wanted)
		if !ok || len(got) != len(full) || got[0].Path != nil || got[0].Live != nil {
			t.Errorf("the conflicts are %v", got)
		}
	})
}

// TestOwnersByVersion: a manager that updates in two versions of the API is two owners.
func TestOwnersByVersion(t *testing.T) {
	live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": version1, "kind": "EC2Instance"}}
	older := entry("edit", byUpdate, "", `{"f:spec":{"f:keyName":{}}}`)
	older.APIVersion = "ec2.fieldowner.dev/v1alpha1"
	live.SetManagedFields([]metav1.ManagedFieldsEntry{older, entry("edit", byUpdate, "", `{"f:spec":{"f:keyName":{}}}`)})
	got, _ := Explain(apierrors.NewApplyConflict([]metav1.StatusCause{
		owned(".spec.keyName", `conflict with "edit" using `+version1),
	}, ""), live, nil)
	same(t, version1, got[0].Owners[0].APIVersion)
}

// TestExplainIsForConflictsOnly.
func TestExplainIsForConflictsOnly(t *testing.T) {
	for _, err := range []error{nil, errOldVersion, errUIDOfNone, errUIDOfAnother, errOtherwiseInvalid, errNotFound, errForbidden, errBareConflict, errTypingError, context.Canceled} {
		if got, ok := Explain(err, nil, nil); ok || got != nil {
			t.Errorf("%v is explained as %v", err, got)
		}
	}
}

// TestAConflictIsOneLine, whatever the values.
func TestAConflictIsOneLine(t *testing.T) {
	owner := []Owner{{Manager: "a", Operation: byUpdate}}
	for _, test := range []struct {
		live, wanted any
		text         string
	}{
		{nil, nil, ""},
		{"", nil, ` with ""`},
		{nil, false, `, wanted false`},
		{"a\nb", int64(3), ` with "a\nb", wanted 3`},
		{map[string]any{"b": "c", "a": []any{int64(1)}}, nil, ` with {"a":[1],"b":"c"}`},
		{strings.Repeat("x", inlineMax-2), strings.Repeat("x", inlineMax-1), ` with "` + strings.Repeat("x", inlineMax-2) + `", wanted a long value`},
		{func() {}, nil, " with a value that cannot be shown"},
	} {
		c := Conflict{Field: ".x", Owners: owner, Live: test.live, Wanted: test.wanted}
		want := ".x is owned by a (Update)" + test.text
		if got := c.String(); got != want || strings.Contains(got, "\n") {
			t.Errorf("the text is\n%s\nwant\n%s", got, want)
		}
	}
}

// TestPredictedConflictsAreTheServers: what an intent without force is predicted to conflict with is what the API
// server then refuses it for, whatever has been applied before.
func TestPredictedConflictsAreTheServers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		w.mustApply(main(user, web().WithSpec(usersSpec())))
		for range rapid.IntRange(1, 4).Draw(t, "applies") {
			w.tryApply(drawIntent(t))
		}
		in := drawIntent(t)
		in.Force = false
		live, body := w.raw(), mustBody(t, in)
		predicted, err := w.predictor.Predict(w.live(), in)
		if err != nil {
			t.Fatal(err)
		}
		refusal := w.request(in)
		want, refused := Explain(overTheWire(t, refusal), live, body)
		if refused != (predicted.Object == nil) {
			t.Fatalf("predicted to be refused: %t, refused: %v", predicted.Object == nil, refusal)
		}
		if diff := cmp.Diff(want, predicted.Conflicts); diff != "" {
			t.Errorf("(-server +predicted):\n%s", diff)
		}
		for _, c := range predicted.Conflicts {
			if c.Path == nil || c.Path.String() != c.Field || len(c.Owners) == 0 || c.Wanted == nil {
				t.Errorf("%v leaves something out", c)
			}
		}
	})
}

// overTheWire is an error as a client gets it.
func overTheWire(t *rapid.T, err error) error {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	text, failed := json.Marshal(status.Status())
	if failed != nil {
		t.Fatal(failed)
	}
	got := &apierrors.StatusError{}
	if failed := json.Unmarshal(text, &got.ErrStatus); failed != nil {
		t.Fatal(failed)
	}
	return got
}

func texts(conflicts []Conflict) []string {
	out := make([]string, len(conflicts))
	for i, c := range conflicts {
		out[i] = c.String()
	}
	return out
}
