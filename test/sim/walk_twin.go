// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// drivers are fields of which others' defaults depend.
var drivers = []string{"instanceType", "image", "launchTemplate", "subnetID", "marketOptions", "networkInterfaces", "placement", "associatePublicIPAddress"}

// compare makes a fresh object for each, with the same spec, and compares what EC2 has for both, and what they say.
func (k *walk) compare() error {
	w := k.world
	for _, of := range k.objects {
		if err := k.send(twins, of.name, unshared(k.followed(of))); err != nil {
			k.violated(of, "a fresh object with its spec is refused: %v", err)
			return nil
		}
	}
	if err := k.rest(); err != nil || k.failed() {
		return err
	}
	for _, of := range k.objects {
		old, fresh := k.object(namespace, of.name), k.object(twins, of.name)
		if old == nil || fresh == nil {
			k.violated(of, "it or its fresh object is gone")
			return nil
		}
		k.compareWith(of, old, fresh)
	}
	if k.failed() {
		return nil
	}
	if err := k.clearTwins(w); err != nil {
		return err
	}
	return k.rest()
}

// followed is an object's spec, with what policy has let take no place as it was when all had: EC2 might refuse the rest for it.
func (k *walk) followed(of *walked) spec {
	obj := k.object(namespace, of.name)
	out := runtime.DeepCopyJSON(of.applied)
	for name := range k.schema.root.Properties {
		if obj == nil || !heldBack(obj, name) {
			continue
		}
		delete(out, name)
		if value, there := of.sound[name]; there {
			out[name] = runtime.DeepCopyJSONValue(value)
		}
	}
	if len(k.schema.against(out, nil)) > 0 {
		return of.applied
	}
	return out
}

// unshared is a spec without what one instance alone can have.
func unshared(of spec) spec {
	out := runtime.DeepCopyJSON(of)
	delete(out, "privateIPAddress")
	interfaces, _ := out["networkInterfaces"].([]any)
	for _, i := range interfaces {
		if m, ok := i.(spec); ok {
			delete(m, "privateIPAddress")
		}
	}
	return out
}

