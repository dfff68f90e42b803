// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi3"
	"sigs.k8s.io/yaml"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// testSchema is a schema of a kind that exists only in this suite.
type testSchema struct {
	// spec and status are the properties of each, as YAML.
	spec, status string
	// required are the fields of spec that must be there.
	required []string
	// versions of the API, the first of which is stored; v1 alone unless it is set.
	versions []string
}

// testCRD is the kind's CRD.
type testCRD struct {
	mu sync.Mutex
	// schemas are those that the CRD has had, in their order; the last is in force.
	schemas []testSchema
	// served is the last schema as the API server has it: how objects are merged and what defaults they get.
	converter managedfields.TypeConverter
	defaults  map[string]*structuralschema.Structural
	predictor *apply.Predictor
}

// newKind is a kind of this suite. Its group is the row's own, so that its schema can change without others being touched.
func newKind(name string, s testSchema) *kind {
	return &kind{
		GroupVersionKind: schema.GroupVersionKind{Group: name + ".example.com", Version: "v1", Kind: "Widget"},
		resource:         "widgets",
		crd:              &testCRD{schemas: []testSchema{s}},
	}
}

// marker is a field that only one of a CRD's schemas has: who knows it has that schema.
func marker(generation int) string { return fmt.Sprintf("schema%d", generation) }

// definition is the CRD with its last schema.
func (k *kind) definition(t tester) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	s := k.crd.schemas[len(k.crd.schemas)-1]
	versions := s.versions
	if versions == nil {
		versions = []string{"v1"}
	}
	crd := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: k.resource + "." + k.Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: k.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: k.resource, Singular: "widget", Kind: k.Kind, ListKind: "WidgetList"},
		},
	}
	for i, version := range versions {
		crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{
			Name: version, Served: true, Storage: i == 0,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: s.openAPI(t, len(k.crd.schemas))},
			Subresources: &apiextensionsv1.CustomResourceSubresources{
				Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
				Scale:  &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"},
			},
		})
	}
	return crd
}

func (s testSchema) openAPI(t tester, generation int) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	text := fmt.Sprintf("type: object\nproperties:\n  spec:\n    type: object\n    properties:\n      %s: {type: string}\n%s\n"+
		"  status:\n    type: object\n    properties:\n      replicas: {type: integer}\n%s\n", marker(generation), indented(s.spec), indented(s.status))
	out := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict([]byte(text), out); err != nil {
		t.Fatalf("reading the schema: %v\n%s", err, text)
	}
	spec := out.Properties["spec"]
	spec.Required = s.required
	out.Properties["spec"] = spec
	return out
}

func indented(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, "      "+strings.TrimRight(line, "\n"))
	}
	return strings.Join(lines, "\n")
}

// install has the API server serve the kind, once.
func (k *kind) install(t tester) {
	t.Helper()
	if k.crd == nil {
		return
	}
	k.crd.mu.Lock()
	defer k.crd.mu.Unlock()
	if k.crd.predictor == nil {
		k.serve(t)
	}
}

// upgrade gives the kind's CRD another schema.
func (k *kind) upgrade(t tester, to testSchema) {
	t.Helper()
	k.crd.mu.Lock()
	defer k.crd.mu.Unlock()
	k.crd.schemas = append(k.crd.schemas, to)
	k.serve(t)
}

// serve applies the CRD and waits until its schema is in force.
func (k *kind) serve(t tester) {
	t.Helper()
	crd := k.definition(t)
	body := marshal(t, crd)
	_, err := direct.do(t.Context(), request{
		verb: "PATCH", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + crd.Name, patch: types.ApplyYAMLPatchType,
		params: map[string]string{"fieldManager": "suite", "force": "true"}, body: withoutStatus(t, body),
	})
	if err != nil {
		t.Fatal(err)
	}
	k.waitServed(t)
	k.learn(t, crd)
}

func withoutStatus(t tester, body []byte) []byte {
	t.Helper()
	content := map[string]any{}
	if err := json.Unmarshal(body, &content); err != nil {
		t.Fatal(err)
	}
	delete(content, "status")
	return marshal(t, content)
}

