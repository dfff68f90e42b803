// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// verdict is what controller/apply says of a write before it is sent.
type verdict struct {
	// silent says why there is none.
	silent string
	text   string
	before *unstructured.Unstructured
	body   *unstructured.Unstructured

	prediction apply.Prediction
	err        error
	// unforced is what the same apply without force would be refused for, by the API server's own word; nil unless there is force.
	unforced []apply.Conflict
}

// predictApply predicts an apply, from an object without Go type and, where there is one, from the Go type.
func (s *scene) predictApply(x applying, body *unstructured.Unstructured) *verdict {
	s.t.Helper()
	if v := s.silence(x.apart); v != nil {
		return v
	}
	v := &verdict{text: x.text(false), before: s.now, body: body}
	if s.now == nil {
		v.prediction, v.err = s.predictor().Predict(nil, x.intent(body))
		s.expectUnsafe(v, apply.ReasonNotCached)
		return v
	}
	v.prediction, v.err = s.predictor().Predict(s.now, x.intent(body))
	s.expectUnsafe(v, x.excused)
	s.sameFromGoType(v, func(typed client.Object) (apply.Prediction, error) {
		return s.predictor().Predict(typed, x.intent(body))
	})
	if x.force && v.err == nil {
		x.force, x.dryRun, x.kubectl = false, true, false
		_, err := x.send(s, body)
		v.unforced, _ = apply.Explain(err, s.now, body)
	}
	return v
}

// predictUpdate predicts a PUT of an object, or a patch that leads to it.
func (s *scene) predictUpdate(updated *unstructured.Unstructured, who manager, endpoint string, excused apply.Reason, apart string) *verdict {
	s.t.Helper()
	if v := s.silence(apart); v != nil {
		return v
	}
	v := &verdict{text: "the update by " + string(who), before: s.now, body: updated}
	updated = s.kind.defaulted(updated)
	v.prediction, v.err = s.predictor().PredictUpdate(s.now, updated, apply.Manager(who), endpoint)
	s.expectUnsafe(v, excused)
	return v
}

// silence is the verdict where nothing is predicted; nil where something is.
func (s *scene) silence(apart string) *verdict {
	switch {
	case !s.predicted:
		return &verdict{silent: "state"}
	case s.kind.foreign:
		return &verdict{silent: "built-in kind"}
	case apart != "":
		tally.count(&tally.apart, apart)
		return &verdict{silent: apart}
	}
	return nil
}

// expectUnsafe counts a prediction that is not to be relied on; only the reason that the row tells is excused.
func (s *scene) expectUnsafe(v *verdict, excused apply.Reason) {
	s.t.Helper()
	if v.err != nil {
		return
	}
	if v.prediction.Unsafe != "" {
		tally.count(&tally.unsafe, string(v.prediction.Unsafe))
	}
	if v.prediction.Unsafe != excused {
		s.disagree("%s: the prediction is unsafe for %q, and the row excuses %q", v.text, v.prediction.Unsafe, excused)
	}
	if v.prediction.Unsafe != "" && v.prediction.NoOp {
		s.disagree("%s: unsafe and yet a no-op", v.text)
	}
}

// sameFromGoType holds the prediction on the object's Go type to that on the object as it came over the wire.
func (s *scene) sameFromGoType(v *verdict, predict func(client.Object) (apply.Prediction, error)) {
	s.t.Helper()
	var typed client.Object
	switch s.kind {
	case instances:
		typed = &ec2v1.EC2Instance{}
	case accounts:
		typed = &ec2v1.EC2Account{}
	default:
		return
	}
	s.must(runtime.DefaultUnstructuredConverter.FromUnstructured(s.now.DeepCopy().Object, typed))
	got, err := predict(typed)
	if (err == nil) != (v.err == nil) {
		s.disagree("%s: from the Go type the error is %v, and otherwise %v", v.text, err, v.err)
		return
	}
	if got.NoOp != v.prediction.NoOp || got.Unsafe != v.prediction.Unsafe {
		s.disagree("%s: from the Go type it is a no-op: %t (%s), and otherwise: %t (%s)", v.text, got.NoOp, got.Unsafe, v.prediction.NoOp, v.prediction.Unsafe)
	}
	if diff := cmp.Diff(timeless(v.prediction.Conflicts), timeless(got.Conflicts)); diff != "" {
		s.disagree("%s: from the Go type the conflicts are others (-raw +typed):\n%s", v.text, diff)
	}
}

// disagree counts and fails.
func (s *scene) disagree(format string, args ...any) {
	s.t.Helper()
	tally.disagreed()
	s.t.Errorf(format, args...)
}

