// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics count what becomes of intents. Every label is bounded: kinds and endpoints are those that the operator
// writes, the rest are constants of this package.
type Metrics struct {
	decisions, answers *prometheus.CounterVec
}

// The decisions.
const (
	decisionSkipped = "skipped"
	decisionSent    = "sent"
	decisionUnsafe  = "unsafe"
)

// The answers besides the outcomes.
const (
	answerConflict = "Conflict"
	answerStale    = "Stale"
	answerGone     = "Gone"
	answerError    = "Error"
)

// NewMetrics returns metrics that are registered.
func NewMetrics(registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ec2_operator_apply_intents_total",
			Help: "Intents to apply, by what was decided on the cached object: skipped without a request, sent since something changes, or sent since the prediction would be unsafe, for a reason.",
		}, []string{"kind", "subresource", "decision", "reason"}),
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "ec2_operator_apply_answers_total",
			Help: "Answers of the API server to applies: Changed, Unchanged, Conflict, Stale, Gone or Error.",
		}, []string{"kind", "subresource", "answer"}),
	}
	var errDecisions, errAnswers error
	m.decisions, errDecisions = registered(registry, m.decisions)
	m.answers, errAnswers = registered(registry, m.answers)
	if err := errors.Join(errDecisions, errAnswers); err != nil {
		return nil, fmt.Errorf("registering the metrics of applies: %w", err)
	}
	return m, nil
}

// registered registers a counter, or finds the one that is registered already.
func registered(registry prometheus.Registerer, c *prometheus.CounterVec) (*prometheus.CounterVec, error) {
	err := registry.Register(c)
	if before, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		if known, ok := before.ExistingCollector.(*prometheus.CounterVec); ok {
			return known, nil
		}
	}
	return c, err //nolint:wrapcheck // It is wrapped by the caller.
}

// decided counts a decision; nil counts nothing.
func (m *Metrics) decided(d *Draft) {
	if m == nil {
		return
	}
	decision := decisionSent
	switch {
	case d.prediction.NoOp:
		decision = decisionSkipped
	case d.prediction.Unsafe != "":
		decision = decisionUnsafe
	}
	m.decisions.WithLabelValues(d.body.GetKind(), d.intent.Subresource, decision, string(d.prediction.Unsafe)).Inc()
}

// answered counts an answer; nil counts nothing.
func (m *Metrics) answered(d *Draft, outcome Outcome, err error) {
	if m == nil {
		return
	}
	m.answers.WithLabelValues(d.body.GetKind(), d.intent.Subresource, answerOf(outcome, err)).Inc()
}

func answerOf(outcome Outcome, err error) string {
	switch {
	case err == nil:
		return string(outcome)
	case IsOwnershipConflict(err):
		return answerConflict
	case IsStale(err):
		return answerStale
	case IsGone(err):
		return answerGone
	default:
		return answerError
	}
}
