// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lagcache

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

const (
	team    = "team"
	manager = client.FieldOwner("user")
)

// rig is a server, a cache of it that holds ConfigMaps with the label kept=yes and all Secrets, and mirrors that its
// handlers keep.
type rig struct {
	t      rapid.TB
	server *apiserver.Server
	client client.Client
	cache  *Cache

	configMaps, metadata mirror
}

func newRig(t rapid.TB) *rig {
	t.Helper()
	server, err := apiserver.New(apiserver.Options{Namespaces: []string{team, "other"}})
	must(t, err)
	c, err := New(Options{Source: server, Scheme: server.Scheme(), ByObject: map[client.Object]cache.ByObject{
		&corev1.ConfigMap{}: {Label: labels.SelectorFromSet(labels.Set{"kept": "yes"})},
	}})
	must(t, err)
	r := &rig{t: t, server: server, client: server.Client("user"), cache: c, configMaps: mirror{}, metadata: mirror{}}
	must(t, c.AddHandler(&corev1.ConfigMap{}, &r.configMaps))
	partial := &metav1.PartialObjectMetadata{}
	partial.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	must(t, c.AddHandler(partial, &r.metadata))
	return r
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes or changes a ConfigMap.
func (r *rig) write(name, kept, value string) {
	r.t.Helper()
	config := corev1ac.ConfigMap(name, team).WithLabels(map[string]string{"kept": kept}).WithData(map[string]string{"value": value})
	must(r.t, r.client.Apply(context.Background(), config, manager))
}

func (r *rig) erase(name string) {
	r.t.Helper()
	err := r.client.Delete(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: name}})
	must(r.t, client.IgnoreNotFound(err))
}

// shown are the ConfigMaps that the cache shows, or that the server has had at a revision.
func (r *rig) shown() map[string]string {
	r.t.Helper()
	list := &corev1.ConfigMapList{}
	must(r.t, r.cache.List(context.Background(), list))
	out := map[string]string{}
	for i := range list.Items {
		out[list.Items[i].Name] = essence(&list.Items[i])
	}
	return out
}

func (r *rig) had(revision int64) map[string]string {
	out := map[string]string{}
	for _, change := range r.server.Changes(0) {
		if change.ResourceVersion > revision || change.Kind.Kind != "ConfigMap" {
			continue
		}
		if gone(change) || change.Object.GetLabels()["kept"] != "yes" {
			delete(out, change.Object.GetName())
		} else {
			out[change.Object.GetName()] = essence(change.Object)
		}
	}
	return out
}

func essence(obj client.Object) string {
	value := ""
	switch o := obj.(type) {
	case *corev1.ConfigMap:
		value = o.Data["value"]
	case *unstructured.Unstructured:
		value, _, _ = unstructured.NestedString(o.Object, "data", "value")
	}
	return fmt.Sprintf("%s at %s: %s", obj.GetUID(), obj.GetResourceVersion(), value)
}

// mirror is what a handler makes of what it is told.
type mirror struct {
	has  map[string]string
	told []string
}

func (m *mirror) OnAdd(obj any, initial bool) { m.put("add", obj, initial) }

func (m *mirror) OnUpdate(before, after any) {
	b, ok := before.(client.Object)
	if !ok || m.has[b.GetName()] != essence(b) {
		m.told = append(m.told, fmt.Sprintf("the old object is not the one that was told: %v", before))
	}
	m.put("update", after, false)
}

func (m *mirror) put(what string, obj any, initial bool) {
	if m.has == nil {
		m.has = map[string]string{}
	}
	o, ok := obj.(client.Object)
	if !ok {
		m.told = append(m.told, fmt.Sprintf("%T", obj))
		return
	}
	if initial {
		what = "initial " + what
	}
	m.told = append(m.told, what+" "+o.GetName())
	m.has[o.GetName()] = essence(o)
	o.SetName("spoilt") // It is a copy, or the cache is spoilt, too.
}