// check compares the verdict with what the API server did.
func (v *verdict) check(s *scene, answer *unstructured.Unstructured, err error) {
	s.t.Helper()
	if v.silent != "" || v.before == nil || v.isBlind() {
		return
	}
	tally.compared(s.kind)
	switch conflicts, isConflict := apply.Explain(err, v.before, v.body); {
	case isConflict:
		v.sameConflicts(s, conflicts)
	case err != nil && len(kubectlConflicts(err.Error())) > 0:
		if got := conflictNames(v.prediction.Conflicts); !slices.Equal(got, kubectlConflicts(err.Error())) {
			s.disagree("%s: the conflicts were predicted to be %v: %v", v.text, got, err)
		}
	case err != nil:
		// What is not valid is the API server's to say. It must not have been taken for a no-op.
		tally.count(&tally.refused, "")
		if v.prediction.NoOp || v.prediction.Object == nil && len(v.prediction.Conflicts) > 0 {
			s.disagree("%s: predicted to be a no-op (%t) or in conflict (%v), and refused: %v", v.text, v.prediction.NoOp, v.prediction.Conflicts, err)
		}
	case v.err != nil:
		s.disagree("%s: predicted to be refused, and accepted: %v", v.text, v.err)
	default:
		v.sameObject(s, answer)
	}
}

// isBlind tells whether nothing could be foreseen.
func (v *verdict) isBlind() bool {
	return v.err == nil && v.prediction.Unsafe != "" && v.prediction.Object == nil && len(v.prediction.Conflicts) == 0
}

func (v *verdict) sameConflicts(s *scene, got []apply.Conflict) {
	s.t.Helper()
	if v.err != nil || v.prediction.Object != nil || v.prediction.NoOp {
		s.disagree("%s: refused for conflicts, and predicted otherwise: %v %+v", v.text, v.err, v.prediction)
	}
	if diff := cmp.Diff(timeless(got), timeless(v.prediction.Conflicts)); diff != "" {
		s.disagree("%s: the conflicts were predicted otherwise (-server +prediction):\n%s", v.text, diff)
	}
}

func (v *verdict) sameObject(s *scene, answer *unstructured.Unstructured) {
	s.t.Helper()
	if v.prediction.Object == nil {
		s.disagree("%s: predicted to be refused for %v, and accepted", v.text, v.prediction.Conflicts)
		return
	}
	if diff := cmp.Diff(asMap(content(answer)), asMap(content(s.kind.defaulted(v.prediction.Object)))); diff != "" {
		s.disagree("%s: the content was predicted otherwise (-server +prediction):\n%s", v.text, diff)
	}
	if diff := cmp.Diff(ownersOf(answer).entries, ownersOf(v.prediction.Object).entries); diff != "" {
		s.disagree("%s: the owners were predicted otherwise (-server +prediction):\n%s", v.text, diff)
	}
	nothing := bytes.Equal(content(answer), content(v.before)) && ownersOf(answer).text() == ownersOf(v.before).text()
	if v.prediction.Unsafe == "" && nothing != v.prediction.NoOp {
		s.disagree("%s: predicted to change nothing: %t, changed nothing: %t", v.text, v.prediction.NoOp, nothing)
	}
	if len(v.unforced) > 0 || len(v.prediction.Conflicts) > 0 {
		if diff := cmp.Diff(timeless(v.unforced), timeless(v.prediction.Conflicts)); diff != "" {
			s.disagree("%s: what force takes was predicted otherwise (-server +prediction):\n%s", v.text, diff)
		}
	}
}

// timeless are conflicts without the times of their owners, which the API server tells only of some, and without types.
func timeless(all []apply.Conflict) []apply.Conflict {
	out := slices.Clone(all)
	for i := range out {
		out[i].Path = nil
		out[i].Owners = slices.Clone(out[i].Owners)
		for j := range out[i].Owners {
			out[i].Owners[j].Time = nil
		}
	}
	return out
}

// conflictNames are conflicts as rows tell them.
func conflictNames(all []apply.Conflict) []string {
	var out []string
	for _, c := range all {
		for _, o := range c.Owners {
			name := o.String()
			if o.Subresource == "" {
				name = strings.TrimSuffix(name, " (Apply)")
			}
			out = append(out, c.Field+": "+name)
		}
	}
	slices.Sort(out)
	return out
}

func asMap(text []byte) map[string]any {
	out := map[string]any{}
	if err := unmarshal(text, &out); err != nil {
		return map[string]any{"unreadable": string(text)}
	}
	return out
}

// unmarshal reads JSON as the API server does: whole numbers are integers.
func unmarshal(text []byte, into *map[string]any) error {
	obj := &unstructured.Unstructured{}
	wrapped, err := json.Marshal(map[string]json.RawMessage{"apiVersion": []byte(`"v1"`), "kind": []byte(`"Wrapped"`), "content": text})
	if err != nil {
		return err
	}
	if err := obj.UnmarshalJSON(wrapped); err != nil {
		return err
	}
	content, _ := obj.Object["content"].(map[string]any)
	*into = content
	return nil
}

// configOf is an apply configuration that says what a body says.
func configOf(body *unstructured.Unstructured) runtime.ApplyConfiguration {
	return client.ApplyConfigurationFromUnstructured(body.DeepCopy())
}
