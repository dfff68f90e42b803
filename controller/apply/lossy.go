// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rewriting are the types that do not keep the text they were read from: 1024Mi becomes 1Gi, and 60m becomes 1h.
var rewriting = []reflect.Type{reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Duration]()}

// lossy tells whether a Go type can hold a value that it would write back in another way.
func lossy(t reflect.Type) bool { return lossyBelow(t, map[reflect.Type]bool{}) }

func lossyBelow(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if slices.Contains(rewriting, t) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return lossyBelow(t.Elem(), seen)
	case reflect.Struct:
		for f := range t.Fields() {
			if f.IsExported() && lossyBelow(f.Type, seen) {
				return true
			}
		}
		return false
	default:
		return false
	}
}