func (m *mirror) OnDelete(obj any) {
	what := "delete "
	if tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		what, obj = "tombstone "+tombstone.Key+" ", tombstone.Obj
	}
	o, ok := obj.(client.Object)
	if !ok {
		m.told = append(m.told, fmt.Sprintf("%T", obj))
		return
	}
	m.told = append(m.told, what+o.GetName())
	delete(m.has, o.GetName())
}

// TestEverythingIsToldOfWhatIsShown: whatever is written, and however the cache goes on, it shows what there was at its
// revision, and whoever has listened to it knows the same.
func TestEverythingIsToldOfWhatIsShown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0, 1, 2:
				kept := rapid.SampledFrom([]string{"yes", "yes", "no"}).Draw(t, "kept")
				r.write(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"), kept, rapid.SampledFrom([]string{"x", "y"}).Draw(t, "value"))
			case 3:
				r.erase(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"))
			case 4:
				_, err := r.cache.Advance(rapid.Int64Range(0, r.server.ResourceVersion()).Draw(t, "to"))
				must(t, err)
			case 5:
				must(t, r.cache.Relist(rapid.Int64Range(0, r.server.ResourceVersion()).Draw(t, "at")))
			}
			r.check()
		}
		for {
			more, err := r.cache.Step()
			must(t, err)
			if !more {
				break
			}
			r.check()
		}
		if r.cache.Behind() != 0 || r.cache.Revision() != r.server.ResourceVersion() {
			t.Fatalf("the cache stops at %d of %d", r.cache.Revision(), r.server.ResourceVersion())
		}
	})
}

func (r *rig) check() {
	r.t.Helper()
	want := r.had(r.cache.Revision())
	if diff := cmp.Diff(want, r.shown()); diff != "" {
		r.t.Fatalf("at %d the cache shows (-want +got):\n%s", r.cache.Revision(), diff)
	}
	if r.configMaps.has == nil {
		r.configMaps.has = map[string]string{}
	}
	if diff := cmp.Diff(want, r.configMaps.has); diff != "" {
		r.t.Fatalf("at %d the handlers know (-want +got):\n%s", r.cache.Revision(), diff)
	}
	if len(r.metadata.has) != len(want) {
		r.t.Fatalf("at %d the handlers of metadata know %v, want %v", r.cache.Revision(), r.metadata.has, want)
	}
	for _, told := range append(r.configMaps.told, r.metadata.told...) {
		if strings.HasPrefix(told, "the old object") {
			r.t.Fatal(told)
		}
	}
}

func TestWhatIsTold(t *testing.T) {
	r := newRig(t)
	r.write("a", "yes", "x")
	r.write("b", "no", "x")
	must(t, r.cache.Relist(r.server.ResourceVersion()))
	r.write("b", "yes", "x")
	r.write("a", "yes", "y")
	r.write("b", "no", "x")
	_, err := r.cache.Advance(r.server.ResourceVersion())
	must(t, err)
	r.write("c", "yes", "x")
	r.erase("a")
	must(t, r.cache.Relist(r.server.ResourceVersion()))
	late := &mirror{}
	must(t, r.cache.AddHandler(&corev1.ConfigMap{}, late))
	want := []string{"initial add a", "add b", "update a", "delete b", "add c", "tombstone team/a a"}
	if diff := cmp.Diff(want, r.configMaps.told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"initial add c"}, late.told); diff != "" {
		t.Errorf("a late handler was told (-want +got):\n%s", diff)
	}
}

func TestAHandlerThatHasLeftIsNotTold(t *testing.T) {
	r := newRig(t)
	i, err := r.cache.GetInformer(t.Context(), &corev1.ConfigMap{})
	must(t, err)
	m := &mirror{}
	handle, err := i.AddEventHandler(m)
	must(t, err)
	must(t, i.RemoveEventHandler(handle))
	r.write("a", "yes", "x")
	_, err = r.cache.Step()
	must(t, err)
	if len(m.told) != 0 {
		t.Errorf("it was told %v", m.told)
	}
}

