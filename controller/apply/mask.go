// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// MaskedValue is told in the place of a value that bears a secret.
const MaskedValue = "(masked)"

// secretFields are the fields that bear secrets of the kinds that we know: all that is secret lies at or below them.
var secretFields = map[schema.GroupKind][][]string{
	{Kind: "Secret"}: {{"data"}, {"stringData"}},
	{Group: "ec2.fieldowner.dev", Kind: "EC2Instance"}: {{"spec", "userData", "inline"}},
	{Group: "ec2.fieldowner.dev", Kind: "EC2Account"}:  nil,
}

// lastApplied is kubectl's copy of a whole object, with whatever is secret in it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// secretName is how fields of other kinds, and the items of lists, are named when a secret is in them. A reference
// to one, such as secretName or tokenRef, holds none.
var (
	secretName    = regexp.MustCompile(`(?i)(password|passwd|passphrase|privatekey|private_key|credential|apikey|api_key|accesskey|access_key|secretkey|secret_key|token|secret|^userdata)s?$`)
	referenceName = regexp.MustCompile(`(?i)(ref|reference|name)s?$`)
)

// Masked returns the value of a field, or MaskedValue where the field bears a secret, or holds one further down.
func Masked(kind schema.GroupKind, path fieldpath.Path, held any) any {
	switch held.(type) {
	case nil, bool:
		return held // No secret is one of two values.
	}
	if bearsSecret(kind, path) {
		return MaskedValue
	}
	return maskedBelow(kind, path, held)
}

// maskedBelow returns a copy of a map or list without the secrets in it.
func maskedBelow(kind schema.GroupKind, path fieldpath.Path, held any) any {
	switch v := held.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, child := range v {
			out[name] = Masked(kind, append(path.Copy(), fieldpath.PathElement{FieldName: &name}), child)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			out[i] = Masked(kind, append(path.Copy(), elementOf(i, child)), child)
		}
		return out
	default:
		return held
	}
}

// elementOf is an item's place in a list: by its name if it has one, as a variable of a container has, since the
// name tells whether the value is secret.
func elementOf(i int, item any) fieldpath.PathElement {
	if fields, ok := item.(map[string]any); ok && fields["name"] != nil {
		return fieldpath.PathElement{Key: &value.FieldList{{Name: "name", Value: value.NewValueInterface(fields["name"])}}}
	}
	return fieldpath.PathElement{Index: &i}
}

func bearsSecret(kind schema.GroupKind, path fieldpath.Path) bool {
	names := namesIn(path)
	if len(names) == 0 {
		return false
	}
	if names[len(names)-1] == lastApplied {
		return true
	}
	if known, ok := secretFields[kind]; ok {
		return slices.ContainsFunc(known, func(secret []string) bool {
			return len(names) >= len(secret) && slices.Equal(names[:len(secret)], secret)
		})
	}
	return names[0] != "metadata" && isSecret(names)
}

// isSecret tells whether a name says that a secret lies below, and none after it that it is but a reference.
func isSecret(names []string) bool {
	for i, name := range names {
		if secretName.MatchString(name) {
			return !slices.ContainsFunc(names[i+1:], referenceName.MatchString)
		}
	}
	return false
}

// namesIn are the names in a path: of fields, and the keys of list items, which tell of the fields that are in them.
func namesIn(path fieldpath.Path) []string {
	var out []string
	for i, element := range path {
		if element.FieldName != nil {
			out = append(out, *element.FieldName)
		}
		if element.Key == nil || i == len(path)-1 {
			continue
		}
		for _, k := range *element.Key {
			if k.Value.IsString() {
				out = append(out, k.Value.AsString())
			}
		}
	}
	return out
}
