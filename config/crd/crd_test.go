// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const (
	instances = "ec2instances.ec2.fieldowner.dev"
	accounts  = "ec2accounts.ec2.fieldowner.dev"
)

func all(t *testing.T) map[string]*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	out, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAllAreThere(t *testing.T) {
	if got := slices.Sorted(maps.Keys(all(t))); !slices.Equal(got, []string{accounts, instances}) {
		t.Errorf("there are %v", got)
	}
}

func TestSameSchemas(t *testing.T) {
	spec := func(c *apiextensionsv1.CustomResourceDefinition) map[string]apiextensionsv1.JSONSchemaProps {
		return c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties
	}
	edit := func(c *apiextensionsv1.CustomResourceDefinition, field string, change func(*apiextensionsv1.JSONSchemaProps)) {
		property := spec(c)[field]
		change(&property)
		spec(c)[field] = property
	}
	for _, test := range []struct {
		says   string
		change func(*apiextensionsv1.CustomResourceDefinition)
		want   bool
	}{
		{"the same", func(*apiextensionsv1.CustomResourceDefinition) {}, true},
		{"with what the API server adds", func(c *apiextensionsv1.CustomResourceDefinition) {
			c.ResourceVersion, c.Status.AcceptedNames.Kind = "7", "EC2Instance"
		}, true},
		{"another description", func(c *apiextensionsv1.CustomResourceDefinition) {
			edit(c, "tags", func(p *apiextensionsv1.JSONSchemaProps) { p.Items.Schema.Description = "another" })
		}, true},
		{"a default", func(c *apiextensionsv1.CustomResourceDefinition) {
			edit(c, "keyName", func(p *apiextensionsv1.JSONSchemaProps) { p.Default = &apiextensionsv1.JSON{Raw: []byte(`"k"`)} })
		}, false},
		{"another type of list", func(c *apiextensionsv1.CustomResourceDefinition) {
			edit(c, "tags", func(p *apiextensionsv1.JSONSchemaProps) { p.XListType = new("atomic") })
		}, false},
		{"a field more", func(c *apiextensionsv1.CustomResourceDefinition) {
			spec(c)["novel"] = apiextensionsv1.JSONSchemaProps{Type: "string"}
		}, false},
		{"a field less", func(c *apiextensionsv1.CustomResourceDefinition) { delete(spec(c), "keyName") }, false},
		{"a version more", func(c *apiextensionsv1.CustomResourceDefinition) {
			v := *c.Spec.Versions[0].DeepCopy()
			v.Name = "v2"
			c.Spec.Versions = append(c.Spec.Versions, v)
		}, false},
	} {
		t.Run(test.says, func(t *testing.T) {
			compiled := all(t)[instances]
			changed := compiled.DeepCopy()
			test.change(changed)
			before, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			if got := SameSchemas(compiled, changed); got != test.want {
				t.Errorf("the same: %t", got)
			}
			if after, err := json.Marshal(changed); err != nil || !bytes.Equal(after, before) {
				t.Errorf("comparing changed it (%v)", err)
			}
		})
	}
}
