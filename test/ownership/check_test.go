// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// take carries out a step and compares what comes of it with what the row says.
func (s *scene) take(st step) {
	s.t.Helper()
	before := s.now
	err := st.do.run(s)
	switch x, _ := st.do.(applying); {
	case st.conflict != ok:
		s.refused(st, err)
		s.untouched()
	case err != nil:
		s.t.Fatalf("%s: refused: %v", st.do.text(false), err)
	default:
		s.came(st, before)
		if before == nil && s.now != nil && !x.unsettle {
			s.settle()
		}
	}
	s.tableAgrees()
	_, fields := effectOf(st.value)
	for _, wrong := range append(s.values(fields), ownersOf(s.now).complaints(st.owners)...) {
		s.t.Errorf("%s: %s", st.do.text(false), wrong)
	}
	if s.t.Failed() {
		s.t.Logf("The object is %s", pretty(s.now))
		s.t.FailNow()
	}
}

// untouched wants that an operation that was refused has changed nothing.
func (s *scene) untouched() {
	s.t.Helper()
	was := s.now
	s.look()
	if effect := effect(was, s.now); effect != unchanged {
		s.t.Errorf("it was refused, and yet: %s", orChanged(effect))
	}
}

func orChanged(effect string) string {
	if effect == "" {
		return "the object has changed"
	}
	return effect
}

// came compares the effect.
func (s *scene) came(st step, before *unstructured.Unstructured) {
	s.t.Helper()
	want, _ := effectOf(st.value)
	if x, is := st.do.(applying); is && x.dryRun {
		s.look()
	}
	if got := effect(before, s.now); got != want {
		s.t.Errorf("%s: %s; the row says: %s", st.do.text(false), orChanged(got), orChanged(want))
	}
}

// effect tells what has become of an object.
func effect(before, after *unstructured.Unstructured) string {
	switch {
	case before == nil && after == nil:
		return unchanged
	case before == nil || after != nil && before.GetUID() != after.GetUID():
		return created
	case after == nil:
		return gone
	case before.GetResourceVersion() == after.GetResourceVersion():
		return unchanged
	case !bytes.Equal(content(before), content(after)):
		return ""
	case ownersOf(before).text() != ownersOf(after).text():
		return onlyOwners
	}
	return rewritten
}

// content is an object without what every write changes, as text.
func content(obj *unstructured.Unstructured) []byte {
	obj = obj.DeepCopy()
	for _, field := range []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"} {
		unstructured.RemoveNestedField(obj.Object, "metadata", field)
	}
	text, err := json.Marshal(obj.Object)
	if err != nil {
		return []byte(err.Error())
	}
	return text
}

// values are what is wrong with what a row says of the object's fields.
func (s *scene) values(says string) []string {
	s.t.Helper()
	if strings.TrimSpace(says) == "" {
		return nil
	}
	var want, got any
	s.must(yaml.Unmarshal([]byte(says), &want))
	if s.now == nil {
		return []string{"there is no object"}
	}
	s.must(json.Unmarshal(marshal(s.t, s.now.Object), &got))
	return differences("", want, got)
}

// absent stands for a field that is not there.
const absent = "(absent)"

// differences tells where got does not hold what is wanted. Fields that are not wanted may be there; lists are whole.
func differences(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		fields, isMap := got.(map[string]any)
		if !isMap {
			return []string{fmt.Sprintf("%s is %v, not %v", path, got, want)}
		}
		var out []string
		for name, value := range want {
			found, has := fields[name]
			switch {
			case value == absent && has:
				out = append(out, fmt.Sprintf("%s.%s is there: %v", path, name, found))
			case value != absent && !has:
				out = append(out, fmt.Sprintf("%s.%s is not there, and not %v", path, name, value))
			case value != absent:
				out = append(out, differences(path+"."+name, value, found)...)
			}
		}
		return out
	case []any:
		items, isList := got.([]any)
		if !isList || len(items) != len(want) {
			return []string{fmt.Sprintf("%s is %v, not %v", path, got, want)}
		}
		var out []string
		for i := range want {
			out = append(out, differences(fmt.Sprintf("%s[%d]", path, i), want[i], items[i])...)
		}
		return out
	}
	if want != got {
		return []string{fmt.Sprintf("%s is %v, not %v", path, got, want)}
	}
	return nil
}

