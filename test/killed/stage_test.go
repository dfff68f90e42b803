// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// stage is a namespace in which all scenes are played, with an operator of its own.
type stage struct {
	*rig
	operator *pod
	// leftRunning: its operator is left running across the restore.
	leftRunning bool
	acts        []*act
	// before are all instances at the moment of the restore, by id.
	before map[string]ec2sim.Instance
}

// act is a scene in play.
type act struct {
	scene
	// uid of the object in the backup.
	uid types.UID
	// instance that lived when etcd was restored; empty when there was none.
	instance string
}

func newStage(t *testing.T, n int, ec2 *endpoint) *stage {
	t.Helper()
	s := &stage{rig: newRig(t, n, ec2.sim)}
	for _, scene := range scenes() {
		s.acts = append(s.acts, &act{scene: scene})
	}
	s.operator = newPod(t, ec2.url(), s.namespace)
	return s
}

// make makes the objects of a moment.
func (s *stage) make(ctx context.Context, when moment) error {
	for _, a := range s.acts {
		if a.made != when {
			continue
		}
		spec := s.spec()
		if a.before != nil {
			a.before(spec)
		}
		uid, err := s.apply(ctx, a.name, "", spec)
		if err != nil {
			return err
		}
		a.uid = uid
	}
	return nil
}

// each does something for all acts at once that it is for.
func (s *stage) each(which func(*act) bool, do func(*act) error) error {
	var ended []chan error
	for _, a := range s.acts {
		if which(a) {
			end := make(chan error, 1)
			ended = append(ended, end)
			go func() { end <- do(a) }()
		}
	}
	var errs []error
	for _, end := range ended {
		errs = append(errs, <-end)
	}
	return errors.Join(errs...)
}

func (a *act) key() *ec2v1.EC2Instance {
	obj := &ec2v1.EC2Instance{}
	obj.Name, obj.UID = a.name, a.uid
	return obj
}

// beforeBackup brings the scenes to where the backup finds them, but for what nobody is to have seen.
func (s *stage) beforeBackup(ctx context.Context) error {
	if err := s.make(ctx, atWork); err != nil {
		return err
	}
	return s.each(func(a *act) bool { return a.made == atWork }, func(a *act) error { return settledNow(ctx, s.rig, a.key()) })
}

// beforeBackupWithoutEC2 has the operator decide what it cannot do.
func (s *stage) beforeBackupWithoutEC2(ctx context.Context) error {
	if err := s.make(ctx, withoutEC2); err != nil {
		return err
	}
	return s.each(func(a *act) bool { return a.made == withoutEC2 || a.deleted }, func(a *act) error {
		if a.deleted {
			return remove(ctx, s.rig, a.key())
		}
		return intended(ctx, s.rig, a.name)
	})
}

// afterBackupUnseen changes what no operator has seen.
func (s *stage) afterBackupUnseen(ctx context.Context) error {
	return s.each(func(a *act) bool { return a.unseen != nil }, func(a *act) error { return a.unseen(ctx, s.rig, a.key()) })
}

// afterBackup plays the scenes to the moment of the restore.
func (s *stage) afterBackup(ctx context.Context) error {
	if err := s.make(ctx, afterwards); err != nil {
		return err
	}
	err := s.each(func(*act) bool { return true }, func(a *act) error { return a.play(ctx, s.rig) })
	if err != nil {
		return err
	}
	s.before = map[string]ec2sim.Instance{}
	for _, i := range s.instances() {
		s.before[i.ID] = i
	}
	for _, a := range s.acts {
		for _, i := range liveByUID(s.sim)[string(a.uid)] {
			a.instance = i.ID
		}
	}
	return nil
}

func (a *act) play(ctx context.Context, r *rig) error {
	obj := a.key()
	if !a.deleted {
		if err := settledNow(ctx, r, obj); err != nil {
			return err
		}
		var err error
		if obj, err = r.get(ctx, a.name); err != nil {
			return err
		}
	}
	if a.after != nil {
		if err := a.after(ctx, r, obj); err != nil {
			return err
		}
	}
	if a.until != nil {
		return a.until(ctx, r, obj)
	}
	return settledNow(ctx, r, obj)
}

