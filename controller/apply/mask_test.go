// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

var (
	secretKind  = schema.GroupKind{Kind: "Secret"}
	accountKind = schema.GroupKind{Group: "ec2.fieldowner.dev", Kind: "EC2Account"}
	widgetKind  = schema.GroupKind{Group: "example.com", Kind: "Widget"}
)

func TestMasked(t *testing.T) {
	at := fieldpath.MakePathOrDie
	env := func(name string) fieldpath.Path {
		return at("spec", "containers", fieldpath.KeyByFields("name", "app"), "env", fieldpath.KeyByFields("name", name))
	}
	for _, test := range []struct {
		says   string
		kind   schema.GroupKind
		path   fieldpath.Path
		value  any
		masked bool
	}{
		{"a Secret's data", secretKind, at("data", "x"), "c2VjcmV0", true},
		{"all of a Secret's data", secretKind, at("data"), map[string]any{"x": "c2VjcmV0"}, true},
		{"a Secret's text", secretKind, at("stringData", "x"), "secret", true},
		{"a Secret's type", secretKind, at("type"), "kubernetes.io/service-account-token", false},
		{"a Secret's labels", secretKind, at("metadata", "labels", "token"), "x", false},
		{"another kind called Secret", schema.GroupKind{Group: "example.com", Kind: "Secret"}, at("data", "x"), "x", false},

		{"the script of an instance", kind, at("spec", "userData", "inline"), "#!/bin/sh", true},
		{"where the script of an instance is", kind, at("spec", "userData", "secretKeyRef", "name"), "boot", false},
		{"an instance's option with an unlucky name", kind, at("spec", "metadataOptions", "httpTokens"), "required", false},
		{"the token of a launch, which is none", kind, at("status", "launch", "clientToken"), "abc", false},
		{"the role of an account", accountKind, at("spec", "credentials", "assumeRole", "roleARN"), "arn:aws:iam::1:role/x", false},

		{"kubectl's copy of an object", widgetKind, at("metadata", "annotations", lastApplied), `{"spec":{}}`, true},
		{"kubectl's copy of an object that we know", kind, at("metadata", "annotations", lastApplied), `{"spec":{}}`, true},
		{"another annotation", widgetKind, at("metadata", "annotations", "example.com/token"), "x", false},
		{"a label", widgetKind, at("metadata", "labels", "password"), "x", false},

		{"a password", widgetKind, at("spec", "password"), "x", true},
		{"an admin's password", widgetKind, at("spec", "adminPassword"), "x", true},
		{"tokens", widgetKind, at("spec", "tokens"), []any{"x"}, true},
		{"an element of a set of tokens", widgetKind, at("spec", "tokens", item("x")), "x", true},
		{"an API key", widgetKind, at("spec", "apiKey"), "x", true},
		{"an access key", widgetKind, at("spec", "aws_secret_access_key"), "x", true},
		{"a private key", widgetKind, at("spec", "tls", "privateKey"), "x", true},
		{"a client's secret", widgetKind, at("spec", "oidc", "clientSecret"), "x", true},
		{"a secret", widgetKind, at("spec", "secret"), "x", true},
		{"user data", widgetKind, at("spec", "userData"), "x", true},
		{"credentials", widgetKind, at("spec", "credentials"), "x", true},
		{"a number that is a password", widgetKind, at("spec", "password"), int64(1234), true},
		{"what is below a password", widgetKind, at("spec", "password", "value"), "x", true},
		{"a ConfigMap's key", schema.GroupKind{Kind: "ConfigMap"}, at("data", "db.password"), "x", true},
		{"a ConfigMap's other key", schema.GroupKind{Kind: "ConfigMap"}, at("data", "db.host"), "x", false},
		{"a variable", widgetKind, append(env("DB_PASSWORD"), at("value")...), "x", true},
		{"another variable", widgetKind, append(env("DB_HOST"), at("value")...), "x", false},
		{"where a variable comes from", widgetKind, append(env("DB_PASSWORD"), at("valueFrom", "secretKeyRef", "key")...), "x", false},

		{"a Secret's name", widgetKind, at("spec", "secretName"), "x", false},
		{"a reference", widgetKind, at("spec", "secretKeyRef", "name"), "x", false},
		{"another reference", widgetKind, at("spec", "tokenRef"), "x", false},
		{"a reference in the place of a secret", widgetKind, at("spec", "password", "secretKeyRef", "key"), "x", false},
		{"whether there is a token", widgetKind, at("spec", "automountServiceAccountToken"), true, false},
		{"nothing", secretKind, at("data", "x"), nil, false},
		{"anything else", widgetKind, at("spec", "size"), "x", false},
		{"a list by index", widgetKind, at("spec", "sizes", 0), "x", false},
		{"the whole", widgetKind, nil, "x", false},
	} {
		t.Run(test.says, func(t *testing.T) {
			want := test.value
			if test.masked {
				want = MaskedValue
			}
			same(t, want, Masked(test.kind, test.path, test.value))
		})
	}
}

// TestMaskedBelow: what is secret is also masked within a map or a list that is told whole, and the original stays.
func TestMaskedBelow(t *testing.T) {
	variable := func(name, value string) map[string]any { return map[string]any{"name": name, "value": value} }
	object := func(inline, copied, password, variablePassword any) map[string]any {
		return map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{lastApplied: copied, "note": "n"}},
			"spec": map[string]any{
				"userData": map[string]any{"inline": inline, "size": int64(2)},
				"users":    []any{map[string]any{"login": "a", "password": password}, "b"},
				"env": []any{
					variable("HOST", "h"), map[string]any{"name": "DB_PASSWORD", "value": variablePassword},
					map[string]any{"name": int64(7), "value": "x"},
				},
			},
		}
	}
	original := object("#!/bin/sh", "{}", "p", "q")
	same(t, any(object(MaskedValue, MaskedValue, "p", "q")), Masked(kind, nil, original))
	widget := object(MaskedValue, MaskedValue, MaskedValue, MaskedValue)
	widget["spec"].(map[string]any)["userData"] = MaskedValue //nolint:forcetypeassert // It is one.
	same(t, any(widget), Masked(widgetKind, nil, original))
	same(t, object("#!/bin/sh", "{}", "p", "q"), original)
}
