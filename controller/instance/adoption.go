// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"
	"slices"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// observes tells whether the user wants EC2 looked at only.
func (in Input) observes() bool { return in.Object.Spec.ManagementPolicy == ec2v1.ManagementObserve }

// handsOff tells whether nothing is to be changed in EC2 for the object.
func (in Input) handsOff() bool { return in.suspended() || in.observes() }

// named is the id of the instance that spec names, or "".
func (in Input) named() string {
	if in.Object.Spec.Adopt == nil {
		return ""
	}
	return in.Object.Spec.Adopt.InstanceID
}

// adoptee is the named instance, where EC2 shows it.
func (in Input) adoptee() *observer.Entry {
	id := in.named()
	if id == "" {
		return nil
	}
	if i := slices.IndexFunc(in.Entries, func(e observer.Entry) bool { return e.ID == id }); i >= 0 {
		return &in.Entries[i]
	}
	return nil
}

// adopted is the live instance that spec names and that may be the object's, or nil.
func adopted(in Input) *observer.Entry {
	e := in.adoptee()
	if e == nil || e.Gone || !e.State.Live() || whoseElse(in, e) != "" {
		return nil
	}
	return e
}

// whoseElse tells who has an instance that the object may not take over, or "". To observe is everybody's right.
func whoseElse(in Input, e *observer.Entry) string {
	cluster, marked := e.Tags[ec2v1.TagCluster]
	switch {
	case in.observes(), e.OwnedBy.UID == in.Object.UID:
		return ""
	case marked && cluster != in.Cluster:
		return fmt.Sprintf("its tag %s names another cluster: delete its object there with deletionPolicy Retain, and then that tag", ec2v1.TagCluster)
	case in.Claims.Owner != "":
		return fmt.Sprintf("it is that of EC2Instance %s: delete that one with deletionPolicy Retain", in.Claims.Owner)
	case in.Claims.Rival != "":
		return fmt.Sprintf("EC2Instance %s names it, too, and is older: delete one of the two", in.Claims.Rival)
	default:
		return ""
	}
}

// Claims are what other objects have to do with the instance that spec names; each is "namespace/name", or "".
type Claims struct {
	// Owner is the object that the instance's tags name, if it is there.
	Owner string
	// Rival is an older object that names the same instance.
	Rival string
}

// adoptedBefore tells whether the object has had the instance that spec names: what comes after its end is as with any other.
func (in Input) adoptedBefore() bool { return in.Object.Status.InstanceID == in.named() }

// takenAway tells whether somebody else has the instance that spec names by now.
func (in Input) takenAway() bool {
	e := in.adoptee()
	return e != nil && !e.Gone && e.State.Live() && whoseElse(in, e) != ""
}

// decideAdoption: the named instance is not the object's, or not yet. Nothing is launched in its place.
func decideAdoption(in Input, f facts) Plan {
	id, e := in.named(), in.adoptee()
	p := f.plan()
	switch {
	case e == nil && in.Memory.Gone != id:
		p.Step, p.Of, p.ID = StepFindByID, id, id
		p.Verdict = f.waiting(ec2v1.ReasonAdopting, fmt.Sprintf("Looking for instance %s, which spec.adopt names", id))
		p.hold(in)
	case e == nil || e.Gone || e.State.Doomed():
		p.Verdict = f.stalled(ec2v1.ReasonAdoptionRefused, fmt.Sprintf("spec.adopt.instanceID: EC2 has no instance %s that lives, in this account and Region: create another EC2Instance", id))
		p.After = adoptAgain
	default:
		p.Verdict = f.stalled(ec2v1.ReasonAdoptionRefused, fmt.Sprintf("spec.adopt.instanceID: instance %s is not taken over: %s", id, whoseElse(in, e)))
		p.After = adoptAgain
	}
	return p
}

// claim puts the object's identity on an instance that is taken over, before anything else is changed of it.
func (p *Plan) claim(in Input, current *observer.Entry, tags tagDiff) bool {
	if in.named() != current.ID || current.Tags[ec2v1.TagUID] == string(in.Object.UID) {
		return false
	}
	p.tag(in, current, tags)
	return true
}

// adoptAgain is when to look again at an instance that may not be taken over: somebody may have given it up.
const adoptAgain = 5 * time.Minute

// onlyObserved tells what differs and is left as it is.
func onlyObserved(changes []Change) {
	for i := range changes {
		if c := &changes[i]; c.State == ec2v1.PlanStatePending {
			c.State, c.modification = ec2v1.PlanStateBlocked, nil
			c.Message = "managementPolicy is Observe: set it to Manage to have EC2 changed, or take the edit back"
		}
	}
}

// launchable tells whether spec says what to launch; one that takes an instance over need not.
func launchable(spec *ec2v1.EC2InstanceSpec) bool {
	return spec.LaunchTemplate != nil || (spec.Image != ec2v1.Image{} && spec.InstanceType != "")
}

// nothingToObserve: the object has no instance and makes none.
func nothingToObserve(f facts) Plan {
	p := f.plan()
	p.Verdict = f.stalled(ec2v1.ReasonNothingToObserve, "managementPolicy is Observe, and the object has no instance: create it with adopt.instanceID, or set managementPolicy to Manage")
	return p
}
