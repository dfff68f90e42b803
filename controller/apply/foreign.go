// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Foreign returns what others own of an object and a manager does not: what it must not copy into its own intent, or it would
// own that, too. Of an item of a list that is foreign as a whole it returns the item. What nobody owns is not foreign.
func Foreign(obj metav1.Object, manager Manager, subresource string) ([]fieldpath.Path, error) {
	ours, theirs := fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range obj.GetManagedFields() {
		set, err := FieldsOf(entry)
		if err != nil {
			return nil, err
		}
		owner := ownerOf(entry)
		switch {
		case owner.Is(Owner{Manager: string(manager), Operation: metav1.ManagedFieldsOperationApply, Subresource: subresource}):
			ours = set
		case !owner.Nobody():
			theirs = theirs.Union(set)
		}
	}
	foreign := fieldpath.NewSet()
	theirs.Leaves().Iterate(func(path fieldpath.Path) {
		if !ours.Has(path) {
			foreign.Insert(wholeItem(path, ours).Copy())
		}
	})
	var paths []fieldpath.Path
	foreign.Iterate(func(path fieldpath.Path) { paths = append(paths, path.Copy()) })
	return paths, nil
}

// wholeItem is the outermost item of a list on a path that is not ours, or else the path: an item without its key is no item.
func wholeItem(path fieldpath.Path, ours *fieldpath.Set) fieldpath.Path {
	for i, element := range path {
		if item := path[:i+1]; element.FieldName == nil && !ours.Has(item) {
			return item
		}
	}
	return path
}

// Without copies an object into another of its type, and leaves some fields out.
func Without(from runtime.Object, paths []fieldpath.Path, into runtime.Object) error {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(from)
	if err != nil {
		return fmt.Errorf("reading %T: %w", from, err)
	}
	rest := without(&unstructured.Unstructured{Object: fields}, paths)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(rest.Object, into); err != nil {
		return fmt.Errorf("making %T: %w", into, err)
	}
	return nil
}
