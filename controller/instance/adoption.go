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
func (f facts) adopted(in Input) *observer.Entry {
	e := in.adoptee()
	if e == nil || e.Gone || !e.State.Live() || whoseElse(in, e) != "" || f.leaves(in, e) {
		return nil
	}
	if in.untilRivalsShow() > 0 && !f.identified(in, e) {
		return nil
	}
	return e
}

// adoptSettle is how long an object waits before it takes an instance over: others that name the same one may have been created just
// before it, and not be in the cache yet. Events of the API server take less.
const adoptSettle = 5 * time.Second

// untilRivalsShow is how long it takes until older objects that name the same instance are known for certain. To observe is everybody's
// right.
func (in Input) untilRivalsShow() time.Duration {
	if in.observes() {
		return 0
	}
	return max(0, in.Object.CreationTimestamp.Add(adoptSettle).Sub(in.Now))
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

// hasTakenOver tells whether an instance is the one that spec names, and the object has had it.
func (f facts) hasTakenOver(in Input, e *observer.Entry) bool {
	had := in.Object.Status.InstanceID == e.ID || f.intent.standsFor(e.ID)
	return e.ID == in.named() && had && whoseElse(in, e) == "" && !f.leaves(in, e)
}

// leaves tells whether an object that is being deleted leaves the named instance as it is: it is the object's to end only once the
// identity was put on it. That status records it proves nothing, since status tells of it before.
func (f facts) leaves(in Input, e *observer.Entry) bool {
	return in.Object.DeletionTimestamp != nil && !f.identified(in, e)
}

// identified tells whether the object's identity is on an instance, or was: somebody may have removed the tags since.
func (f facts) identified(in Input, e *observer.Entry) bool {
	_, launched := f.tokens[e.ClientToken]
	_, tagged := in.Memory.TagsSet[tagOf(e.ID, ec2v1.TagUID)]
	return launched || tagged || f.intent.standsFor(e.ID) || e.OwnedBy.UID == in.Object.UID || e.Tags[ec2v1.TagUID] == string(in.Object.UID)
}

// hasHadAny tells whether the object has had an instance: what comes after its end is as with any other, and no adoption. That status
// tells of the one that spec names proves nothing: it does before it is known whose that is.
func (f facts) hasHadAny(in Input) bool {
	recorded := f.object.Status.InstanceID
	e := in.adoptee()
	return f.intent != nil || recorded != "" && (in.observes() || recorded != in.named()) || e != nil && f.identified(in, e)
}

// takenAway tells whether somebody else has the instance that spec names by now.
func (in Input) takenAway() bool {
	e := in.adoptee()
	return e != nil && !e.Gone && e.State.Live() && whoseElse(in, e) != ""
}

// isToAdopt tells whether the object waits for the instance that spec names: to have it, or to have it back.
func (f facts) isToAdopt(in Input) bool {
	return in.named() != "" && (!f.hasHadAny(in) || in.takenAway())
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
	case e == nil || e.Gone:
		p.Verdict = f.nothingToAdopt(id)
		if p.After = in.untilSoughtAgain(id); p.After == 0 {
			p.Step, p.Of, p.ID = StepFindByID, id, id
		}
	case e.State.Doomed():
		p.Verdict = f.nothingToAdopt(id)
		p.After = adoptAgain
	case whoseElse(in, e) == "":
		p.Verdict = f.waiting(ec2v1.ReasonAdopting, fmt.Sprintf("Looking whether another object names instance %s, too", id))
		p.After = in.untilRivalsShow()
	default:
		p.Verdict = f.stalled(ec2v1.ReasonAdoptionRefused, fmt.Sprintf("spec.adopt.instanceID: instance %s is not taken over: %s", id, whoseElse(in, e)))
		p.After = adoptAgain
	}
	return p
}

// claim puts the object's identity on an instance that is taken over, before anything else is changed of it. Once EC2 shows that, it is
// written down, so that it is known to be the object's whatever becomes of its tags.
func (p *Plan) claim(in Input, f facts, tags tagDiff) bool {
	switch {
	case in.named() != f.current.ID:
		return false
	case f.current.Tags[ec2v1.TagUID] != string(in.Object.UID):
		p.tag(in, f.current, tags)
		return true
	case f.intent != nil || f.intentTaken():
		return false
	default:
		intent := f.intentKept(in)
		p.Step, p.ID, p.Intent = StepKeep, f.current.ID, &intent
		return true
	}
}

func (f facts) nothingToAdopt(id string) Verdict {
	return f.stalled(ec2v1.ReasonAdoptionRefused, fmt.Sprintf("spec.adopt.instanceID: EC2 has no instance %s that lives, in this account and Region: create another EC2Instance", id))
}

// untilSoughtAgain is how long an instance that EC2 was found not to have is not looked for.
func (in Input) untilSoughtAgain(id string) time.Duration {
	call := in.Memory.Calls[StepFindByID]
	if call.Of != id {
		return 0
	}
	return max(0, call.At.Add(adoptAgain).Sub(in.Now))
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