// clearTwins deletes the fresh objects, and ends their instances whatever protects them.
func (k *walk) clearTwins(w *world) error {
	for _, of := range k.objects {
		obj := k.object(twins, of.name)
		if err := w.user.Delete(context.Background(), obj, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
			return err
		}
		for _, i := range liveOf(w.ec2, obj.UID) {
			if err := w.ec2.Terminate(i.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareWith compares an object with a fresh one.
func (k *walk) compareWith(of *walked, old, fresh *ec2v1.EC2Instance) {
	has, made := liveOf(k.world.ec2, old.UID), liveOf(k.world.ec2, fresh.UID)
	switch {
	case len(has) != 1:
		k.violated(of, "it has %d instances when it is compared", len(has))
		return
	case len(made) != 1 && len(old.Status.Plan) > 0:
		k.tally.incomparable++
		return
	case isFallback(old, has[0]) || len(made) == 1 && isFallback(fresh, made[0]):
		k.tally.incomparable++ // Which candidate an instance is of is a matter of the moment of its launch.
		return
	case len(made) != 1:
		k.violated(of, "a fresh object with its spec has %d instances, and says %+v and plans %+v; %s", len(made), fresh.Status.Conditions, fresh.Status.Plan, k.told(of))
		return
	}
	k.tally.compared++
	k.compareConfiguration(of, old, has[0], made[0])
	k.compareTags(of, old, has[0], made[0])
	if protectedFromSpec(old) {
		k.tally.incomparable++
		return
	}
	if len(old.Status.Plan) == 0 && has[0].State != made[0].State {
		k.violated(of, "its instance is %s, and that of a fresh object is %s", has[0].State, made[0].State)
	}
	k.compareReasons(of, old, fresh)
}

// protectedFromSpec tells whether spec wants an instance stopped and protected from that: one that was stopped before has both, and EC2
// stops none that was launched so.
func protectedFromSpec(obj *ec2v1.EC2Instance) bool {
	stopped := obj.Spec.PowerState == ec2v1.PowerStateStopped || obj.Spec.PowerState == ec2v1.PowerStateHibernated
	return stopped && obj.Spec.DisableAPIStop != nil && *obj.Spec.DisableAPIStop
}

// isFallback tells whether an instance is of another type, or in another subnet, than spec prefers.
func isFallback(obj *ec2v1.EC2Instance, i ec2sim.Instance) bool {
	return slices.Contains(obj.Spec.InstanceTypeFallbacks, i.InstanceType) || slices.Contains(obj.Spec.SubnetFallbacks, i.SubnetID)
}

// compareConfiguration compares all values that spec says, and those that nobody has said where nothing else differs.
func (k *walk) compareConfiguration(of *walked, old *ec2v1.EC2Instance, has, made ec2sim.Instance) {
	values, wanted := k.world.ec2.Configuration(has.ID), k.world.ec2.Configuration(made.ID)
	said := k.schema.leaves(k.schema.defaulted(of.applied))
	plain := len(old.Status.Plan) == 0 && !hasIgnored(old) && !slices.ContainsFunc(drivers, func(name string) bool {
		return gaveUpIn(of.ever, said, name)
	})
	names := maps.Clone(values)
	maps.Copy(names, wanted)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		paths := fieldsThatSay(name)
		if len(paths) == 0 {
			k.violated(of, "nothing is known to say %s (walk_twin.go)", name)
			continue
		}
		isSaid := slices.ContainsFunc(paths, func(path string) bool { return said[path] })
		wasSaid := slices.ContainsFunc(paths, of.hadIn)
		held := slices.ContainsFunc(paths, func(path string) bool { return heldBack(old, path) })
		if held || (!isSaid && (wasSaid || !plain)) {
			continue
		}
		k.tally.values++
		if withoutIgnored(old, values[name]) != withoutIgnored(old, wanted[name]) {
			k.violated(of, "%s is %q, and %q for a fresh object with its spec: %s", name, values[name], wanted[name], k.told(of))
		}
	}
}

// withoutIgnored is a value without the security groups that spec leaves to others.
func withoutIgnored(obj *ec2v1.EC2Instance, value string) string {
	if obj.Spec.Ignore == nil {
		return value
	}
	return strings.Join(slices.DeleteFunc(strings.Split(value, " "), func(id string) bool {
		return slices.Contains(obj.Spec.Ignore.SecurityGroupIDs, id)
	}), " ")
}

// hadIn tells whether spec has ever had a field, or anything of the item of a list that it is in.
func (w *walked) hadIn(path string) bool {
	item, _, isItem := strings.Cut(path, "].")
	for had := range w.ever {
		if had == path || isItem && strings.HasPrefix(had, item+"].") {
			return true
		}
	}
	return false
}

// gaveUpIn tells whether a field, or one in it, was in spec and is not any more.
func gaveUpIn(ever, said map[string]bool, name string) bool {
	for path := range ever {
		if !said[path] && rootOf(path) == name {
			return true
		}
	}
	return false
}

func rootOf(path string) string {
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end]
	}
	return path
}

// heldBack tells whether policy keeps a field as it is.
func heldBack(obj *ec2v1.EC2Instance, path string) bool {
	name := rootOf(path)
	planned := slices.ContainsFunc(obj.Status.Plan, func(c ec2v1.PlannedChange) bool { return c.Field == name })
	ignored := slices.ContainsFunc(obj.Spec.UpdatePolicy.Overrides, func(o ec2v1.UpdateOverride) bool {
		return o.Field == name && o.Allow == ec2v1.UpdateIgnore
	})
	return planned || ignored
}

// compareTags compares the tags but for those of the identity, and those that spec leaves to others.
func (k *walk) compareTags(of *walked, old *ec2v1.EC2Instance, has, made ec2sim.Instance) {
	if heldBack(old, "tags") || heldBack(old, "launchTemplate") || gaveUpIn(of.ever, k.schema.leaves(of.applied), "launchTemplate") {
		return
	}
	keys := maps.Clone(has.Tags)
	maps.Copy(keys, made.Tags)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		ignored := old.Spec.Ignore != nil && slices.ContainsFunc(old.Spec.Ignore.TagPrefixes, func(p string) bool { return strings.HasPrefix(key, p) })
		if ignored || strings.HasPrefix(key, "ec2.fieldowner.dev/") {
			continue
		}
		k.tally.values++
		if has.Tags[key] != made.Tags[key] && key != "Name" {
			k.violated(of, "tag %s is %q, and %q for a fresh object with its spec: %s", key, has.Tags[key], made.Tags[key], k.told(of))
		}
	}
}

// compareReasons compares the reasons of the conditions; where policy holds something back, Synced says so.
func (k *walk) compareReasons(of *walked, old, fresh *ec2v1.EC2Instance) {
	if len(fresh.Status.Plan) > 0 && len(old.Status.Plan) == 0 {
		k.violated(of, "a fresh object with its spec plans %+v", fresh.Status.Plan)
	}
	for _, name := range []string{
		ec2v1.ConditionReady, ec2v1.ConditionLaunched, ec2v1.ConditionSynced, ec2v1.ConditionReachable, ec2v1.ConditionReconciling, ec2v1.ConditionStalled,
	} {
		if name == ec2v1.ConditionSynced && len(old.Status.Plan) > 0 {
			continue
		}
		says, said := reasonFor(old, name), reasonFor(fresh, name)
		if cmp.Compare(says, said) != 0 {
			k.violated(of, "%s is %q, and %q for a fresh object with its spec: %+v; %s", name, says, said, fresh.Status.Conditions, k.told(of))
		}
	}
}

func reasonFor(obj *ec2v1.EC2Instance, name string) string {
	c := conditionOf(obj.Status.Conditions, name)
	if c == nil {
		return ""
	}
	return string(c.Status) + " " + c.Reason
}
