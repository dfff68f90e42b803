// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/instance/children"
)

// tell brings the children to what the plan says, and writes the status, which tells what became of them. The
// status is written even when a child could not be: what EC2 has accepted is to be recorded.
func (p *pass) tell(ctx context.Context, plan Plan) (time.Duration, error) {
	b := &brood{pass: p, parent: p.parent(plan), wanted: map[childKey]bool{}}
	b.expose(ctx)
	b.connect(ctx)
	b.giveUp(ctx)
	plan = b.report(plan)
	return plan.After, errors.Join(p.applyStatus(ctx, plan), b.err)
}

// brood is the children of one object, in one pass.
type brood struct {
	*pass
	parent children.Parent
	// wanted are the children that spec asks for, made or not.
	wanted map[childKey]bool
	// uncontrolled tell of names that others have, and refused of children that the API server refuses.
	uncontrolled, refused []string
	events                []Event
	// again is when to come back for the children's sake; zero: not at all.
	again time.Duration
	// err is what went wrong beyond that.
	err error
}

// childKey tells the children of one object apart.
type childKey struct{ kind, name string }

// String is the kind and the name.
func (c childKey) String() string { return fmt.Sprintf("%s %q", c.kind, c.name) }

// child is one object that spec asks for.
type child struct {
	childKey
	// config is the whole of it, and guard gives it the uid of the object that exists.
	config runtime.ApplyConfiguration
	guard  func(types.UID)
	// live is what the object is read into.
	live client.Object
	// optional: it is kept if it is there, and not made if it is not.
	optional bool
}

// fate is what became of a child in a pass.
type fate int

const (
	// settled: it is as it shall be.
	settled fate = iota
	// absent: it is not there, and is not to be made.
	absent
	// uncontrolled: the name is somebody else's.
	uncontrolled
	// unsettled: it is not as it shall be, and another pass is to come.
	unsettled
)

// expose brings the Service, and then the EndpointSlices behind it, to what spec.expose asks for.
func (b *brood) expose(ctx context.Context) {
	config := b.parent.Service()
	if config == nil {
		return
	}
	live := &corev1.Service{}
	name := childKey{children.KindService, b.parent.Expose.ServiceName}
	service := child{childKey: name, config: config, live: live, guard: func(uid types.UID) { config.WithUID(uid) }}
	fate := b.bring(ctx, service)
	if fate == uncontrolled {
		return // Slices beside a Service that is not ours would lead its clients to our instance.
	}
	ports := live.Spec.Ports
	if config.ResourceVersion != nil {
		ports = children.PortsOf(config) // It was sent, and this is the answer.
	}
	for _, family := range []children.Family{children.IPv4, children.IPv6} {
		// Behind a Service that is there, the addresses follow the instance, whatever keeps the Service from changing.
		b.slice(ctx, family, ports, fate == settled || (fate == unsettled && live.UID != ""))
	}
}

// slice brings the EndpointSlice of one family to what it shall be, once the Service is. One of IPv6 is made when
// there is such an address, and then stays.
func (b *brood) slice(ctx context.Context, family children.Family, ports []corev1.ServicePort, ready bool) {
	key := childKey{children.KindEndpointSlice, children.SliceName(b.parent.Expose.ServiceName, family)}
	b.wanted[key] = true
	if !ready {
		return
	}
	config := b.parent.Slice(family, ports)
	b.bring(ctx, child{
		childKey: key, config: config, live: &discoveryv1.EndpointSlice{},
		guard:    func(uid types.UID) { config.WithUID(uid) },
		optional: family.Type == discoveryv1.AddressTypeIPv6 && !b.parent.HasAddress(family),
	})
}

// connect brings the ConfigMap to what spec.connection asks for.
func (b *brood) connect(ctx context.Context) {
	config := b.parent.ConfigMap()
	if config == nil {
		return
	}
	b.bring(ctx, child{
		childKey: childKey{children.KindConfigMap, b.parent.Connection.ConfigMapName}, config: config, live: &corev1.ConfigMap{},
		guard: func(uid types.UID) { config.WithUID(uid) },
	})
}

// bring brings one child to what it shall be. Nothing is made, and nothing is taken back, for an object that is
// being deleted: the API server's garbage collector is at work on the children then, or leaves them to somebody.
func (b *brood) bring(ctx context.Context, c child) fate {
	b.wanted[c.childKey] = true
	there, cached, err := b.find(ctx, c)
	if err != nil {
		b.err = errors.Join(b.err, err)
		return unsettled
	}
	if !there {
		if b.parent.Deleting || c.optional {
			return absent
		}
		// Without force: an object that has come into being since is not ours, and is not to be merged into.
		return b.apply(ctx, c, nil, apply.Intent{Config: c.config, Manager: apply.ManagerInstance, Create: true})
	}
	control := children.ControlOf(c.live, b.parent.UID)
	switch {
	case b.parent.Deleting && control != children.Ours:
		return absent
	case control == children.Foreign:
		b.uncontrolled = append(b.uncontrolled, children.Refusal(c.kind, c.live))
		b.comeBack(childAgain)
		return uncontrolled
	case c.live.GetDeletionTimestamp() != nil:
		return unsettled // When it is gone, that wakes the object, and it is made anew.
	case cached && !b.Applier.Fresh(c.live):
		b.comeBack(apply.CacheLag)
		return unsettled
	}
	c.guard(c.live.GetUID())
	return b.apply(ctx, c, c.live, apply.Intent{Config: c.config, Manager: apply.ManagerInstance, Force: true})
}

