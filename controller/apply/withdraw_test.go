// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// child is a ConfigMap that we have made.
func child() *corev1ac.ConfigMapApplyConfiguration {
	return corev1ac.ConfigMap("web", "shop").WithLabels(map[string]string{"ours": "x"}).WithData(map[string]string{"a": "1"})
}

func theirs() *corev1ac.ConfigMapApplyConfiguration { return corev1ac.ConfigMap("web", "shop") }

func childWorld(t *testing.T, others ...Intent) *world {
	t.Helper()
	w := newWorldOf(t, corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	w.mustApply(Intent{Config: child(), Manager: us})
	for _, in := range others {
		w.mustApply(in)
	}
	w.server.requests = 0
	return w
}

func (w *world) configMap() *corev1.ConfigMap {
	w.t.Helper()
	out := &corev1.ConfigMap{}
	w.read(out)
	return out
}

func by(m Manager, c *corev1ac.ConfigMapApplyConfiguration) Intent {
	return Intent{Config: c, Manager: m}
}

func TestWithdraw(t *testing.T) {
	for _, test := range []struct {
		says   string
		others []Intent
		// change is made to the object by others.
		change  func(*corev1.ConfigMap)
		outcome Outcome
		// data and labels are what is left.
		data, labels map[string]string
	}{
		{says: "nobody else has a part in it: it is deleted", outcome: Deleted},
		{
			says: "somebody has applied data: released", others: []Intent{by(user, theirs().WithData(map[string]string{"b": "2"}))},
			outcome: Changed, data: map[string]string{"b": "2"},
		},
		{
			says: "somebody has applied a label: released", others: []Intent{by(user, theirs().WithLabels(map[string]string{"l": "2"}))},
			outcome: Changed, labels: map[string]string{"l": "2"},
		},
		{
			says: "somebody shares a value: released, and it stays", others: []Intent{by(user, theirs().WithData(map[string]string{"a": "1"}))},
			outcome: Changed, data: map[string]string{"a": "1"},
		},
		{says: "somebody has a finalizer only: it is deleted", others: []Intent{by(user, theirs().WithFinalizers("example.com/x"))}, outcome: Deleted},
		{
			says:    "somebody has a finalizer and a label: released",
			others:  []Intent{by(user, theirs().WithFinalizers("example.com/x").WithLabels(map[string]string{"l": "2"}))},
			outcome: Changed, labels: map[string]string{"l": "2"},
		},
		{
			says: "somebody has the status only: it is deleted",
			change: func(c *corev1.ConfigMap) {
				e := entry("cloud", byUpdate, "status", `{"f:status":{"f:x":{}}}`)
				e.APIVersion = "v1"
				c.ManagedFields = append(c.ManagedFields, e)
			},
			outcome: Deleted,
		},
		{
			says: "we have updated it, which is another owner: released",
			change: func(c *corev1.ConfigMap) {
				e := entry(string(us), byUpdate, "", `{"f:data":{"f:z":{}}}`)
				e.APIVersion = "v1"
				c.ManagedFields = append(c.ManagedFields, e)
			},
			outcome: Changed,
		},
		{
			says: "nobody (before-first-apply) has a part in it: it is deleted",
			change: func(c *corev1.ConfigMap) {
				e := entry(beforeFirstApply, byUpdate, "", `{"f:data":{"f:z":{}}}`)
				e.APIVersion = "v1"
				c.ManagedFields = append(c.ManagedFields, e)
			},
			outcome: Deleted,
		},
	} {
		t.Run(test.says, func(t *testing.T) {
			w := childWorld(t, test.others...)
			live := w.configMap()
			if test.change != nil {
				test.change(live)
			}
			got, err := w.applier.Withdraw(t.Context(), live, us)
			if err != nil {
				t.Fatal(err)
			}
			same(t, test.outcome, got.Outcome)
			same(t, types.UID(serverUID), got.UID)
			same(t, 1, w.server.requests)
			if test.outcome == Deleted {
				uid, version := types.UID(serverUID), live.ResourceVersion
				same(t, []client.Preconditions{{UID: &uid, ResourceVersion: &version}}, w.server.deletions)
				if w.server.object != nil && w.server.object.GetDeletionTimestamp() == nil {
					t.Error("it was not deleted")
				}
				return
			}
			left := w.configMap()
			same(t, test.data, left.Data)
			same(t, test.labels, left.Labels)
			if test.change != nil {
				return // The server does not know of the change.
			}
			again, err := w.applier.Withdraw(t.Context(), left, us)
			if err != nil || again.Outcome != Skipped || w.server.requests != 1 {
				t.Errorf("a second time it gives %v (%v)", again, err)
			}
		})
	}
}

// TestWithdrawalOfADeletedObject: it goes anyway, whoever has a part in it.
func TestWithdrawalOfADeletedObject(t *testing.T) {
	for _, config := range []*corev1ac.ConfigMapApplyConfiguration{theirs().WithFinalizers("example.com/x"), theirs().WithData(map[string]string{"b": "2"})} {
		w := childWorld(t, by(user, config))
		live := w.configMap()
		live.DeletionTimestamp = &metav1.Time{Time: someTime}
		got, err := w.applier.Withdraw(t.Context(), live, us)
		if err != nil || w.server.requests != 0 {
			t.Errorf("the error is %v after %d requests", err, w.server.requests)
		}
		same(t, Result{Outcome: Skipped, UID: serverUID, ResourceVersion: live.ResourceVersion}, got)
	}
}

// TestWithdrawalsAreGuarded: what has changed since it was read is not deleted, and what is gone is no error.
func TestWithdrawalsAreGuarded(t *testing.T) {
	w := childWorld(t)
	old := w.configMap()
	w.mustApply(by(user, theirs().WithData(map[string]string{"b": "2"})))
	if _, err := w.applier.Withdraw(t.Context(), old, us); !IsStale(err) || w.server.object == nil {
		t.Errorf("the error is %v", err)
	}
	w = childWorld(t)
	old = w.configMap()
	w.server.object = nil
	if got, err := w.applier.Withdraw(t.Context(), old, us); err != nil || got.Outcome != Deleted {
		t.Errorf("of an object that is gone: %v (%v)", got, err)
	}
	w = childWorld(t)
	refusal := errors.New("no")
	w.server.before = func(string) error { return refusal }
	if _, err := w.applier.Withdraw(t.Context(), w.configMap(), us); !errors.Is(err, refusal) {
		t.Errorf("the error is %v", err)
	}
	live := w.configMap()
	live.ManagedFields = append(live.ManagedFields, entry("user", byUpdate, "", "[]"))
	if _, err := w.applier.Withdraw(t.Context(), live, us); err == nil || errors.Is(err, refusal) {
		t.Errorf("with managedFields that cannot be read the error is %v", err)
	}
}
