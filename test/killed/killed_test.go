// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

const (
	// atRest is how long the operator is watched when all is done.
	atRest = 20 * time.Second
	// killerStream is the killer's own part of the seed; users have the small numbers.
	killerStream = 1000
)

// TestKilledInRandomOrder has users change objects while everything that the operator needs is killed and started again, it
// too. Afterwards every object is as its user wants it, with one instance, and nothing more happens.
func TestKilledInRandomOrder(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("Seed %d, %d rounds, %d objects", seed, *roundsFlag, *objectsFlag)
	ec2 := newEndpoint(t)
	users, namespaces := newUsers(t, ec2.sim, seed)
	operator := newPod(t, ec2.url(), namespaces...)
	must(t, operator.start())
	duplicates := watchDuplicates(t, ec2.sim)
	k := &killer{random: rand.New(rand.NewPCG(seed, killerStream)), say: t.Logf, pieces: []*piece{
		{name: "etcd", kill: shared.KillEtcd, start: shared.StartEtcd},
		{name: "kube-apiserver", kill: shared.KillAPIServer, start: shared.StartAPIServer},
		{name: "EC2", kill: ec2.kill, start: ec2.start},
		{name: "operator", kill: operator.kill, start: operator.start},
	}}

	must(t, workUnderKills(t.Context(), users, k))
	took := eventually(t, "waiting until all users are satisfied", func(ctx context.Context) error { return satisfied(ctx, users) })
	checkWorld(t, users, ec2.sim)
	restful(t, atRest)
	checkWorld(t, users, ec2.sim)

	report(t, users, k, ec2.sim)
	t.Logf("%d objects had two live instances at once; recovered within %s; the operator ended by itself %d times and logged errors: %q",
		duplicates(), took.Round(time.Second/10), operator.crashed(), operator.errorsLogged())
}

func newUsers(t *testing.T, sim *ec2sim.Sim, seed uint64) (users []*user, namespaces []string) {
	t.Helper()
	for n := range regions {
		r := newRig(t, n, sim)
		users = append(users, newUser(r, seed, uint64(n), *objectsFlag/len(regions)))
		namespaces = append(namespaces, r.namespace)
	}
	return users, namespaces
}

// workUnderKills has the users at work for as long as the killer is.
func workUnderKills(ctx context.Context, users []*user, k *killer) error {
	working, enough := context.WithCancel(ctx)
	ended := make(chan error, len(users))
	for _, u := range users {
		go func() { ended <- u.work(ctx, working) }()
	}
	// The first kill meets launches, and there is something to change by then.
	errs := []error{launchedSome(ctx, users), k.work(ctx, *roundsFlag)}
	enough()
	for range users {
		errs = append(errs, <-ended)
	}
	return errors.Join(errs...)
}

// launchedSome waits until a quarter of the objects have been launched.
func launchedSome(ctx context.Context, users []*user) error {
	err := wait.PollUntilContextTimeout(ctx, glance, patience, true, func(context.Context) (bool, error) {
		return users[0].sim.Counts().Launched*4 >= *objectsFlag, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for the first launches: %w", err)
	}
	return nil
}

func satisfied(ctx context.Context, users []*user) error {
	for _, u := range users {
		if err := u.satisfied(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkWorld compares all instances that were ever launched with all objects that ever were: one for each, and those of
// objects that are gone are gone.
func checkWorld(t *testing.T, users []*user, sim *ec2sim.Sim) {
	t.Helper()
	ever, existing := map[types.UID]bool{}, map[types.UID]bool{}
	for _, u := range users {
		for _, uid := range u.uids {
			ever[uid] = true
		}
		for _, uid := range u.existing() {
			existing[uid] = true
		}
	}
	launched := map[types.UID]int{}
	for _, i := range sim.Instances() {
		uid := types.UID(i.Tags[ec2v1.TagUID])
		launched[uid]++
		switch {
		case !ever[uid]:
			t.Errorf("%s is of no object that ever was", describe([]ec2sim.Instance{i}))
		case i.Live() && !existing[uid]:
			t.Errorf("leaked: %s", describe([]ec2sim.Instance{i}))
		case !i.Live() && existing[uid]:
			t.Errorf("lost: %s", describe([]ec2sim.Instance{i}))
		}
	}
	for uid := range ever {
		if n := launched[uid]; n > 1 || n == 0 && (existing[uid] || !*longFlag) {
			t.Errorf("%d instances were launched for object %s", n, uid)
		}
	}
}

// report tells the numbers.
func report(t *testing.T, users []*user, k *killer, sim *ec2sim.Sim) {
	t.Helper()
	done := map[string]int{}
	for _, u := range users {
		for what, n := range u.counts {
			done[what] += n
		}
	}
	for _, what := range []string{"created", "tagged", "switched", "deleted"} {
		if done[what] == 0 {
			t.Errorf("the users have %s nothing: what they did is %v", what, done)
		}
	}
	kills := make([]string, len(k.pieces))
	for i, p := range k.pieces {
		kills[i] = fmt.Sprintf("%s %d", p.name, p.kills)
	}
	all := sim.Instances()
	terminated := len(slices.DeleteFunc(all, ec2sim.Instance.Live))
	counts := sim.Counts()
	t.Logf("Kills: %v. Users: %v", kills, done)
	t.Logf("RunInstances: %d calls, %d launched, %d repeated an earlier one, outcomes %v. %d instances terminated",
		counts.Calls["RunInstances"], counts.Launched, counts.Replays, counts.Outcomes["RunInstances"], terminated)
	t.Logf("Calls to EC2: %v", slices.Sorted(maps.Keys(counts.Calls)))
}