// tableAgrees holds apply.Ownership to the owners that are read here.
func (s *scene) tableAgrees() {
	s.t.Helper()
	if s.now == nil {
		return
	}
	table, err := apply.Ownership(s.now)
	s.must(err)
	known := ownersOf(s.now)
	got := map[string][]string{}
	for _, field := range table {
		for _, owner := range field.Owners {
			name := ownerName(metav1.ManagedFieldsEntry{Manager: owner.Manager, Operation: owner.Operation, Subresource: owner.Subresource})
			got[name] = append(got[name], field.Path.String())
		}
	}
	for owner, paths := range got {
		slices.Sort(paths)
		if !slices.Equal(paths, known.leaves[owner]) {
			s.t.Errorf("apply.Ownership says that %s has %v, and managedFields say %v", owner, paths, known.leaves[owner])
		}
	}
	if len(got) != len(known.leaves) {
		s.t.Errorf("apply.Ownership knows %d owners, and managedFields %d", len(got), len(known.leaves))
	}
}

// refused compares why an operation was refused.
func (s *scene) refused(st step, err error) {
	s.t.Helper()
	if err == nil {
		s.t.Fatalf("%s: accepted, and the row says: %s\n%s", st.do.text(false), st.conflict, pretty(s.now))
	}
	code, words, isStatus := statusOf(st.conflict)
	if !isStatus {
		if got, want := conflictsOf(err), conflictsIn(st.conflict); !slices.Equal(got, want) {
			s.t.Errorf("%s: the conflicts are %v, not %v (%v)", st.do.text(false), got, want, err)
		}
		return
	}
	if got := codeOf(err); got != 0 && got != code {
		s.t.Errorf("%s: the API server answered %d, not %d: %v", st.do.text(false), got, code, err)
	}
	if !strings.Contains(err.Error(), words) {
		s.t.Errorf("%s: refused without %q: %v", st.do.text(false), words, err)
	}
}

var status = regexp.MustCompile(`^(\d{3}) (.*)$`)

// statusOf reads a row's conflict that is none of ownership.
func statusOf(conflict string) (code int32, words string, is bool) {
	match := status.FindStringSubmatch(conflict)
	if match == nil {
		return 0, "", false
	}
	_, _ = fmt.Sscan(match[1], &code)
	return code, match[2], true
}

func codeOf(err error) int32 {
	if status, is := errors.AsType[*apierrors.StatusError](err); is {
		return status.ErrStatus.Code
	}
	return 0 // kubectl does not tell.
}

// conflictsIn are the conflicts that a row tells, one line for each owner of each field.
func conflictsIn(says string) []string {
	var out []string
	for part := range parts(says, ";") {
		path, names, _ := strings.Cut(part, ": ")
		for _, owner := range sortedParts(names, "") {
			out = append(out, path+": "+owner)
		}
	}
	slices.Sort(out)
	return out
}

// conflictsOf are those of an API server's or kubectl's answer, in the same form.
func conflictsOf(err error) []string {
	var out []string
	status, is := errors.AsType[*apierrors.StatusError](err)
	if !is {
		return kubectlConflicts(err.Error())
	}
	if status.ErrStatus.Details == nil {
		return nil
	}
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			out = append(out, cause.Field+": "+ownerIn(cause.Message))
		}
	}
	slices.Sort(out)
	return out
}

// opponent is an owner as the API server names it: `"name" with subresource "status" using v1 at …`; with a version it is one by Update.
var opponent = regexp.MustCompile(`"([^"]*)"(?: with subresource "([^"]*)")?( using [^ ]+(?: at \S+Z)?)?`)

func ownerIn(message string) string {
	match := opponent.FindStringSubmatch(message)
	if match == nil {
		return message
	}
	operation := metav1.ManagedFieldsOperationApply
	if match[3] != "" {
		operation = metav1.ManagedFieldsOperationUpdate
	}
	return ownerName(metav1.ManagedFieldsEntry{Manager: match[1], Subresource: match[2], Operation: operation})
}

// kubectlConflicts reads what kubectl prints: the owner and the field on one line, or the owner and then a line for each field.
func kubectlConflicts(text string) []string {
	_, text, found := strings.Cut(text, "Apply failed with ")
	if !found {
		return nil
	}
	var out []string
	owner := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if place := opponent.FindStringIndex(line); strings.Contains(line, "with \"") && place != nil {
			owner = ownerIn(line)
			if path := strings.TrimSpace(strings.TrimPrefix(line[place[1]:], ":")); path != "" {
				out = append(out, path+": "+owner)
			}
			continue
		}
		if path, isPath := strings.CutPrefix(line, "- "); isPath {
			out = append(out, path+": "+owner)
		}
	}
	slices.Sort(out)
	return out
}

func pretty(obj *unstructured.Unstructured) string {
	if obj == nil {
		return "not there"
	}
	text, err := json.MarshalIndent(obj.Object, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
