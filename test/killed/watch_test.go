// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"fmt"
	"strings"
	"testing"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// watchInterval is how often EC2's world is looked at. An instance lives for a second at least.
const watchInterval = 25 * time.Millisecond

// watchDuplicates looks at the truth of EC2 until the test is over, or until it is told to stop, and fails the test when an
// object ever has two live instances. stop returns how many objects had.
func watchDuplicates(t *testing.T, sim *ec2sim.Sim) (stop func() int) {
	t.Helper()
	end, done := make(chan struct{}), make(chan map[string]string, 1)
	go func() { done <- duplicates(sim, end) }()
	stopped := -1
	stop = func() int {
		if stopped < 0 {
			close(end)
			found := <-done
			stopped = len(found)
			for uid, ids := range found {
				t.Errorf("object %s had two live instances at once: %s", uid, ids)
			}
		}
		return stopped
	}
	t.Cleanup(func() { stop() })
	return stop
}

func duplicates(sim *ec2sim.Sim, end <-chan struct{}) map[string]string {
	found := map[string]string{}
	for {
		for uid, live := range liveByUID(sim) {
			if len(live) > 1 {
				found[uid] = describe(live)
			}
		}
		select {
		case <-time.After(watchInterval):
		case <-end:
			return found
		}
	}
}

// liveByUID are the live instances in truth, by the object that they are tagged for.
func liveByUID(sim *ec2sim.Sim) map[string][]ec2sim.Instance {
	out := map[string][]ec2sim.Instance{}
	for _, i := range sim.Live() {
		out[i.Tags[ec2v1.TagUID]] = append(out[i.Tags[ec2v1.TagUID]], i)
	}
	return out
}

func describe(instances []ec2sim.Instance) string {
	texts := make([]string, len(instances))
	for n, i := range instances {
		texts[n] = fmt.Sprintf("%s (%s, %s/%s, token %.8s)", i.ID, i.State, i.Tags[ec2v1.TagNamespace], i.Tags[ec2v1.TagName], i.ClientToken)
	}
	return strings.Join(texts, ", ")
}
