// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// foreignID is an instance that no object has launched.
const foreignID = "i-0000000000000000f"

// unlisting shows instances of others by their ids only, as EC2's lists, which ask for our tags, do.
type unlisting struct {
	*fakeEC2
	// looks are when instances were looked up by their ids.
	looks []time.Time
}

func (u *unlisting) List(_ context.Context, yield func([]cloud.Instance) error) error {
	return yield(u.shown(func(i cloud.Instance) bool { return i.ID != foreignID }))
}

func (u *unlisting) FindByID(ctx context.Context, id string) (cloud.Instance, bool, error) {
	u.looks = append(u.looks, time.Now())
	return u.fakeEC2.FindByID(ctx, id)
}

func (u *unlisting) Session(context.Context, *ec2v1.EC2Account, string) (cloud.Session, error) {
	return u, nil
}

// namesForeign: the object names that instance, which only a look at its id shows.
func namesForeign(r *rig) *unlisting {
	r.Helper()
	session := &unlisting{fakeEC2: r.ec2}
	r.operator.Sessions = session
	r.edit(func(s *ec2v1.EC2InstanceSpec) { s.Adopt = &ec2v1.Adopt{InstanceID: foreignID} })
	return session
}

// foreign is there, with some tags.
func (r *rig) foreign(tags map[string]string) {
	r.ec2.set(func() {
		i := testInstance(0, cloud.StateRunning)
		i.ID, i.ClientToken, i.Tags = foreignID, "somebody-elses", maps.Clone(tags)
		r.ec2.instances[i.ID] = i
	})
}

// That another object has the instance is known as soon as the instance is, whenever in a pass that is.
func TestAdoptionTakesNothingThatALookShows(t *testing.T) {
	inBubble(t, func(r *rig) {
		owner := testObject()
		owner.Name, owner.UID, owner.ResourceVersion = "web-2", otherUID, ""
		if err := r.client.Create(t.Context(), owner, client.FieldOwner("user")); err != nil {
			t.Fatal(err)
		}
		r.foreign(map[string]string{ec2v1.TagCluster: testCluster, ec2v1.TagUID: otherUID, ec2v1.TagNamespace: "team", ec2v1.TagName: "web-2"})
		namesForeign(r)
		r.until("the adoption is refused", readyIs(ec2v1.ReasonAdoptionRefused))
		r.expectCalls()
	})
}

// An instance that EC2 did not know may be there later, when somebody has corrected the account, or EC2 its view.
func TestAdoptionLooksAgain(t *testing.T) {
	inBubble(t, func(r *rig) {
		session := namesForeign(r)
		r.until("the adoption is refused", readyIs(ec2v1.ReasonAdoptionRefused))
		r.writes = nil
		before := len(session.looks)
		r.passes(4 * adoptAgain)
		looks := session.looks[before:]
		if len(looks) < 3 || slices.ContainsFunc(looks[1:], func(at time.Time) bool { return at.Sub(looks[0]) < adoptAgain }) {
			t.Errorf("looked at %v", looks)
		}
		r.expectWrites()
		r.foreign(map[string]string{"Name": "db"})
		obj := r.until("it is taken over", readyIs(ec2v1.ReasonRunning))
		if intent := intentOf(obj, testCluster); !intent.standsFor(foreignID) {
			t.Errorf("the intent is %+v", intent)
		}
	})
}

// What was taken over and has lost its tags is ended all the same; a new process knows by the intent.
func TestAdoptedWithoutTagsIsDeleted(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.foreign(map[string]string{"Name": "db"})
		session := namesForeign(r)
		r.until("it is taken over", func(obj *ec2v1.EC2Instance) bool { return intentOf(obj, testCluster).standsFor(foreignID) })
		r.ec2.taken()
		r.foreign(map[string]string{"Name": "db"})
		r.restart()
		r.operator.Sessions = session
		r.delete()
		r.until("it is shutting down", func(obj *ec2v1.EC2Instance) bool {
			return obj == nil || obj.Status.State == string(cloud.StateShuttingDown)
		})
		r.expectCalls("Terminate " + foreignID)
	})
}

// What could not be tagged is not taken over, and is left.
func TestNotAdoptedIsLeft(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.foreign(map[string]string{"Name": "db"})
		namesForeign(r)
		r.ec2.refuse = failureOf(cloud.ClassUnauthorized)
		r.until("the tags are refused", readyIs(ec2v1.ReasonUnauthorized))
		r.ec2.refuse = nil
		r.ec2.taken()
		r.delete()
		r.until("the object is gone", isGone)
		r.expectCalls()
	})
}