func TestRead(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	byValue := func(obj client.Object) []string {
		s, ok := obj.(*corev1.Secret)
		if !ok {
			return nil
		}
		return []string{string(s.Data["value"])}
	}
	must(t, r.cache.IndexField(ctx, &corev1.Secret{}, "value", byValue))
	if err := r.cache.IndexField(ctx, &corev1.Secret{}, "value", byValue); err == nil {
		t.Error("an index was made twice")
	}
	for _, key := range []types.NamespacedName{{Namespace: team, Name: "a"}, {Namespace: team, Name: "b"}, {Namespace: "other", Name: "a"}} {
		must(t, r.client.Apply(ctx, corev1ac.Secret(key.Name, key.Namespace).WithLabels(map[string]string{"name": key.Name}).
			WithData(map[string][]byte{"value": []byte(key.Namespace)}), manager))
	}
	key := types.NamespacedName{Namespace: team, Name: "a"}
	if err := r.cache.Get(ctx, key, &corev1.Secret{}); !apierrors.IsNotFound(err) {
		t.Errorf("before it is shown, the error is %v", err)
	}
	must(t, r.cache.Relist(r.server.ResourceVersion()))
	for _, test := range []struct {
		says string
		opts []client.ListOption
		want string
	}{
		{"all", nil, "other/a team/a team/b"},
		{"a namespace", []client.ListOption{client.InNamespace(team)}, "team/a team/b"},
		{"an index", []client.ListOption{client.MatchingFields{"value": team}}, "team/a team/b"},
		{"an index in another namespace", []client.ListOption{client.MatchingFields{"value": team}, client.InNamespace("other")}, ""},
		{"a label", []client.ListOption{client.MatchingLabels{"name": "a"}}, "other/a team/a"},
		{"a label and an index", []client.ListOption{client.MatchingLabels{"name": "a"}, client.MatchingFields{"value": team}}, "team/a"},
		{"some", []client.ListOption{client.Limit(2)}, "other/a team/a"},
	} {
		t.Run(test.says, func(t *testing.T) {
			list := &corev1.SecretList{}
			must(t, r.cache.List(ctx, list, test.opts...))
			var got []string
			for i := range list.Items {
				got = append(got, client.ObjectKeyFromObject(&list.Items[i]).String())
				list.Items[i].Labels["name"] = "spoilt" // It is a copy, or the next rows fail.
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("listed %v, want %s", got, test.want)
			}
		})
	}
	if err := r.cache.List(ctx, &corev1.SecretList{}, client.MatchingFields{"unheard": "of"}); err == nil {
		t.Error("an index that is not there was used")
	}
	r.sameInEveryForm(key)
}

// sameInEveryForm: the cache and the server show the same object, in each form.
func (r *rig) sameInEveryForm(key types.NamespacedName) {
	r.t.Helper()
	gvk := corev1.SchemeGroupVersion.WithKind("Secret")
	forms := func() []client.Object {
		u, partial := &unstructured.Unstructured{}, &metav1.PartialObjectMetadata{}
		u.SetGroupVersionKind(gvk)
		partial.SetGroupVersionKind(gvk)
		return []client.Object{&corev1.Secret{}, u, partial}
	}
	cached, live := forms(), forms()
	for i := range cached {
		must(r.t, r.cache.Get(context.Background(), key, cached[i]))
		must(r.t, r.client.Get(context.Background(), key, live[i]))
		live[i].GetObjectKind().SetGroupVersionKind(gvk) // A client leaves it out of Go types, and controller-runtime's cache does not.
		if diff := cmp.Diff(jsonOf(r.t, live[i]), jsonOf(r.t, cached[i])); diff != "" {
			r.t.Errorf("%T differs (-live +cached):\n%s", cached[i], diff)
		}
	}
}

func jsonOf(t rapid.TB, obj runtime.Object) any {
	t.Helper()
	text, err := json.Marshal(obj)
	must(t, err)
	var out any
	must(t, json.Unmarshal(text, &out))
	return out
}