// outcome tells what of an act is not yet, or never will be, as it is to be after the restore.
func (s *stage) outcome(a *act, obj *ec2v1.EC2Instance) error {
	live := liveByUID(s.sim)[string(a.uid)]
	if a.gone {
		if obj != nil || len(live) > 0 && !a.orphaned {
			return fmt.Errorf("%s is still there, with %s", a.name, describe(live))
		}
		return nil
	}
	if obj == nil || obj.UID != a.uid {
		return fmt.Errorf("%s is lost", a.name)
	}
	if err := has(obj, a.condition.name, a.condition.status, a.condition.reason); err != nil {
		return err
	}
	if a.condition == runs {
		// The last that is told of a new instance: then it is at rest.
		if err := has(obj, ec2v1.ConditionReachable, metav1.ConditionTrue, ec2v1.ReasonChecksPassed); err != nil {
			return err
		}
	}
	if a.fate == none {
		if len(live) > 0 {
			return fmt.Errorf("%s has %s, and was to have none", a.name, describe(live))
		}
		return nil
	}
	if len(live) != 1 || live[0].ID != obj.Status.InstanceID || (live[0].ID == a.instance) != (a.fate == kept) {
		return fmt.Errorf("%s records %s, EC2 has %s, and at the restore it had %q", a.name, obj.Status.InstanceID, describe(live), a.instance)
	}
	if err := a.detail(obj, live[0]); err != nil || s.leftRunning {
		return err
	}
	return a.hasTags(live[0], a.unknown)
}

// detail compares an object with its instance.
func (a *act) detail(obj *ec2v1.EC2Instance, i ec2sim.Instance) error {
	if obj.Status.Launch == nil || obj.Status.Launch.Attempt != a.attempt {
		return fmt.Errorf("%s tells of launch %+v, not of attempt %d", a.name, obj.Status.Launch, a.attempt)
	}
	if a.state != "" && i.State != a.state {
		return fmt.Errorf("%s has an instance that is %s, not %s", a.name, i.State, a.state)
	}
	return a.hasTags(i, a.tags)
}

func (a *act) hasTags(i ec2sim.Instance, tags map[string]string) error {
	for key, want := range tags {
		if i.Tags[key] != want {
			return fmt.Errorf("%s has an instance with tags %v, not %v", a.name, i.Tags, tags)
		}
	}
	return nil
}

// pending are the acts that are not as they are to be.
func (s *stage) pending(ctx context.Context) []error {
	have, err := s.list(ctx)
	if err != nil {
		return []error{err}
	}
	var out []error
	for _, a := range s.acts {
		if err := s.outcome(a, have[a.name]); err != nil {
			out = append(out, err)
		}
	}
	return out
}

// harmless fails unless EC2 is at every moment as it may be: what lived at the restore lives, with the tags of whose it is,
// and nothing was launched but for the acts that lost their instance.
func (s *stage) harmless(t *testing.T) {
	t.Helper()
	mayLaunch := map[string]bool{}
	for _, a := range s.acts {
		if a.fate == another {
			mayLaunch[string(a.uid)] = true
		}
	}
	for _, i := range s.instances() {
		before, there := s.before[i.ID]
		switch {
		case !there && !mayLaunch[i.Tags[ec2v1.TagUID]]:
			t.Errorf("launched without need: %s", describe([]ec2sim.Instance{i}))
		case !there:
			delete(mayLaunch, i.Tags[ec2v1.TagUID])
		case before.Live() && !i.Live():
			t.Errorf("terminated: %s", describe([]ec2sim.Instance{before}))
		case before.Live() && s.isOrphan(before):
			if diff := cmp.Diff(before.Tags, i.Tags); diff != "" {
				t.Errorf("%s, which no object is known of, was tagged: %s", describe([]ec2sim.Instance{i}), diff)
			}
		}
	}
}

// isOrphan tells whether the restored cluster has no object for the instance.
func (s *stage) isOrphan(i ec2sim.Instance) bool {
	for _, a := range s.acts {
		if string(a.uid) == i.Tags[ec2v1.TagUID] {
			return a.made == afterwards
		}
	}
	return true
}

// orphans are the live instances that the restored cluster has no object for.
func (s *stage) orphans() []ec2sim.Instance {
	var out []ec2sim.Instance
	for i := range maps.Values(s.before) {
		if i.Live() && s.isOrphan(i) {
			out = append(out, i)
		}
	}
	return out
}