// find reads a child, and tells whether it is there and whether the cache has it. The cache has only what bears our
// label, so that before a child is made the API server is asked for what else may have its name.
func (b *brood) find(ctx context.Context, c child) (there, cached bool, err error) {
	key := client.ObjectKey{Namespace: b.parent.Namespace, Name: c.name}
	err = b.Reader.Get(ctx, key, c.live)
	if err == nil {
		return true, true, nil
	}
	if apierrors.IsNotFound(err) && (b.parent.Deleting || c.optional) {
		return false, false, nil
	}
	if apierrors.IsNotFound(err) {
		err = b.Live.Get(ctx, key, c.live)
	}
	if apierrors.IsNotFound(err) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("reading %s: %w", c, err)
	}
	return true, false, nil
}

func (b *brood) apply(ctx context.Context, c child, live client.Object, intent apply.Intent) fate {
	result, err := b.Applier.Apply(ctx, live, intent)
	if err == nil {
		b.fights.add(c.String(), result.Taken, result.Left)
	}
	return b.settle(c.childKey, "applying", err)
}

// settle decides what an error with one child means. Whoever was quicker is looked at again at once, a refusal is
// told and tried again, and the rest is not expected.
func (b *brood) settle(c childKey, doing string, err error) fate {
	switch {
	case err == nil:
		return settled
	case apply.IsStale(err):
		b.comeBack(takenBackAfter) // The cache is behind, and may be for a while.
	case apply.IsGone(err), apply.IsOwnershipConflict(err):
		b.comeBack(apply.CacheLag)
	case apierrors.IsInvalid(err), apierrors.IsForbidden(err):
		b.refused = append(b.refused, fmt.Sprintf("%s: %s", c, reasonFor(err)))
		b.comeBack(childAgain)
	default:
		b.err = errors.Join(b.err, fmt.Errorf("%s %s: %w", doing, c, err))
	}
	return unsettled
}

// reasonFor is the API server's own word for a refusal.
func reasonFor(err error) string {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Message
	}
	return err.Error()
}

// giveUp gives up the children that spec no longer asks for.
func (b *brood) giveUp(ctx context.Context) {
	if b.parent.Deleting {
		return
	}
	for _, of := range []struct {
		kind string
		list client.ObjectList
	}{
		{children.KindService, &corev1.ServiceList{}},
		{children.KindEndpointSlice, &discoveryv1.EndpointSliceList{}},
		{children.KindConfigMap, &corev1.ConfigMapList{}},
	} {
		selector := client.MatchingFields{parentIndex: string(b.parent.UID)}
		if err := b.Reader.List(ctx, of.list, client.InNamespace(b.parent.Namespace), selector); err != nil {
			b.err = errors.Join(b.err, fmt.Errorf("listing the children of kind %s: %w", of.kind, err))
			continue
		}
		err := meta.EachListItem(of.list, func(item runtime.Object) error {
			object, ok := item.(client.Object)
			if !ok {
				return fmt.Errorf("%T is no object", item)
			}
			b.withdraw(ctx, childKey{of.kind, object.GetName()}, object)
			return nil
		})
		b.err = errors.Join(b.err, err)
	}
}

// withdraw gives up one child, unless it is wanted or was not made by the operator: it is deleted, or released to
// whoever has fields in it.
func (b *brood) withdraw(ctx context.Context, c childKey, object client.Object) {
	if b.wanted[c] || !children.Made(object, b.parent.UID) || object.GetDeletionTimestamp() != nil {
		return
	}
	if !b.Applier.Fresh(object) {
		b.comeBack(apply.CacheLag)
		return
	}
	result, err := b.Applier.Withdraw(ctx, object, apply.ManagerInstance)
	if b.settle(c, "withdrawing", err) != settled {
		return
	}
	if result.Outcome == apply.Deleted {
		b.events = append(b.events, normal("ChildDeleted", "Deleted %s, which spec no longer asks for", c))
		return
	}
	b.events = append(b.events, normal("ChildReleased", "Released %s, which spec no longer asks for: others own fields of it", c))
}

// report puts what became of the children into the plan.
func (b *brood) report(plan Plan) Plan {
	plan.Events = append(plan.Events, b.events...)
	if b.again > 0 && (plan.After == 0 || b.again < plan.After) {
		plan.After = b.again
	}
	for _, trouble := range []struct {
		reason   string
		messages []string
	}{
		{ec2v1.ReasonChildNotControlled, b.uncontrolled},
		{ec2v1.ReasonChildRefused, b.refused},
	} {
		if len(trouble.messages) == 0 {
			continue
		}
		message := strings.Join(trouble.messages, "; ")
		plan.Verdict = plan.Verdict.orphaned(trouble.reason, message)
		if !b.toldBefore(message) {
			plan.Events = append(plan.Events, warning(trouble.reason, "Not all children are as spec asks: %s", message))
		}
	}
	return plan
}

// toldBefore tells whether the recorded status says so already: one event is enough.
func (b *brood) toldBefore(message string) bool {
	known := meta.FindStatusCondition(b.obj.Status.Conditions, ec2v1.ConditionStalled)
	return known != nil && strings.Contains(known.Message, shortened(message))
}

// orphaned tells that a child is not as it shall be and that somebody's help is needed. What else needs help is
// told first.
func (v Verdict) orphaned(reason, message string) Verdict {
	if v.Stalled != nil {
		stalled := *v.Stalled
		stalled.Message += "; " + message
		v.Stalled = &stalled
		if v.Ready.Reason == stalled.Reason {
			v.Ready.Message = stalled.Message
		}
		return v
	}
	stalled := condition(metav1.ConditionTrue, reason, message)
	v.Ready = condition(metav1.ConditionFalse, reason, message)
	v.Reconciling, v.Stalled = nil, &stalled
	return v
}

// comeBack asks for another pass, no later than the soonest that is asked for.
func (b *brood) comeBack(after time.Duration) {
	after = max(after, again)
	if b.again == 0 || after < b.again {
		b.again = after
	}
}
