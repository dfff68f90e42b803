// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

const (
	lifecycleManager = "ec2-instance-lifecycle"
	instanceManager  = "ec2-instance"
	// nobody has what was anybody's when managedFields were cleared.
	nobody = "before-first-apply"
)

// ourManagers are the operator's, as the API page has them.
var ourManagers = []string{lifecycleManager, instanceManager, "ec2-account", "ec2-operator"}

// ourConditions are the types that the instance controller owns.
var ourConditions = []string{
	ec2v1.ConditionReady, ec2v1.ConditionLaunched, ec2v1.ConditionSynced, ec2v1.ConditionReachable,
	ec2v1.ConditionReconciling, ec2v1.ConditionStalled, ec2v1.ConditionContested,
}

func isOurs(e metav1.ManagedFieldsEntry) bool {
	return e.Operation == metav1.ManagedFieldsOperationApply && slices.Contains(ourManagers, e.Manager)
}

// userPart: spec and metadata are the users', but for the finalizer and the launch intent.
func (j *judge) userPart(before, after *ec2v1.EC2Instance) {
	ok := before.Generation == after.Generation && reflect.DeepEqual(before.Spec, after.Spec) &&
		reflect.DeepEqual(before.Labels, after.Labels) && reflect.DeepEqual(before.OwnerReferences, after.OwnerReferences)
	j.holds(specIsTheUsers, ok, "the operator changed spec, labels or owners of %s", after.Name)
	j.holds(specIsTheUsers, reflect.DeepEqual(foreignAnnotations(before), foreignAnnotations(after)), "the operator changed annotations of %s", after.Name)
	j.holds(specIsTheUsers, slices.Equal(foreignFinalizers(before), foreignFinalizers(after)), "the operator changed others' finalizers of %s", after.Name)
}

func foreignAnnotations(obj *ec2v1.EC2Instance) map[string]string {
	out := map[string]string{}
	for key, value := range obj.Annotations {
		if key != ec2v1.AnnotationLaunch {
			out[key] = value
		}
	}
	return out
}

func foreignFinalizers(obj *ec2v1.EC2Instance) []string {
	out := slices.DeleteFunc(slices.Clone(obj.Finalizers), func(f string) bool { return f == ec2v1.InstanceFinalizer })
	slices.Sort(out)
	return out
}

// fields are what an entry of managedFields owns: a set, and its leaves.
type fields struct {
	set    *fieldpath.Set
	leaves []fieldpath.Path
}

// parsedFields remembers what was parsed: the same few texts come again and again.
var parsedFields sync.Map

func fieldsIn(e metav1.ManagedFieldsEntry) fields {
	text := e.FieldsV1.GetRawString()
	if known, ok := parsedFields.Load(text); ok {
		out, _ := known.(fields) // Nothing else is stored.
		return out
	}
	out := fields{set: &fieldpath.Set{}}
	if text != "" && out.set.FromJSON(strings.NewReader(text)) != nil {
		return out
	}
	out.set.Leaves().Iterate(func(p fieldpath.Path) { out.leaves = append(out.leaves, p.Copy()) })
	parsedFields.Store(text, out)
	return out
}

// entryLike finds the entry of the same owner.
func entryLike(entries []metav1.ManagedFieldsEntry, e metav1.ManagedFieldsEntry) fields {
	for _, o := range entries {
		if o.Manager == e.Manager && o.Operation == e.Operation && o.Subresource == e.Subresource {
			return fieldsIn(o)
		}
	}
	return fields{set: &fieldpath.Set{}}
}

// others: what another manager owns is there after the operator's write, with the same value and the same owner. Of an EC2Instance the
// operator may take what is its own by contract; of a child what it sets.
func (j *judge) others(old, now *unstructured.Unstructured, before, after []metav1.ManagedFieldsEntry, instance bool) {
	for _, e := range before {
		if isOurs(e) || e.Manager == nobody {
			continue
		}
		left := entryLike(after, e)
		for _, path := range fieldsIn(e).leaves {
			if (instance && oursByContract(path)) || (!instance && ownedByUs(after, path)) {
				continue
			}
			was, there := valueAt(old.Object, path)
			if !there {
				continue
			}
			is, still := valueAt(now.Object, path)
			j.holds(othersSurvive, still && reflect.DeepEqual(was, is), "the operator changed %s of %s, which is %s's: %v to %v", path, now.GetName(), e.Manager, was, is)
			j.holds(othersSurvive, left.set.Has(path), "the operator took %s of %s from %s", path, now.GetName(), e.Manager)
		}
	}
}

// oursByContract: the finalizer, the launch intent, and all of status but others' conditions.
func oursByContract(path fieldpath.Path) bool {
	names := make([]string, len(path))
	for i, element := range path {
		if element.FieldName != nil {
			names[i] = *element.FieldName
		}
	}
	switch {
	case len(path) == 0:
		return false
	case names[0] == "metadata":
		return path.Equals(finalizerPath) || path.Equals(annotationPath)
	case names[0] != "status":
		return false
	case len(path) > 2 && names[1] == "conditions" && path[2].Key != nil:
		name, _ := (*path[2].Key)[0].Value.Unstructured().(string)
		return slices.Contains(ourConditions, name)
	default:
		return true
	}
}

func ownedByUs(entries []metav1.ManagedFieldsEntry, path fieldpath.Path) bool {
	return slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool { return isOurs(e) && fieldsIn(e).set.Has(path) })
}

// ownManagers: two managers of ours own nothing together.
func (j *judge) ownManagers(obj *ec2v1.EC2Instance) {
	for i, a := range obj.ManagedFields {
		for _, b := range obj.ManagedFields[i+1:] {
			if isOurs(a) && isOurs(b) && a.Manager != b.Manager {
				both := slices.IndexFunc(fieldsIn(a).leaves, fieldsIn(b).set.Has)
				j.holds(neverFight, both < 0, "%s and %s both own fields of %s", a.Manager, b.Manager, obj.Name)
			}
		}
	}
}

// valueAt is the value of a field of an object, and whether it is there.
func valueAt(value any, path fieldpath.Path) (any, bool) {
	for _, element := range path {
		var ok bool
		if value, ok = member(value, element); !ok {
			return nil, false
		}
	}
	return value, true
}

func member(value any, element fieldpath.PathElement) (any, bool) {
	switch {
	case element.FieldName != nil:
		fields, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		out, there := fields[*element.FieldName]
		return out, there
	case element.Index != nil:
		list, ok := value.([]any)
		if !ok || *element.Index >= len(list) {
			return nil, false
		}
		return list[*element.Index], true
	default:
		return item(value, element)
	}
}

// makePath and setItem build a path.
func makePath(parts ...any) fieldpath.Path { return fieldpath.MakePathOrDie(parts...) }

func setItem(text string) value.Value { return value.NewValueInterface(text) }

// fieldPath is a path in managedFields.
type fieldPath = fieldpath.Path

// fieldValue is a key of a list of objects, with its value.
type fieldValue = value.Field

// item finds the item of a list that has the element's keys, or its value.
func item(value any, element fieldpath.PathElement) (any, bool) {
	list, _ := value.([]any)
	for _, item := range list {
		if element.Value != nil && reflect.DeepEqual(item, (*element.Value).Unstructured()) {
			return item, true
		}
		if element.Key == nil {
			continue
		}
		fields, _ := item.(map[string]any)
		if !slices.ContainsFunc(*element.Key, func(k fieldValue) bool { return !reflect.DeepEqual(fields[k.Name], k.Value.Unstructured()) }) {
			return item, true
		}
	}
	return nil, false
}
