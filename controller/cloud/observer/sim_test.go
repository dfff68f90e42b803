// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

const cluster = "0b6b5b0e-6b43-4f42-a0e5-2f8b6b5b7f10"

// fleet is an observer of a simulator, through the SDK, as the operator composes them.
type fleet struct {
	*testing.T
	sim     *ec2sim.Sim
	session cloud.Session
	view    *observer.View
}

func onSimulator(t *testing.T, test func(fleet)) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_CA_BUNDLE", "")
	synctest.Test(t, func(t *testing.T) {
		sim := ec2sim.New(ec2sim.Options{Seed: 1})
		account := &ec2v1.EC2Account{}
		account.Name, account.Spec.Region = "default", "eu-central-1"
		p := cloud.NewProvider(cluster, cloud.Options{HTTPClient: &http.Client{Transport: sim.Transport()}})
		session, err := p.Session(t.Context(), account, "")
		if err != nil {
			t.Fatal(err)
		}
		o := observer.New(observer.Options{Cluster: cluster})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- o.Start(ctx) }()
		defer func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}()
		view := o.Track(observer.Scope{Account: "default", Region: "eu-central-1"}, session, time.Minute)
		test(fleet{t, sim, session, view})
	})
}

// launch launches instances as fast as the account's rates allow.
func (f fleet) launch(number int) []string {
	var ids []string
	for n := 0; len(ids) < number; n++ {
		owner := cloud.Owner{UID: types.UID(fmt.Sprintf("uid-%d", len(ids))), Namespace: "shop", Name: fmt.Sprintf("web-%d", len(ids))}
		p := cloud.LaunchParameters{
			ImageID: ec2sim.ImageAL2023, InstanceType: "t3.micro", SubnetID: ec2sim.SubnetA, Tags: cloud.IdentityTags(cluster, owner),
		}
		i, err := f.session.Launch(f.Context(), cloud.ClientToken(cluster, owner.UID, 1), p)
		if e, ok := cloud.AsError(err); ok && e.Class == cloud.ClassThrottled && e.RetryAfter > 0 {
			time.Sleep(e.RetryAfter)
			continue
		}
		if err != nil {
			f.Fatal(err)
		}
		f.view.Put(i)
		ids = append(ids, i.ID)
	}
	return ids
}

// waitFor lets time pass until a condition holds, and returns how much it took.
func (f fleet) waitFor(what string, condition func() bool) time.Duration {
	f.Helper()
	begin := time.Now()
	for !condition() {
		if time.Since(begin) > 10*time.Minute {
			f.Fatalf("%s: never; %v", what, f.view.CountByState())
		}
		time.Sleep(100 * time.Millisecond)
	}
	return time.Since(begin)
}

func (f fleet) all(number int, s cloud.State) func() bool {
	return func() bool { return f.view.CountByState()[s] == number }
}

// well says that all status checks of all instances pass.
func (f fleet) well(ids []string) func() bool {
	return func() bool {
		for _, id := range ids {
			if e, ok := f.view.ByID(id); !ok || e.Status == nil || e.Status.System.Result != cloud.CheckOK || e.Status.Instance.Result != cloud.CheckOK {
				return false
			}
		}
		return true
	}
}

// The observer follows a fleet through EC2's lags, within EC2's rates, and costs two calls a minute when it is at rest.
func TestFollowsAFleet(t *testing.T) {
	onSimulator(t, func(f fleet) {
		const number = 50
		f.waitFor("synced", f.view.Synced)
		ids := f.launch(number)
		// Launch to running takes the simulator 15 s, and its descriptions lag by another.
		if took := f.waitFor("running", f.all(number, cloud.StateRunning)); took > 30*time.Second {
			t.Errorf("running was seen after %v", took)
		}
		for n, id := range ids {
			entries := f.view.ByOwner(types.UID(fmt.Sprintf("uid-%d", n)))
			if len(entries) != 1 || entries[0].ID != id || entries[0].PrivateIP == "" {
				t.Errorf("%s: %+v", id, entries)
			}
		}
		delay := ec2sim.DefaultSettings().InitializingDelay
		if took := f.waitFor("well", f.well(ids)); took > delay+20*time.Second {
			t.Errorf("that the checks pass was seen after %v", took)
		}
		if calls := f.sim.Counts().Calls["DescribeInstanceStatus"]; calls > 16 {
			t.Errorf("%d lists of statuses until all checks passed", calls)
		}
		time.Sleep(time.Minute)
		f.sim.ResetCounts()
		time.Sleep(time.Hour)
		counts := f.sim.Counts().Calls
		for _, action := range []string{"DescribeInstances", "DescribeInstanceStatus"} {
			if calls := counts[action]; calls < 54 || calls > 67 {
				t.Errorf("%d calls of %s in an hour at rest", calls, action)
			}
		}
		if len(counts) != 2 {
			t.Errorf("calls at rest: %v", counts)
		}
		if err := f.sim.Impair(ids[1], ec2sim.CheckSystem); err != nil {
			t.Fatal(err)
		}
		took := f.waitFor("impaired", func() bool { e, _ := f.view.ByID(ids[1]); return e.Status.System.Result == cloud.CheckImpaired })
		if took > 70*time.Second {
			t.Errorf("that a check fails was seen after %v", took)
		}
		if err := f.sim.Terminate(ids[0]); err != nil {
			t.Fatal(err)
		}
		if took := f.waitFor("terminated by somebody", f.all(1, cloud.StateTerminated)); took > 2*time.Minute {
			t.Errorf("took %v", took)
		}
		f.terminate(ids[1:])
		if took := f.waitFor("terminated", f.all(number, cloud.StateTerminated)); took > time.Minute {
			t.Errorf("took %v", took)
		}
		// The simulator's tags fade and then the instances; their owners still find them.
		time.Sleep(90 * time.Minute)
		if entries := f.view.ByOwner("uid-7"); len(entries) != 1 || entries[0].State != cloud.StateTerminated || !entries[0].Missing.IsZero() {
			t.Errorf("got %+v", entries)
		}
		time.Sleep(3 * time.Hour)
		if counts := f.view.CountByState(); len(counts) != 0 {
			t.Errorf("not forgotten: %v", counts)
		}
		f.expectNeverThrottled()
	})
}

func (f fleet) terminate(ids []string) {
	for _, id := range ids {
		state, err := f.session.Terminate(f.Context(), id)
		if err != nil {
			f.Fatal(err)
		}
		f.view.PutState(id, state)
	}
}

func (f fleet) expectNeverThrottled() {
	for action, outcomes := range f.sim.Counts().Outcomes {
		if n := outcomes["RequestLimitExceeded"]; n > 0 {
			f.Errorf("%s was throttled %d times", action, n)
		}
	}
}
