// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// thinking is the longest pause between two changes of one user.
const thinking = 600 * time.Millisecond

// tagKeys are the tags that users set and remove.
var tagKeys = []string{"team", "stage", "cost-center"}

// object is what a user wants of one name.
type object struct {
	name string
	// uid of the object that the user knows of; empty when there is none.
	uid      types.UID
	power    ec2v1.PowerState
	tags     map[string]string
	deleting bool
}

// user creates, changes, deletes and recreates the objects of a namespace at random.
type user struct {
	*rig
	random  *rand.Rand
	objects []*object
	// uids are all that the user has ever created, counts what was done how often.
	uids   []types.UID
	counts map[string]int
}

func newUser(r *rig, seed, n uint64, objects int) *user {
	u := &user{rig: r, random: rand.New(rand.NewPCG(seed, n)), counts: map[string]int{}}
	for i := range objects {
		u.objects = append(u.objects, &object{name: fmt.Sprintf("object-%02d", i)})
	}
	return u
}

// work creates all objects and changes them at random until ctx ends. An object that is being deleted then stays away.
func (u *user) work(ctx, until context.Context) error {
	for _, o := range u.objects {
		if err := u.create(ctx, o); err != nil {
			return err
		}
	}
	for until.Err() == nil {
		pause(until, time.Duration(u.random.Int64N(int64(thinking))))
		if err := u.change(ctx, u.objects[u.random.IntN(len(u.objects))]); err != nil {
			return err
		}
	}
	return nil
}

func (u *user) create(ctx context.Context, o *object) error {
	o.power, o.tags, o.deleting = ec2v1.PowerStateRunning, map[string]string{}, false
	uid, err := u.apply(ctx, o.name, "", u.specOf(o))
	if err != nil {
		return err
	}
	o.uid = uid
	u.uids = append(u.uids, uid)
	u.counts["created"]++
	return nil
}

// change does what can be done with the object at the moment: an object that is being deleted is recreated once it is gone,
// and one that is being launched is let be.
func (u *user) change(ctx context.Context, o *object) error {
	obj, err := u.get(ctx, o.name)
	switch {
	case err != nil:
		return err
	case o.deleting && obj == nil:
		return u.create(ctx, o)
	case o.deleting:
		return nil
	case obj == nil:
		return fmt.Errorf("%s is gone, and nobody has deleted it", o.name)
	case obj.UID != o.uid:
		return fmt.Errorf("%s has uid %s, and was created with %s", o.name, obj.UID, o.uid)
	case obj.Status.InstanceID == "" && !*longFlag:
		return nil
	}
	switch dice := u.random.IntN(10); {
	case dice < 4:
		return u.retag(ctx, o)
	case dice < 7:
		return u.switchPower(ctx, o)
	default:
		u.counts["deleted"]++
		o.deleting = true
		return u.delete(ctx, o.name, o.uid)
	}
}

func (u *user) retag(ctx context.Context, o *object) error {
	key := tagKeys[u.random.IntN(len(tagKeys))]
	if _, there := o.tags[key]; there && u.random.IntN(2) == 0 {
		delete(o.tags, key)
	} else {
		o.tags[key] = fmt.Sprint(u.random.IntN(1000))
	}
	u.counts["tagged"]++
	_, err := u.apply(ctx, o.name, o.uid, u.specOf(o))
	return err
}

func (u *user) switchPower(ctx context.Context, o *object) error {
	if o.power == ec2v1.PowerStateRunning {
		o.power = ec2v1.PowerStateStopped
	} else {
		o.power = ec2v1.PowerStateRunning
	}
	u.counts["switched"]++
	_, err := u.apply(ctx, o.name, o.uid, u.specOf(o))
	return err
}

func (u *user) specOf(o *object) *ec2v1ac.EC2InstanceSpecApplyConfiguration {
	spec := u.spec().WithPowerState(o.power)
	for _, key := range slices.Sorted(maps.Keys(o.tags)) {
		spec.WithTags(ec2v1ac.Tag().WithKey(key).WithValue(o.tags[key]))
	}
	return spec
}

// satisfied tells whether everything is as the user wants it, in Kubernetes and in EC2.
func (u *user) satisfied(ctx context.Context) error {
	have, err := u.list(ctx)
	if err != nil {
		return err
	}
	live := liveByUID(u.sim)
	for _, o := range u.objects {
		obj := have[o.name]
		switch {
		case o.deleting && obj == nil:
			continue
		case o.deleting:
			return fmt.Errorf("%s is still there: %+v", o.name, obj.Status.Conditions)
		case obj == nil || obj.UID != o.uid:
			return fmt.Errorf("%s is lost: it was created with uid %s, and there is %v", o.name, o.uid, obj)
		}
		if err := settled(obj, live[string(o.uid)]); err != nil {
			return err
		}
		if err := o.tagged(live[string(o.uid)][0]); err != nil {
			return err
		}
	}
	return u.accountSettled(ctx)
}

// tagged tells whether the instance has the user's tags, and none that the user has removed.
func (o *object) tagged(i ec2sim.Instance) error {
	for _, key := range tagKeys {
		want, wanted := o.tags[key]
		if have, there := i.Tags[key]; there != wanted || have != want {
			return fmt.Errorf("%s wants tags %v, and %s has %v", o.name, o.tags, i.ID, i.Tags)
		}
	}
	return nil
}

// existing are the uids of the objects that the user wants to exist.
func (u *user) existing() []types.UID {
	var out []types.UID
	for _, o := range u.objects {
		if !o.deleting {
			out = append(out, o.uid)
		}
	}
	return out
}
