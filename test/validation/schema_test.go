// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/config/crd"
)

// TestInstalledSchemasAreThoseOfTheBuild: the API server gives a CRD back with the schema that it was given, so
// that the operator can tell whether the cluster has the CRDs that it was built with.
func TestInstalledSchemasAreThoseOfTheBuild(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(shared.RESTConfig(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range compiled {
		installed := &apiextensionsv1.CustomResourceDefinition{}
		if err := c.Get(t.Context(), client.ObjectKey{Name: name}, installed); err != nil {
			t.Fatal(err)
		}
		if !crd.SameSchemas(want, installed) {
			t.Errorf("the schema of %s in the cluster differs from the one of this build", name)
		}
	}
}
