// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// Each view catches up at its own moment. The lags differ so that a mix-up shows.
func TestViewsCatchUpSeparately(t *testing.T) {
	const (
		byID  = 1 * time.Second
		act   = 2 * time.Second
		list  = 3 * time.Second
		tagID = 4 * time.Second
		tag   = 5 * time.Second
	)
	r := newRig(t, func(s *ec2sim.Settings) {
		s.DescribeByIDLag, s.ActByIDLag, s.DescribeListLag, s.TagByIDLag, s.LaunchTagLag = byID, act, list, tagID, tag
		s.Shuffle = false
	})
	id := r.mustRun(tagged(ec2types.ResourceTypeInstance, "Name", "web"))
	visible := map[string]func() bool{
		"describe by id": func() bool {
			_, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: []string{id}})
			if err != nil {
				wantError(t, err, "InvalidInstanceID.NotFound", badRequest, id)
			}
			return err == nil
		},
		"start by id": func() bool {
			err := r.start(id) // a no-op for a pending instance
			if err != nil {
				wantError(t, err, "InvalidInstanceID.NotFound", badRequest, id)
			}
			return err == nil
		},
		"list":     func() bool { return len(r.list()) == 1 },
		"list tag": func() bool { return len(r.list(filter("tag:Name", "web"))) == 1 },
		"tag by id": func() bool {
			_, err := r.ec2.DeleteTags(t.Context(), &ec2.DeleteTagsInput{Resources: []string{id}, Tags: tags("other", "")})
			if err != nil {
				wantError(t, err, "InvalidInstanceID.NotFound", badRequest, id)
			}
			return err == nil
		},
		"describe tags": func() bool {
			out, err := r.ec2.DescribeTags(t.Context(), &ec2.DescribeTagsInput{})
			r.must(err)
			return len(out.Tags) == 1
		},
	}
	from := map[string]time.Duration{
		"describe by id": byID, "start by id": act, "list": list, "list tag": tag, "tag by id": tagID, "describe tags": tag,
	}
	for since := time.Duration(0); since <= 6*time.Second; since += time.Second {
		for name, check := range visible {
			if got, want := check(), since >= from[name]; got != want {
				t.Errorf("%v after launch: %s visible %v, want %v", since, name, got, want)
			}
		}
		r.clock.Step(time.Second)
	}
}

func TestStateLag(t *testing.T) {
	const lag = 3 * time.Second
	r := newRig(t, func(s *ec2sim.Settings) { s.StateLag = lag })
	id := r.mustRun()
	r.clock.Step(pendingDelay)
	if got := r.state(id); got != ec2types.InstanceStateNamePending {
		t.Errorf("the view does not lag: %s", got)
	}
	if truth := r.sim.Instances()[0].State; truth != "running" {
		t.Errorf("the truth lags: %s", truth)
	}
	if found := r.list(filter("instance-state-name", "running")); len(found) != 0 {
		t.Error("the filter sees a fresher state than the view shows")
	}
	r.must(r.stop(id)) // actions go by the truth
	r.clock.Step(lag)
	if got := r.state(id); got != ec2types.InstanceStateNameStopping {
		t.Errorf("after the lag: %s", got)
	}
}

func TestTagChangesShowLate(t *testing.T) {
	const lag = 2 * time.Second
	r := newRig(t, func(s *ec2sim.Settings) { s.TagChangeLag = lag })
	id := r.mustRun(tagged(ec2types.ResourceTypeInstance, "a", "1", "b", "1"))
	change := func() {
		_, err := r.ec2.CreateTags(t.Context(), &ec2.CreateTagsInput{Resources: []string{id}, Tags: tags("a", "2", "c", "3")})
		r.must(err)
		_, err = r.ec2.DeleteTags(t.Context(), &ec2.DeleteTagsInput{Resources: []string{id}, Tags: []ec2types.Tag{{Key: aws.String("b")}}})
		r.must(err)
	}
	change()
	before, after := map[string]string{"a": "1", "b": "1"}, map[string]string{"a": "2", "c": "3"}
	if diff := cmp.Diff(before, tagMap(r.get(id).Tags)); diff != "" {
		t.Errorf("at once:\n%s", diff)
	}
	if diff := cmp.Diff(after, r.sim.Instances()[0].Tags); diff != "" {
		t.Errorf("in truth:\n%s", diff)
	}
	r.clock.Step(lag)
	if diff := cmp.Diff(after, tagMap(r.get(id).Tags)); diff != "" {
		t.Errorf("after the lag:\n%s", diff)
	}
	for range 300 { // more changes than are kept singly
		change()
		r.clock.Step(time.Millisecond)
	}
	r.clock.Step(lag)
	if diff := cmp.Diff(after, tagMap(r.get(id).Tags)); diff != "" {
		t.Errorf("after many changes:\n%s", diff)
	}
}
