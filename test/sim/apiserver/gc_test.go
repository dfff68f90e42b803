// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// family is a server with ConfigMaps that own each other: parent <- child <- grandchild, and other, which owns child
// together with parent where it is to.
type family struct {
	*Server

	client client.Client
}

func newFamily(t *testing.T, both bool, finalizers ...string) family {
	t.Helper()
	f := family{Server: newServer(t, Options{})}
	f.client = f.Client("user")
	parent := f.make(t, "parent", finalizers)
	owners := []*metav1ac.OwnerReferenceApplyConfiguration{f.owner("parent", parent)}
	if both {
		owners = append(owners, f.owner("other", f.make(t, "other", nil)))
	}
	child := f.make(t, "child", nil, owners...)
	f.make(t, "grandchild", nil, f.owner("child", child))
	return f
}

func (family) owner(name string, uid types.UID) *metav1ac.OwnerReferenceApplyConfiguration {
	return metav1ac.OwnerReference().WithAPIVersion("v1").WithKind("ConfigMap").WithName(name).WithUID(uid).WithBlockOwnerDeletion(true)
}

func (f family) make(t *testing.T, name string, finalizers []string, owners ...*metav1ac.OwnerReferenceApplyConfiguration) types.UID {
	t.Helper()
	config := corev1ac.ConfigMap(name, team).WithOwnerReferences(owners...).WithFinalizers(finalizers...)
	must(t, f.client.Apply(t.Context(), config, alice))
	return *config.UID
}

// there are the names of the ConfigMaps, with an ! for those that are being deleted, and their owners.
func (f family) there() []string {
	var out []string
	for _, obj := range f.Objects(schema.GroupKind{Kind: "ConfigMap"}) {
		text := obj.GetName()
		if obj.GetDeletionTimestamp() != nil {
			text += "!"
		}
		for _, ref := range obj.GetOwnerReferences() {
			text += "<" + ref.Name
		}
		out = append(out, text)
	}
	return out
}

func TestCollectGarbage(t *testing.T) {
	for _, test := range []struct {
		says       string
		both       bool
		finalizers []string
		policy     metav1.DeletionPropagation
		keep       bool
		want       []string
	}{
		{says: "owners that are there keep", keep: true, want: []string{"child<parent", "grandchild<child", "parent"}},
		{says: "dependents go with their owner, and theirs"},
		{says: "an owner that is left keeps, and the other is forgotten", both: true, want: []string{"child<other", "grandchild<child", "other"}},
		{says: "in the foreground", policy: metav1.DeletePropagationForeground},
		{says: "in the foreground, with another owner", both: true, policy: metav1.DeletePropagationForeground, want: []string{"child<other", "grandchild<child", "other"}},
		{says: "orphans", policy: metav1.DeletePropagationOrphan, want: []string{"child", "grandchild<child"}},
		{says: "an owner that is being deleted keeps", finalizers: []string{"example.com/a"}, want: []string{"child<parent", "grandchild<child", "parent!"}},
		{says: "but not in the foreground", finalizers: []string{"example.com/a"}, policy: metav1.DeletePropagationForeground, want: []string{"parent!"}},
	} {
		t.Run(test.says, func(t *testing.T) {
			f := newFamily(t, test.both, test.finalizers...)
			if !test.keep {
				opts := &client.DeleteOptions{}
				if test.policy != "" {
					opts.PropagationPolicy = &test.policy
				}
				must(t, f.client.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "parent"}}, opts))
			}
			n, err := f.CollectGarbage(t.Context())
			must(t, err)
			if diff := cmp.Diff(test.want, f.there()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again, err := f.CollectGarbage(t.Context()); again != 0 || err != nil {
				t.Errorf("%d changes, and then %d more (%v)", n, again, err)
			}
		})
	}
}

func TestAnOwnerRecreatedUnderItsNameIsAnother(t *testing.T) {
	f := newFamily(t, false)
	must(t, f.client.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "parent"}}))
	f.make(t, "parent", nil)
	_, err := f.CollectGarbage(t.Context())
	must(t, err)
	if got := f.there(); !slices.Equal(got, []string{"parent"}) {
		t.Errorf("there are %v", got)
	}
}

func TestAnOwnerOfAnUnknownKindKeeps(t *testing.T) {
	f := family{Server: newServer(t, Options{})}
	f.client = f.Client("user")
	f.make(t, "a", nil, metav1ac.OwnerReference().WithAPIVersion("v1").WithKind("Pod").WithName("p").WithUID("u"))
	if n, err := f.CollectGarbage(t.Context()); n != 0 || err != nil {
		t.Errorf("%d changes (%v)", n, err)
	}
}

func TestNamespacesEnd(t *testing.T) {
	f := newFamily(t, false, "example.com/a")
	ctx := t.Context()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: team}}
	must(t, f.client.Delete(ctx, namespace))
	err := f.client.Apply(ctx, corev1ac.ConfigMap("new", team), alice)
	if !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		t.Errorf("the error is %v", err)
	}
	_, err = f.CollectGarbage(ctx)
	must(t, err)
	if got := f.there(); !slices.Equal(got, []string{"parent!"}) {
		t.Errorf("there are %v", got)
	}
	must(t, f.client.Get(ctx, types.NamespacedName{Name: team}, namespace))
	must(t, f.client.Patch(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "parent"}},
		client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))))
	_, err = f.CollectGarbage(ctx)
	must(t, err)
	if err := f.client.Get(ctx, types.NamespacedName{Name: team}, namespace); !apierrors.IsNotFound(err) {
		t.Errorf("the error is %v", err)
	}
	if err := f.client.Apply(ctx, corev1ac.ConfigMap("new", team), alice); !apierrors.IsNotFound(err) {
		t.Errorf("the error is %v", err)
	}
	if err := f.client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem}}); !apierrors.IsForbidden(err) {
		t.Errorf("the error is %v", err)
	}
}
