// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"slices"
	"strings"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

const fieldGroups = "securityGroupIDs"

// compareGroups compares the security groups of the first network interface. Those that somebody else has added stay.
func compareGroups(s sight) difference {
	primary, ok := primaryInterface(s.current)
	if len(s.spec.SecurityGroupIDs) == 0 || !ok {
		return difference{}
	}
	wanted := wantedGroups(s, s.spec.SecurityGroupIDs, primary.SecurityGroupIDs)
	if slices.Equal(wanted, primary.SecurityGroupIDs) {
		return difference{}
	}
	return difference{
		differs: true, desired: strings.Join(wanted, ","), current: strings.Join(primary.SecurityGroupIDs, ","),
		modification: cloud.NewSecurityGroups(primary.ID, wanted),
	}
}

// wantedGroups are the groups that spec asks for on an interface, and those on it that are not ours to remove.
func wantedGroups(s sight, desired, current []string) []string {
	wanted := slices.Clone(desired)
	for _, id := range current {
		if !slices.Contains(s.groups, id) || ignoresGroup(s.spec, id) {
			wanted = append(wanted, id)
		}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted)
}

// primaryInterface is the network interface with device index 0. EC2 shows none while an instance ends.
func primaryInterface(i *observer.Entry) (cloud.NetworkInterface, bool) {
	at := slices.IndexFunc(i.NetworkInterfaces, func(n cloud.NetworkInterface) bool { return n.DeviceIndex == 0 })
	if at < 0 {
		return cloud.NetworkInterface{}, false
	}
	return i.NetworkInterfaces[at], true
}

// ourGroups are the security groups that are ours to remove: those that are recorded as ours, and those that have been lately. EC2
// may for a while show what a change has taken away; it would be put back for somebody else's otherwise.
func (f facts) ourGroups(in Input) []string {
	ours := slices.Clone(f.recordedGroups())
	for group, at := range in.Memory.Groups[f.current.ID] {
		if in.Now.Sub(at) < consistencyWindow {
			ours = append(ours, group)
		}
	}
	slices.Sort(ours)
	return slices.Compact(ours)
}

// recordedGroups are those that are recorded as ours; of an instance that is not recorded yet, those that it was launched with, which
// EC2 has chosen where the launch named none.
func (f facts) recordedGroups() []string {
	switch {
	case f.object.Status.InstanceID == f.current.ID:
		return f.object.Status.ManagedSecurityGroupIDs
	case f.intent != nil && f.intent.Token == f.current.ClientToken && len(f.intent.Groups) > 0:
		return f.intent.Groups
	case f.object.Spec.Adopt != nil && f.object.Spec.Adopt.InstanceID == f.current.ID:
		return nil // It had them before it was taken over.
	default:
		return f.shownGroups()
	}
}

// specGroups are the groups that spec asks for on any interface.
func specGroups(spec *ec2v1.EC2InstanceSpec) []string {
	groups := slices.Clone(spec.SecurityGroupIDs)
	for _, n := range spec.NetworkInterfaces {
		groups = append(groups, n.SecurityGroupIDs...)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// shownGroups are the groups that EC2 shows on any interface.
func (f facts) shownGroups() []string {
	groups := slices.Clone(f.current.SecurityGroupIDs)
	for _, n := range f.current.NetworkInterfaces {
		groups = append(groups, n.SecurityGroupIDs...)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// managedGroups are the groups that are recorded as ours from now on: those that spec wants, and ours that are still to be removed.
func (f facts) managedGroups(in Input) []string {
	managed := specGroups(&in.Object.Spec)
	if len(managed) == 0 {
		return f.recordedGroups()
	}
	for _, id := range f.ourGroups(in) {
		if slices.Contains(f.shownGroups(), id) && !ignoresGroup(&in.Object.Spec, id) {
			managed = append(managed, id)
		}
	}
	slices.Sort(managed)
	return slices.Compact(managed)
}
