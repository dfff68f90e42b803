// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// settled compares the world with what was asked for, when it has come to rest.
func (w *world) settled(o options) {
	uids := map[string]bool{}
	for _, u := range w.api.Objects(instanceKind.GroupKind()) {
		obj, err := typedInstance(u)
		if err != nil {
			w.judge.violated("reading %s: %v", u.GetName(), err)
			continue
		}
		uids[string(obj.UID)] = true
		w.asAsked(obj, o)
		w.ownsItsOwn(obj, liveOf(w.ec2, obj.UID))
	}
	for _, i := range w.ec2.Instances() {
		if i.Live() && !uids[i.Tags[ec2v1.TagUID]] {
			w.leftBehind(i)
		}
	}
	w.judge.eventsOfThefts(o.operators > 1)
	w.judge.metricsStay()
}

// leftBehind: of an object that is gone an instance lives only if deletionPolicy said so, and it still tells whose it was. Where somebody
// has taken the operator's finalizer or intent away, nobody can promise that.
func (w *world) leftBehind(i ec2sim.Instance) {
	uid := types.UID(i.Tags[ec2v1.TagUID])
	policy := w.judge.launches.left[uid]
	kept := policy == ec2v1.DeletionRetain || policy == ec2v1.DeletionStop
	w.judge.holds(finalizerLeaves, kept || w.judge.launches.tampered[uid], "a leak: instance %s (%s) of object %s, which is gone", i.ID, i.State, i.Tags[ec2v1.TagName])
	w.judge.holds(finalizerLeaves, i.Tags[ec2v1.TagCluster] != "" && i.Tags[ec2v1.TagNamespace] != "" && i.Tags[ec2v1.TagName] != "",
		"instance %s was left without its identity: %v", i.ID, i.Tags)
}

// asAsked compares one object with its instance.
func (w *world) asAsked(obj *ec2v1.EC2Instance, o options) {
	switch {
	case obj.DeletionTimestamp != nil:
		w.deletionEnded(obj)
		return // Another finalizer holds it.
	case obj.Spec.Suspend != nil && *obj.Spec.Suspend:
		return
	}
	live := liveOf(w.ec2, obj.UID)
	if len(live) == 0 && w.saysWhyNone(obj) {
		return
	}
	if len(live) != 1 {
		w.judge.violated("%s has %d live instances at rest: %+v", obj.Name, len(live), obj.Status.Conditions)
		return
	}
	if live[0].ID != obj.Status.InstanceID {
		w.judge.violated("%s records instance %s, and EC2 has %s", obj.Name, obj.Status.InstanceID, live[0].ID)
	}
	if state := stateAsked(obj); live[0].State != state {
		w.judge.violated("%s is %s in EC2, and asked to be %s: %+v", obj.Name, live[0].State, state, obj.Status.Conditions)
	}
	// Of two operators at once, one may set a tag that the other has just seen given up: nobody knows it then.
	if o.operators == 1 {
		w.taggedAsAsked(obj, live[0])
	}
	w.fieldsAsAsked(obj, live[0])
	w.childrenAsAsked(obj, live[0])
}

// deletionEnded: the operator has given its finalizer up, or says that another manager owns it, too.
func (w *world) deletionEnded(obj *ec2v1.EC2Instance) {
	held := slices.Contains(obj.Finalizers, ec2v1.InstanceFinalizer)
	shared := slices.ContainsFunc(obj.ManagedFields, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == restorer && fieldsIn(e).set.Has(finalizerPath)
	})
	told := stalledFor(obj, ec2v1.ReasonOwnershipConflict)
	w.judge.holds(finalizerLeaves, !held || (shared && told), "the deletion of %s has not ended: %+v", obj.Name, obj.Status.Conditions)
	if held {
		w.judge.holds(finalizerLeaves, len(liveOf(w.ec2, obj.UID)) == 0 || obj.Spec.DeletionPolicy != ec2v1.DeletionTerminate,
			"%s is held by another manager, and its instance lives", obj.Name)
	}
}

// stalledFor tells whether an object says that it is stalled, and why.
func stalledFor(obj *ec2v1.EC2Instance, reason string) bool {
	c := conditionOf(obj.Status.Conditions, ec2v1.ConditionStalled)
	return c != nil && c.Reason == reason
}

