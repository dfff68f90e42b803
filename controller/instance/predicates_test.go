// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

func owns(manager apply.Manager, fields string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: string(manager), Operation: metav1.ManagedFieldsOperationApply, APIVersion: ec2v1.SchemeGroupVersion.String(),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields), Time: new(metav1.NewTime(begin)),
	}
}

func ownsStatus(fields string) metav1.ManagedFieldsEntry {
	e := owns(apply.ManagerInstance, fields)
	e.Subresource = apply.SubresourceStatus
	return e
}

const (
	finalizerAndIntent = `{"f:metadata":{"f:annotations":{"f:ec2.fieldowner.dev/launch":{}},"f:finalizers":{"v:\"ec2.fieldowner.dev/instance\"":{}}}}`
	finalizerOnly      = `{"f:metadata":{"f:finalizers":{"v:\"ec2.fieldowner.dev/instance\"":{}}}}`
	stateAndID         = `{"f:status":{"f:instanceID":{},"f:state":{}}}`
	stateOnly          = `{"f:status":{"f:state":{}}}`
)

func watched() *ec2v1.EC2Instance {
	obj := testObject()
	obj.Finalizers = []string{ec2v1.InstanceFinalizer}
	obj.Labels = map[string]string{"app": "web"}
	obj.Annotations = map[string]string{ec2v1.AnnotationLaunch: "{}"}
	user := owns("kubectl", `{"f:spec":{"f:instanceType":{}}}`)
	obj.ManagedFields = []metav1.ManagedFieldsEntry{user, owns(apply.ManagerInstanceLifecycle, finalizerAndIntent), ownsStatus(stateAndID)}
	return obj
}

// TestDisowned: what others own now is looked at in a while.
func TestDisowned(t *testing.T) {
	tests := map[string]struct {
		change func(*ec2v1.EC2Instance)
		want   bool
	}{
		"nothing": {change: func(*ec2v1.EC2Instance) {}},
		"a field more of ours": {change: func(o *ec2v1.EC2Instance) {
			o.ManagedFields[2] = ownsStatus(`{"f:status":{"f:instanceID":{},"f:state":{},"f:vpcID":{}}}`)
		}},
		"nobody inherits": {change: func(o *ec2v1.EC2Instance) {
			o.ManagedFields = append(o.ManagedFields, metav1.ManagedFieldsEntry{Manager: "before-first-apply", Operation: metav1.ManagedFieldsOperationUpdate})
		}, want: true},
		"a field of status is taken from us": {change: func(o *ec2v1.EC2Instance) {
			o.ManagedFields[2] = ownsStatus(stateOnly)
		}, want: true},
		"the intent is taken from us": {change: func(o *ec2v1.EC2Instance) {
			o.ManagedFields[1] = owns(apply.ManagerInstanceLifecycle, finalizerOnly)
		}, want: true},
		"everything is taken from us": {change: func(o *ec2v1.EC2Instance) { o.ManagedFields = o.ManagedFields[:1] }, want: true},
		"what we own cannot be read":  {change: func(o *ec2v1.EC2Instance) { o.ManagedFields[2] = ownsStatus("{") }, want: true},
		"what we own is not said":     {change: func(o *ec2v1.EC2Instance) { o.ManagedFields[2].FieldsV1 = nil }, want: true},
		"our name with another operation is not us": {change: func(o *ec2v1.EC2Instance) {
			o.ManagedFields = append(o.ManagedFields, metav1.ManagedFieldsEntry{Manager: string(apply.ManagerInstance), Operation: metav1.ManagedFieldsOperationUpdate})
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := watched(), watched()
			test.change(after)
			queue := &delayed{}
			disowned().Update(t.Context(), event.UpdateEvent{ObjectOld: before, ObjectNew: after}, queue)
			want := []time.Duration(nil)
			if test.want {
				want = []time.Duration{takenBackAfter}
			}
			if !slices.Equal(queue.after, want) {
				t.Errorf("is looked at after %v, want %v", queue.after, want)
			}
			if wakes().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}) {
				t.Error("wakes at once, too")
			}
		})
	}
}