// waitServed waits until the API server knows the field that only the last schema has. Anything but "no such field" and "no such kind" says
// that it does.
func (k *kind) waitServed(t tester) {
	t.Helper()
	probe := fmt.Sprintf(`{"apiVersion": %q, "kind": %q, "metadata": {"name": "probe"}, "spec": {%q: "x"}}`, k.GroupVersion(), k.Kind, marker(len(k.crd.schemas)))
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), glance, patience, true, func(ctx context.Context) (bool, error) {
		_, last = direct.do(ctx, request{
			verb: "PATCH", path: k.path(k.Version, namespace, "probe", ""), patch: types.ApplyYAMLPatchType,
			params: map[string]string{"fieldManager": "suite", "dryRun": "All"}, body: []byte(probe),
		})
		return last == nil || apierrors.IsInvalid(last), nil
	})
	if err != nil {
		t.Fatalf("waiting for %s: %v: %v", k.Group, err, last)
	}
}

// learn reads how the API server merges the kind's objects, and which defaults they have.
func (k *kind) learn(t tester, crd *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	k.crd.defaults = map[string]*structuralschema.Structural{}
	for _, version := range crd.Spec.Versions {
		k.crd.defaults[version.Name] = structural(t, version.Schema.OpenAPIV3Schema)
	}
	k.crd.converter = published(t, k.GroupVersion(), marker(len(k.crd.schemas)))
	k.crd.predictor = apply.NewPredictor(scheme, k.crd.converter)
}

// published is the type converter of a group's published schema, once that has a field.
func published(t tester, gv schema.GroupVersion, field string) managedfields.TypeConverter {
	t.Helper()
	disco, err := discovery.NewDiscoveryClientForConfig(shared.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	var converter managedfields.TypeConverter
	var last error
	err = wait.PollUntilContextTimeout(t.Context(), glance, patience, true, func(context.Context) (bool, error) {
		converter, last = publishedNow(disco, gv, field)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("reading the schema of %s: %v: %v", gv, err, last)
	}
	return converter
}

func publishedNow(disco discovery.DiscoveryInterface, gv schema.GroupVersion, field string) (managedfields.TypeConverter, error) {
	doc, err := openapi3.NewRoot(disco.OpenAPIV3()).GVSpec(gv)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(doc.Components.Schemas)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(text), `"`+field+`"`) {
		return nil, notYet("the published schema of %s has no %s", gv, field)
	}
	return managedfields.NewTypeConverter(doc.Components.Schemas, false)
}

func structural(t tester, s *apiextensionsv1.JSONSchemaProps) *structuralschema.Structural {
	t.Helper()
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s, internal, nil); err != nil {
		t.Fatal(err)
	}
	out, err := structuralschema.NewStructural(internal)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// defaulted is an object as the API server reads it: with the defaults of its CRD, and with metadata that has been through its Go type, so that
// null is nothing there.
func (k *kind) defaulted(obj *unstructured.Unstructured) *unstructured.Unstructured {
	out := obj.DeepCopy()
	if metadata, is := out.Object["metadata"].(map[string]any); is {
		maps.DeleteFunc(metadata, func(_ string, value any) bool { return value == nil })
	}
	defaults := ownDefaults[k.Kind]
	if k.crd != nil {
		defaults = k.crd.defaults[obj.GroupVersionKind().Version]
	}
	if defaults != nil {
		defaulting.PruneNonNullableNullsWithoutDefaults(out.Object, defaults)
		defaulting.Default(out.Object, defaults)
	}
	return out
}

// predictor is the one that knows the kind's schema.
func (s *scene) predictor() *apply.Predictor {
	if s.kind.crd != nil {
		return s.kind.crd.predictor
	}
	return predictor
}

func (x upgrading) run(s *scene) error {
	s.t.Helper()
	s.kind.upgrade(s.t, x.to)
	s.look()
	return nil
}