// saysWhyNone: an object has no instance where that is as asked, or where somebody stands in the way; and it says so.
func (w *world) saysWhyNone(obj *ec2v1.EC2Instance) bool {
	ended := slices.ContainsFunc(w.ec2.Instances(), func(i ec2sim.Instance) bool { return i.Tags[ec2v1.TagUID] == string(obj.UID) })
	switch {
	case w.lacksSecret(obj) && stalledFor(obj, ec2v1.ReasonUserDataNotFound):
		return true
	case obj.Spec.RecreatePolicy == ec2v1.RecreateNever && ended && stalledFor(obj, ec2v1.ReasonTerminated):
		return true
	case w.annotationTaken(obj):
		return stalledFor(obj, ec2v1.ReasonOwnershipConflict)
	default:
		return false
	}
}

// lacksSecret tells whether the Secret with the object's user data is not there.
func (w *world) lacksSecret(obj *ec2v1.EC2Instance) bool {
	ref := obj.Spec.UserData
	return ref != nil && ref.SecretKeyRef != nil &&
		w.api.Object(secretKind, types.NamespacedName{Namespace: obj.Namespace, Name: ref.SecretKeyRef.Name}) == nil
}

// annotationTaken tells whether somebody else owns the launch annotation.
func (w *world) annotationTaken(obj *ec2v1.EC2Instance) bool {
	return slices.ContainsFunc(obj.ManagedFields, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager != lifecycleManager && fieldsIn(e).set.Has(annotationPath)
	})
}

func stateAsked(obj *ec2v1.EC2Instance) string {
	if toBeStopped(obj) {
		return "stopped"
	}
	return "running"
}

// toBeStopped tells whether spec wants the instance stopped; one that hibernates is stopped to EC2.
func toBeStopped(obj *ec2v1.EC2Instance) bool {
	return obj.Spec.PowerState == ec2v1.PowerStateStopped || obj.Spec.PowerState == ec2v1.PowerStateHibernated
}

func (w *world) taggedAsAsked(obj *ec2v1.EC2Instance, i ec2sim.Instance) {
	wanted := map[string]string{}
	for _, t := range obj.Spec.Tags {
		if t.Value != nil {
			wanted[t.Key] = *t.Value
		}
	}
	for _, key := range []string{"team", "cost-center"} {
		value, asked := wanted[key]
		// What was set in the console and nobody asks for is somebody else's; so is, for all that anybody can know, what was launched with
		// when the record of the launch is gone.
		foreign := !asked && (i.Tags[key] == consoleValue || w.judge.launches.keyless[obj.UID])
		if i.Tags[key] != value && !foreign {
			w.judge.violated("%s has tag %s=%q in EC2, and %q in spec", obj.Name, key, i.Tags[key], value)
		}
	}
	w.judge.holds(othersSurvive, !w.judge.noted[i.ID] || i.Tags[consoleTag] == consoleValue, "%s has lost a tag of somebody else's", obj.Name)
}

// finalizerPath and annotationPath are what is the operator's in metadata.
var (
	finalizerPath  = makePath("metadata", "finalizers", setItem(ec2v1.InstanceFinalizer))
	annotationPath = makePath("metadata", "annotations", ec2v1.AnnotationLaunch)
)

// mayBeOthers tells whether a field is not the operator's, or may be nobody's beside: that stands in nobody's way.
func mayBeOthers(manager string, path fieldpath.Path) bool {
	name := path[0].FieldName
	return manager == nobody || name == nil || *name != statusSubresource || !oursByContract(path)
}

// ownsItsOwn: while there is an instance, all of the status but others' conditions is the operator's, and so are its finalizer and its
// annotation. Without one the operator sets no field that tells of one, and has no use for a finalizer before a launch is decided.
func (w *world) ownsItsOwn(obj *ec2v1.EC2Instance, live []ec2sim.Instance) {
	j := w.judge
	if obj.DeletionTimestamp != nil || len(live) == 0 {
		return
	}
	for _, e := range obj.ManagedFields {
		if isOurs(e) {
			continue
		}
		for _, path := range fieldsIn(e).leaves {
			j.holds(oursComeBack, mayBeOthers(e.Manager, path), "%s of %s belongs to %s at rest", path, obj.Name, e.Manager)
		}
	}
	if slices.Contains(obj.Finalizers, ec2v1.InstanceFinalizer) {
		j.holds(oursComeBack, ownedByUs(obj.ManagedFields, finalizerPath), "the finalizer of %s is not the operator's", obj.Name)
	}
	if obj.Annotations[ec2v1.AnnotationLaunch] != "" && !w.annotationTaken(obj) {
		j.holds(oursComeBack, ownedByUs(obj.ManagedFields, annotationPath), "the launch intent of %s is not the operator's", obj.Name)
	}
}