// A status that another process of ours has written is looked at; what we have written, and others' conditions, are not.
func TestOverwritten(t *testing.T) {
	tests := map[string]struct {
		change  func(*ec2v1.EC2Instance)
		foreign bool
		want    bool
	}{
		"another process has told another state": {change: func(o *ec2v1.EC2Instance) { o.Status.State = "stopped" }, foreign: true, want: true},
		"we have told another state":             {change: func(o *ec2v1.EC2Instance) { o.Status.State = "stopped" }},
		"another process has told another condition": {change: func(o *ec2v1.EC2Instance) {
			o.Status.Conditions = append(o.Status.Conditions, metav1.Condition{Type: ec2v1.ConditionStalled, Status: metav1.ConditionTrue})
		}, foreign: true, want: true},
		"another controller has told its condition": {change: func(o *ec2v1.EC2Instance) {
			o.Status.Conditions = append(o.Status.Conditions, metav1.Condition{Type: "Compliant", Status: metav1.ConditionTrue})
		}, foreign: true},
		"a label": {change: func(o *ec2v1.EC2Instance) { o.Labels = map[string]string{"a": "b"} }, foreign: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := watched(), watched()
			test.change(after)
			queue := &delayed{}
			overwritten(func(client.Object) bool { return test.foreign }).Update(t.Context(), event.UpdateEvent{ObjectOld: before, ObjectNew: after}, queue)
			if got := slices.Equal(queue.after, []time.Duration{overwrittenAfter}); got != test.want {
				t.Errorf("is looked at after %v", queue.after)
			}
		})
	}
}

// delayed is a queue that remembers what is to come.
type delayed struct {
	workqueue.TypedRateLimitingInterface[reconcile.Request]
	after []time.Duration
}

func (d *delayed) AddAfter(_ reconcile.Request, after time.Duration) {
	d.after = append(d.after, after)
}

func TestWakes(t *testing.T) {
	tests := map[string]struct {
		change func(*ec2v1.EC2Instance)
		want   bool
	}{
		"nothing": {change: func(*ec2v1.EC2Instance) {}},
		"our own write of status": {change: func(o *ec2v1.EC2Instance) {
			o.ResourceVersion = "8"
			o.Status.State = "running"
			o.ManagedFields[2] = ownsStatus(`{"f:status":{"f:instanceID":{},"f:state":{},"f:vpcID":{}}}`)
			o.ManagedFields[2].Time = new(metav1.NewTime(begin.Add(time.Minute)))
		}},
		"somebody else's annotation": {change: func(o *ec2v1.EC2Instance) { o.Annotations["example.com/a"] = "1" }},
		"another manager of spec":    {change: func(o *ec2v1.EC2Instance) { o.ManagedFields[0].Manager = "helm" }},
		"another order of managers": {change: func(o *ec2v1.EC2Instance) {
			o.ManagedFields[0], o.ManagedFields[2] = o.ManagedFields[2], o.ManagedFields[0]
		}},
		"spec":                {change: func(o *ec2v1.EC2Instance) { o.Generation++ }, want: true},
		"another uid":         {change: func(o *ec2v1.EC2Instance) { o.UID = otherUID }, want: true},
		"deletion":            {change: func(o *ec2v1.EC2Instance) { o.DeletionTimestamp = new(metav1.NewTime(begin)) }, want: true},
		"a finalizer":         {change: func(o *ec2v1.EC2Instance) { o.Finalizers = nil }, want: true},
		"a label":             {change: func(o *ec2v1.EC2Instance) { o.Labels["app"] = "db" }, want: true},
		"the intent":          {change: func(o *ec2v1.EC2Instance) { o.Annotations[ec2v1.AnnotationLaunch] = "" }, want: true},
		"the intent is gone":  {change: func(o *ec2v1.EC2Instance) { delete(o.Annotations, ec2v1.AnnotationLaunch) }, want: true},
		"a pass is asked for": {change: func(o *ec2v1.EC2Instance) { o.Annotations[ec2v1.AnnotationReconcileRequestedAt] = "now" }, want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := watched(), watched()
			test.change(after)
			if got := wakes().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != test.want {
				t.Errorf("wakes: %v", got)
			}
		})
	}
	if p := wakes(); !p.Create(event.CreateEvent{Object: watched()}) || !p.Delete(event.DeleteEvent{Object: watched()}) || !p.Update(event.UpdateEvent{}) {
		t.Error("a new object, one that is gone or an odd event does not wake")
	}
}
