// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"maps"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// foreignID is an instance that no object has launched.
const foreignID = "i-0000000000000000f"

// unlisting shows instances of others by their ids only, as EC2's lists, which ask for our tags, do.
type unlisting struct {
	*fakeEC2
}

func (u *unlisting) List(_ context.Context, yield func([]cloud.Instance) error) error {
	return yield(u.shown(func(i cloud.Instance) bool { return i.ID != foreignID }))
}

func (u *unlisting) Session(context.Context, *ec2v1.EC2Account, string) (cloud.Session, error) {
	return u, nil
}

// namesForeign: the object names that instance, which only a look at its id shows.
func namesForeign(r *rig) {
	r.Helper()
	r.operator.Sessions = &unlisting{fakeEC2: r.ec2}
	r.edit(func(s *ec2v1.EC2InstanceSpec) { s.Adopt = &ec2v1.Adopt{InstanceID: foreignID} })
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
