// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// counted are the counters, each with its labels.
func (w *world) counted() map[string]float64 {
	w.t.Helper()
	families, err := w.metrics.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := []string{strings.TrimPrefix(f.GetName(), "ec2_operator_apply_")}
			for _, l := range m.GetLabel() { // Sorted by name.
				labels = append(labels, l.GetValue())
			}
			out[strings.Join(labels, " ")] = m.GetCounter().GetValue()
		}
	}
	return out
}

func TestMetrics(t *testing.T) {
	w := newWorld(t)
	create := func() Intent { return Intent{Config: web().WithSpec(usersSpec()), Manager: user, Create: true} }
	type answers struct {
		in   Intent
		live bool
	}
	for i, a := range []answers{
		{create(), false}, // Sent unseen, and changed.
		{create(), true},  // Skipped.
		{create(), false}, // Sent unseen.
		{main(us, ourMain().WithUID("u-2")), true}, // Another object.
		{main(us, web().WithUID(serverUID).WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("m5.large"))), true},
		{status(us, ourStatus().WithResourceVersion("1")), true},
		{status(us, ourStatus().WithResourceVersion("1")), true}, // An old version.
		{status(us, ourStatus().WithResourceVersion("2")), true}, // Skipped.
	} {
		if !a.live {
			_, _ = w.applier.Apply(t.Context(), nil, a.in)
			continue
		}
		if _, err := w.pass(a.in); (i == 3) != IsGone(err) || (i == 4) != IsOwnershipConflict(err) || (i == 6) != IsStale(err) {
			t.Errorf("step %d gives %v", i, err)
		}
	}
	w.server.before = func(string) error { return errors.New("no") }
	if _, err := w.applier.Apply(t.Context(), nil, create()); err == nil {
		t.Error("no error")
	}
	same(t, map[string]float64{
		// By decision, kind, reason and subresource.
		"intents_total unsafe EC2Instance NotCached ":     3,
		"intents_total skipped EC2Instance  ":             1,
		"intents_total unsafe EC2Instance OtherObject ":   1,
		"intents_total sent EC2Instance  ":                1,
		"intents_total sent EC2Instance  status":          1,
		"intents_total unsafe EC2Instance Guarded status": 1,
		"intents_total skipped EC2Instance  status":       1,
		// By answer, kind and subresource.
		"answers_total Changed EC2Instance ":       2,
		"answers_total Gone EC2Instance ":          1,
		"answers_total Conflict EC2Instance ":      1,
		"answers_total Changed EC2Instance status": 1,
		"answers_total Stale EC2Instance status":   1,
		"answers_total Error EC2Instance ":         1,
	}, w.counted())
}

// TestUnchangedIsCounted as such: what the API server makes nothing of.
func TestUnchangedIsCounted(t *testing.T) {
	w := newWorld(t)
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	w.predictor.SchemaDiffers(gvk.GroupKind(), true)
	got, err := w.pass(main(user, web().WithUID(serverUID).WithSpec(usersSpec())))
	if err != nil || got.Outcome != Unchanged {
		t.Fatalf("the result is %v (%v)", got, err)
	}
	same(t, map[string]float64{"intents_total unsafe EC2Instance SchemaDiffers ": 1, "answers_total Unchanged EC2Instance ": 1}, w.counted())
}

// TestMetricsAreRegisteredOnce: two appliers count together.
func TestMetricsAreRegisteredOnce(t *testing.T) {
	w := newWorld(t)
	again, err := NewMetrics(w.metrics)
	if err != nil {
		t.Fatal(err)
	}
	other := New(w.client, w.predictor, WithMetrics(again))
	in := func() Intent { return Intent{Config: web().WithSpec(usersSpec()), Manager: user, Create: true} }
	for _, a := range []*Applier{w.applier, other} {
		if _, err := a.Apply(t.Context(), nil, in()); err != nil {
			t.Fatal(err)
		}
	}
	same(t, 2.0, w.counted()["intents_total unsafe EC2Instance NotCached "])
	// An applier without metrics counts nothing, and does its work.
	if _, err := New(w.client, w.predictor).Apply(t.Context(), nil, in()); err != nil {
		t.Fatal(err)
	}
	same(t, 2.0, w.counted()["intents_total unsafe EC2Instance NotCached "])
}

// TestMetricsThatCannotBeRegistered are an error.
func TestMetricsThatCannotBeRegistered(t *testing.T) {
	for _, other := range []prometheus.Collector{
		prometheus.NewCounter(prometheus.CounterOpts{Name: "ec2_operator_apply_intents_total", Help: "Another one."}),
		prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ec2_operator_apply_answers_total", Help: "Another one."}, []string{"x"}),
	} {
		registry := prometheus.NewRegistry()
		registry.MustRegister(other)
		if m, err := NewMetrics(registry); err == nil || m != nil || !strings.Contains(err.Error(), "metrics of applies") {
			t.Errorf("%v is registered beside another: %v", m, err)
		}
	}
	if got := answerOf("", fmt.Errorf("x: %w", errForbidden)); got != answerError {
		t.Errorf("a refusal is counted as %s", got)
	}
}
