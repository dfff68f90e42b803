// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/instance"
)

// fieldsPart is the generated part of docs/ec2instance.md.
const fieldsPart = "fields"

func allFieldRows() []*fieldRow {
	rows := make([]*fieldRow, len(fieldRows))
	for i := range fieldRows {
		rows[i] = &fieldRows[i]
	}
	return rows
}

// TestFields proves each field that says what an instance is: that it is launched, read back, changed in its way, and brought back when
// somebody changes it in EC2.
func TestFields(t *testing.T) {
	rows := allFieldRows()
	var views fieldViews
	inFieldsWorld(t, func(w *world) (err error) { views.fresh, err = w.playFresh(rows); return err })
	inFieldsWorld(t, func(w *world) (err error) { views.at, err = w.playFields(rows); return err })
	if t.Failed() {
		return
	}
	for _, r := range rows {
		t.Run(r.name(), func(t *testing.T) {
			for _, c := range checks {
				t.Run(c.column, func(t *testing.T) {
					for _, wrong := range c.check(views, r) {
						t.Error(wrong)
					}
				})
			}
		})
	}
	if *docsFlag && !t.Failed() {
		writeDocs(t, instancePage, fieldsPart, fieldTable(rows))
	}
}

// inFieldsWorld plays in a bubble. An even seed has the lags that EC2 documents.
func inFieldsWorld(t *testing.T, play func(*world) error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, err := newWorld(2 * *seedFlag)
		if err != nil {
			t.Fatal(err)
		}
		if err := play(w); err != nil {
			t.Error(err)
		}
		for _, violation := range w.judge.verdict() {
			t.Error(violation)
		}
		if err := w.end(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(tail(slices.DeleteFunc(w.lines(), isInside)))
		}
	})
}

// TestEveryFieldHasARow: of each field that says what an instance is there is a row with what a change of it takes, and a reason where
// there is no drift to show.
func TestEveryFieldHasARow(t *testing.T) {
	for _, f := range instance.Fields() {
		if !slices.ContainsFunc(fieldRows, func(r fieldRow) bool { return r.field == f.Name && r.action == f.Action }) {
			t.Errorf("no row of %s has a change that takes %s: add one to fieldRows", f.Name, f.Action)
		}
	}
	names := map[string]bool{}
	for _, r := range fieldRows {
		i := slices.IndexFunc(instance.Fields(), func(f instance.Field) bool { return f.Name == r.field })
		switch {
		case i < 0:
			t.Errorf("there is no field %s", r.field)
		case names[r.name()]:
			t.Errorf("two rows are named %s", r.name())
		case (r.drift == nil) != (r.noDrift != ""):
			t.Errorf("%s needs drift, or a reason why there is none", r.name())
		case r.drift != nil && instance.Fields()[i].Reported == instance.ReportedNever:
			t.Errorf("%s has drift, and EC2 does not tell it", r.name())
		case len(r.launched) == 0 || len(r.changed) == 0:
			t.Errorf("%s does not say what EC2 has then", r.name())
		}
		names[r.name()] = true
	}
}

// TestEveryFieldOfSpecIsKnown: a field of spec says what an instance is, or it is known why not.
func TestEveryFieldOfSpecIsKnown(t *testing.T) {
	left := map[string]string{}
	for name, reason := range otherFields {
		if reason == "" {
			t.Errorf("%s has no reason", name)
		}
		left[name] = reason
	}
	for field := range reflect.TypeFor[ec2v1.EC2InstanceSpec]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		of := slices.ContainsFunc(instance.Fields(), func(f instance.Field) bool { return f.Name == name })
		if _, other := otherFields[name]; of == other {
			t.Errorf("%s is to be either a field of the instance or one of otherFields", name)
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("spec has no field %s", name)
	}
}
