// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// patience is how long anything may take before the test gives up on it: generous, since nothing waits for it to pass. glance is how often
// a condition is looked at.
const (
	patience = 2 * time.Minute
	glance   = 50 * time.Millisecond
)

// tester is a test, or one of the many cases of a property test.
type tester interface {
	rapid.TB
	Context() context.Context
	Cleanup(func())
}

// scene is one object, which may not exist, and all that is done to it.
type scene struct {
	t    tester
	kind *kind
	// namespace and name of the object.
	namespace, name string
	// now is the object as the API server has it, and first as it was when it was first seen; nil while there is none.
	now, first *unstructured.Unstructured
	// predicted is off in states: their operations are steps of other rows.
	predicted bool

	// stage is where an operator is at work; nil elsewhere. children are the object's, and mark is how many requests the operator had made
	// when the last step that did something began.
	stage    *stage
	children map[schema.GroupKind]*scene
	mark     int
}

func newScene(t tester, k *kind, name string) *scene {
	t.Helper()
	s := &scene{t: t, kind: k, namespace: namespace, name: name}
	t.Cleanup(s.tearDown)
	return s
}

// path is where the object is, or one of its subresources.
func (s *scene) path(subresource string) string {
	return s.kind.path(s.kind.Version, s.namespace, s.name, subresource)
}

// tearDown removes the object, finalizers or not, so that a cluster-wide look shows no left-overs of other rows.
func (s *scene) tearDown() {
	ctx := context.Background()
	path := s.path("")
	left, err := direct.get(ctx, path)
	if err != nil || left == nil {
		return
	}
	if len(left.GetFinalizers()) > 0 {
		_, _ = direct.do(ctx, request{verb: "PATCH", path: path, patch: types.MergePatchType, body: []byte(`{"metadata":{"finalizers":null}}`)})
	}
	_, _ = direct.do(ctx, request{verb: "DELETE", path: path})
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// look reads the object anew.
func (s *scene) look() {
	s.t.Helper()
	live, err := direct.get(s.t.Context(), s.path(""))
	s.must(err)
	s.see(live)
}

// see takes an answer of the API server's for the object as it is.
func (s *scene) see(live *unstructured.Unstructured) {
	s.now = live
	if s.first == nil && live != nil {
		s.first = live.DeepCopy()
	}
}

// settle writes the object back as it is. A creation drops status, and with it the default that the CRD gives it, so the API server stores
// the object anew with the next write, whatever that is: with this one, so that it does not count as another one's doing.
func (s *scene) settle() {
	s.t.Helper()
	if s.now == nil || s.kind.foreign {
		return
	}
	body, err := s.now.MarshalJSON()
	s.must(err)
	settled, err := direct.do(s.t.Context(), request{verb: "PUT", path: s.path(""), params: map[string]string{"fieldManager": "settler"}, body: body})
	s.must(err)
	if before, after := ownersOf(s.now), ownersOf(settled); before.text() != after.text() {
		s.t.Fatalf("writing the object back as it is changed its owners from\n%s\nto\n%s", before.text(), after.text())
	}
	if s.first == nil || s.first.GetUID() == settled.GetUID() {
		s.first = settled.DeepCopy()
	}
	s.now = settled
}

// object completes a body of a row with what tells the API server which object it is about.
func (s *scene) object(body string, whole bool) *unstructured.Unstructured {
	s.t.Helper()
	content := map[string]any{}
	if strings.TrimSpace(body) != "" {
		raw, err := yaml.YAMLToJSONStrict([]byte(body))
		if err != nil {
			s.t.Fatalf("reading %s: %v", body, err)
		}
		// As the API server reads JSON: whole numbers are integers.
		s.must(unmarshal(raw, &content))
	}
	out := &unstructured.Unstructured{Object: content}
	if out.GetAPIVersion() == "" {
		out.SetAPIVersion(s.kind.GroupVersion().String())
	}
	if out.GetKind() == "" {
		out.SetKind(s.kind.Kind)
	}
	if whole {
		return out
	}
	if out.GetName() == "" {
		out.SetName(s.name)
	}
	if !s.kind.clusterScoped {
		out.SetNamespace(s.namespace)
	}
	return out
}

// guard sets what a request carries as a guard.
func (s *scene) guard(body *unstructured.Unstructured, uid, version reference) {
	switch uid {
	case live:
		body.SetUID(s.now.GetUID())
	case old:
		body.SetUID(s.first.GetUID())
	case other:
		body.SetUID(noUID)
	}
	switch version {
	case live:
		body.SetResourceVersion(s.now.GetResourceVersion())
	case old:
		body.SetResourceVersion(s.first.GetResourceVersion())
	default: // There is no other's version.
	}
}

// nextSecond waits until the times of managedFields, which have whole seconds, would be others.
func (s *scene) nextSecond() {
	s.t.Helper()
	latest := time.Time{}
	for _, e := range s.now.GetManagedFields() {
		if e.Time != nil && e.Time.After(latest) {
			latest = e.Time.Time
		}
	}
	s.must(wait.PollUntilContextTimeout(s.t.Context(), glance, patience, true, func(context.Context) (bool, error) {
		return time.Now().Truncate(time.Second).After(latest), nil
	}))
}

// merged is the object with a merge patch of a row's in it. NOW in the patch stands for a text that is another each time.
func (s *scene) merged(onto *unstructured.Unstructured, change string) *unstructured.Unstructured {
	s.t.Helper()
	change = strings.ReplaceAll(change, "NOW", strconv.FormatInt(time.Now().UnixNano(), 10))
	patch := map[string]any{}
	if change != "" {
		raw, err := yaml.YAMLToJSONStrict([]byte(change))
		s.must(err)
		s.must(unmarshal(raw, &patch))
	}
	out := onto.DeepCopy()
	out.Object = mergePatch(out.Object, patch)
	return out
}

// mergePatch is RFC 7386.
func mergePatch(into, patch map[string]any) map[string]any {
	if into == nil {
		into = map[string]any{}
	}
	for name, value := range patch {
		inner, isMap := value.(map[string]any)
		switch {
		case value == nil:
			delete(into, name)
		case isMap:
			child, _ := into[name].(map[string]any)
			into[name] = mergePatch(child, inner)
		default:
			into[name] = value
		}
	}
	return into
}

// intent is an apply as controller/apply is told it.
func (x applying) intent(body *unstructured.Unstructured) apply.Intent {
	return apply.Intent{
		Config: configOf(body), Manager: apply.Manager(x.who), Subresource: x.endpoint, Force: x.force, Create: true,
	}
}

func marshal(t tester, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func yesNo(yes bool) string {
	if yes {
		return "true"
	}
	return ""
}

func notYet(format string, args ...any) error { return fmt.Errorf("not yet: "+format, args...) }
