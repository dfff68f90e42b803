// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// shortestMark is the least of a secret that is looked for: less could be anywhere by chance.
const shortestMark = 8

// secretWatch is what must appear nowhere: of each Secret that there has been each value, encoded, and each line of it, as it is.
type secretWatch struct{ marks []string }

func (s *secretWatch) learn(secret *unstructured.Unstructured) {
	data, _, _ := unstructured.NestedStringMap(secret.Object, "data") // A Secret without data has none.
	for _, key := range slices.Sorted(maps.Keys(data)) {
		s.add(data[key])
		value, err := base64.StdEncoding.DecodeString(data[key])
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(value)) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#!") {
				s.add(line)
			}
		}
	}
}

func (s *secretWatch) add(mark string) {
	if len(mark) >= shortestMark && !slices.Contains(s.marks, mark) {
		s.marks = append(s.marks, mark)
	}
}

// stays: no secret is in a text.
func (j *judge) stays(where, text string) {
	for _, mark := range j.secrets.marks {
		j.holds(secretsStay, !strings.Contains(text, mark), "a secret is in %s: %s", where, text)
	}
}

// staysInCall: no secret is in a call, but in the user data of a launch, or of a change.
func (j *judge) staysInCall(c *call) {
	if len(j.secrets.marks) == 0 {
		return
	}
	text := c.text
	if len(c.form) > 0 && c.form.Has("Action") {
		rest := maps.Clone(c.form)
		switch c.action {
		case "RunInstances":
			delete(rest, "UserData")
		case "ModifyInstanceAttribute":
			delete(rest, "UserData.Value")
		}
		text, _ = url.QueryUnescape(rest.Encode()) // It was encoded a moment ago.
	}
	j.stays("a call of "+c.action, text)
}

// asked looks at a request of an operator's to the API server.
func (j *judge) asked(r apiserver.Record) {
	what := strings.Join([]string{r.Verb, r.Kind.Kind, r.Namespace, r.Name}, " ")
	if r.Kind.Kind == "Secret" {
		j.holds(secretsByName, r.Verb == apiserver.VerbGet && j.refersTo(r), "%s asks: %s", r.User, what)
	}
	if r.Writes() {
		j.stays(what, string(r.Body))
		j.listsOfIntent(r)
	}
}

// refersTo tells whether the object of the operator's pass takes its user data from the Secret.
func (j *judge) refersTo(r apiserver.Record) bool {
	obj := j.history.decidedOn(r.User)
	return obj != nil && obj.Namespace == r.Namespace && obj.Spec.UserData != nil && obj.Spec.UserData.SecretKeyRef != nil &&
		obj.Spec.UserData.SecretKeyRef.Name == r.Name
}

// metricsStay: no secret is in a metric.
func (j *judge) metricsStay() {
	if len(j.secrets.marks) == 0 {
		return
	}
	families, err := metrics.Registry.Gather()
	if err != nil {
		j.violated("the metrics cannot be read: %v", err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				j.stays("metric "+f.GetName(), l.GetName()+"="+l.GetValue())
			}
		}
	}
}

// logger is where operators log: what they log is looked at, and goes nowhere.
func (j *judge) logger() logr.Logger { return logr.New(logSink{judge: j}) }

type logSink struct {
	judge  *judge
	values []any
}

func (logSink) Init(logr.RuntimeInfo)  {}
func (logSink) Enabled(level int) bool { return level <= 1 }

// Info implements logr.LogSink.
func (s logSink) Info(_ int, msg string, values ...any) { s.judge.logged(msg, nil, s.values, values) }

// Error implements logr.LogSink.
func (s logSink) Error(err error, msg string, values ...any) {
	s.judge.logged(msg, err, s.values, values)
}

// WithValues implements logr.LogSink.
func (s logSink) WithValues(values ...any) logr.LogSink {
	s.values = append(slices.Clone(s.values), values...)
	return s
}

// WithName implements logr.LogSink.
func (s logSink) WithName(string) logr.LogSink { return s }

// logged looks at a line of log. One that tells of a panic tells of a bug, whatever came of it.
func (j *judge) logged(msg string, err error, values ...[]any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil && strings.Contains(msg+err.Error(), "panic") {
		j.violated("a panic: %s: %v", msg, err)
	}
	if len(j.secrets.marks) == 0 {
		return
	}
	j.stays("the log", fmt.Sprintf("%s %v %+v", msg, err, values))
}
