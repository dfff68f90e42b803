// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func TestLifeOfAnInstance(t *testing.T) {
	r := newRig(t)
	id := r.mustRun()
	step := func(wait time.Duration, want ec2types.InstanceStateName) {
		t.Helper()
		r.clock.Step(wait)
		if got := r.state(id); got != want {
			t.Fatalf("after %v: state %s, want %s", wait, got, want)
		}
	}
	step(0, ec2types.InstanceStateNamePending)
	step(pendingDelay-1, ec2types.InstanceStateNamePending)
	step(1, ec2types.InstanceStateNameRunning)

	r.must(r.stop(id))
	step(0, ec2types.InstanceStateNameStopping)
	step(stoppingDelay, ec2types.InstanceStateNameStopped)

	r.must(r.start(id))
	step(0, ec2types.InstanceStateNamePending)
	step(pendingDelay, ec2types.InstanceStateNameRunning)

	r.must(r.terminate(id))
	step(0, ec2types.InstanceStateNameShuttingDown)
	step(shuttingDelay, ec2types.InstanceStateNameTerminated)
	step(time.Hour-1, ec2types.InstanceStateNameTerminated)

	r.clock.Step(1)
	_, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	wantError(t, err, "InvalidInstanceID.NotFound", badRequest, "The instance ID '"+id+"' does not exist")
	if left := r.list(); len(left) != 0 {
		t.Errorf("an hour after its end the instance is still listed: %v", ids(left))
	}
}

func TestWhatAnInstanceShows(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(func(in *ec2.RunInstancesInput) {
		in.KeyName = aws.String(ec2sim.KeyPairName)
		in.IamInstanceProfile = &ec2types.IamInstanceProfileSpecification{Name: aws.String(ec2sim.InstanceProfileName)}
		in.SecurityGroupIds = []string{ec2sim.SecurityGroupWeb, ec2sim.SecurityGroupDefault}
		in.ClientToken = aws.String("token-1")
		in.EbsOptimized = aws.Bool(true)
		in.Monitoring = &ec2types.RunInstancesMonitoringEnabled{Enabled: aws.Bool(true)}
		in.MetadataOptions = &ec2types.InstanceMetadataOptionsRequest{HttpTokens: ec2types.HttpTokensStateOptional}
	}, tagged(ec2types.ResourceTypeInstance, "Name", "web"))
	r.clock.Step(pendingDelay)
	i := r.get(id)

	for name, pair := range map[string][2]string{
		"image":         {*i.ImageId, ec2sim.ImageAL2023},
		"type":          {string(i.InstanceType), "t3.micro"},
		"zone":          {*i.Placement.AvailabilityZone, "us-east-1a"},
		"zone id":       {*i.Placement.AvailabilityZoneId, "use1-az1"},
		"subnet":        {*i.SubnetId, ec2sim.SubnetA},
		"vpc":           {*i.VpcId, ec2sim.DefaultVPC},
		"key":           {*i.KeyName, ec2sim.KeyPairName},
		"profile":       {*i.IamInstanceProfile.Arn, "arn:aws:iam::123456789012:instance-profile/example-profile"},
		"token":         {*i.ClientToken, "token-1"},
		"private ip":    {*i.PrivateIpAddress, "10.0.0.4"},
		"private dns":   {*i.PrivateDnsName, "ip-10-0-0-4.ec2.internal"},
		"monitoring":    {string(i.Monitoring.State), "enabled"},
		"architecture":  {string(i.Architecture), "x86_64"},
		"tokens":        {string(i.MetadataOptions.HttpTokens), "optional"},
		"imds state":    {string(i.MetadataOptions.State), "applied"},
		"group":         {*i.SecurityGroups[0].GroupName, "web"},
		"interface":     {*i.NetworkInterfaces[0].PrivateIpAddress, "10.0.0.4"},
		"volume device": {*i.BlockDeviceMappings[0].DeviceName, "/dev/xvda"},
		"tag":           {tagMap(i.Tags)["Name"], "web"},
		"root device":   {*i.RootDeviceName, "/dev/xvda"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %q, want %q", name, pair[0], pair[1])
		}
	}
	if hops := *i.MetadataOptions.HttpPutResponseHopLimit; hops != 2 {
		t.Errorf("hop limit %d, want the image's 2", hops)
	}
	if !i.LaunchTime.Equal(epoch) || !*i.EbsOptimized || i.StateReason != nil || i.PublicIpAddress == nil {
		t.Errorf("launch time %v, EBS-optimized %v, reason %v, public IP %v", i.LaunchTime, *i.EbsOptimized, i.StateReason, i.PublicIpAddress)
	}
}

func TestPublicAddressGoesWithStopAndComesAnewWithStart(t *testing.T) {
	r := newRig(t)
	id := r.mustRun()
	private := r.mustRun(inSubnet(ec2sim.SubnetPrivateA))
	r.clock.Step(pendingDelay)
	first, address := *r.get(id).PublicIpAddress, *r.get(id).PrivateIpAddress
	r.must(r.stop(id))
	r.clock.Step(stoppingDelay)
	if ip := r.get(id).PublicIpAddress; ip != nil {
		t.Errorf("stopped, and still has public IP %s", *ip)
	}
	r.must(r.start(id))
	r.clock.Step(pendingDelay)
	i := r.get(id)
	if *i.PublicIpAddress == first || *i.PrivateIpAddress != address {
		t.Errorf("after start: public %s (was %s), private %s (was %s)", *i.PublicIpAddress, first, *i.PrivateIpAddress, address)
	}
	if !i.LaunchTime.Equal(epoch.Add(pendingDelay + stoppingDelay)) {
		t.Errorf("launch time %v is not that of the start", i.LaunchTime)
	}
	if ip := r.get(private).PublicIpAddress; ip != nil {
		t.Errorf("public IP %s in a private subnet", *ip)
	}
}

func TestStateReasons(t *testing.T) {
	r := newRig(t)
	stopped, guest := r.mustRun(), r.mustRun()
	fault := r.inject(ec2sim.Fault{Action: "RunInstances", LaunchFailure: &ec2sim.StateReason{
		Code: "Server.InternalError", Message: "Client.VolumeLimitExceeded: Volume limit exceeded",
	}})
	doomed := r.mustRun()
	r.sim.RemoveFault(fault)
	if got := r.state(doomed); got != ec2types.InstanceStateNamePending {
		t.Errorf("a doomed launch starts %s, want pending", got)
	}
	if reason := r.get(doomed).StateReason; reason != nil {
		t.Errorf("a pending instance shows reason %v", *reason.Code)
	}
	r.clock.Step(pendingDelay)
	r.must(r.stop(stopped))
	r.must(r.sim.Shutdown(guest))
	for id, want := range map[string][3]string{
		stopped: {"Client.UserInitiatedShutdown", "Client.UserInitiatedShutdown: User initiated shutdown", "User initiated (2026-01-02 03:04:15 GMT)"},
		guest:   {"Client.InstanceInitiatedShutdown", "Client.InstanceInitiatedShutdown: Instance initiated shutdown", ""},
		doomed:  {"Server.InternalError", "Client.VolumeLimitExceeded: Volume limit exceeded", "Server.InternalError"},
	} {
		i := r.get(id)
		if i.StateReason == nil {
			t.Errorf("%s: no reason", *i.InstanceId)
			continue
		}
		if got := [3]string{*i.StateReason.Code, *i.StateReason.Message, *i.StateTransitionReason}; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := r.state(doomed); got != ec2types.InstanceStateNameTerminated {
		t.Errorf("a doomed launch ends %s, want terminated", got)
	}
	r.clock.Step(stoppingDelay)
	r.must(r.start(stopped))
	if i := r.get(stopped); i.StateReason != nil {
		t.Errorf("started, and still shows reason %s", *i.StateReason.Code)
	}
}

func TestStartAndStopRules(t *testing.T) {
	const cannotStart, cannotStop = "is not in a state from which it can be started.", "is not in a state from which it can be stopped."
	for name, tc := range map[string]struct {
		reach func(*rig, string) // brings a pending instance into the state
		start string             // part of the message, or nothing for success
		stop  string
	}{
		"pending":       {func(*rig, string) {}, "", cannotStop},
		"running":       {func(r *rig, _ string) { r.clock.Step(pendingDelay) }, "", ""},
		"stopping":      {func(r *rig, id string) { r.clock.Step(pendingDelay); r.must(r.stop(id)) }, cannotStart, ""},
		"stopped":       {func(r *rig, id string) { r.clock.Step(pendingDelay); r.must(r.stop(id)); r.clock.Step(stoppingDelay) }, "", ""},
		"shutting-down": {func(r *rig, id string) { r.must(r.terminate(id)) }, cannotStart, cannotStop},
		"terminated":    {func(r *rig, id string) { r.must(r.terminate(id)); r.clock.Step(shuttingDelay) }, cannotStart, cannotStop},
	} {
		for verb, want := range map[string]string{"start": tc.start, "stop": tc.stop} {
			t.Run(name+"/"+verb, func(t *testing.T) {
				r := newRig(t)
				id := r.mustRun()
				tc.reach(r, id)
				if got := r.state(id); string(got) != name {
					t.Fatalf("setup reached %s", got)
				}
				err := map[string]func(...string) error{"start": r.start, "stop": r.stop}[verb](id)
				if want == "" {
					r.must(err)
					return
				}
				wantError(t, err, "IncorrectInstanceState", badRequest, "instance '"+id+"' "+want)
			})
		}
	}
}

func TestNoOpsChangeNothing(t *testing.T) {
	r := newRig(t)
	id := r.mustRun()
	r.clock.Step(pendingDelay)
	r.must(r.start(id))
	if got := r.state(id); got != ec2types.InstanceStateNameRunning {
		t.Errorf("starting a running instance made it %s", got)
	}
	r.must(r.stop(id))
	r.clock.Step(stoppingDelay)
	r.must(r.stop(id))
	if got := r.state(id); got != ec2types.InstanceStateNameStopped {
		t.Errorf("stopping a stopped instance made it %s", got)
	}
	out, err := r.ec2.StartInstances(t.Context(), &ec2.StartInstancesInput{InstanceIds: []string{id}})
	r.must(err)
	change := out.StartingInstances[0]
	if change.PreviousState.Name != ec2types.InstanceStateNameStopped || change.CurrentState.Name != ec2types.InstanceStateNamePending || *change.CurrentState.Code != 0 {
		t.Errorf("the answer of a start: %v -> %v", change.PreviousState.Name, change.CurrentState.Name)
	}
}

func TestTerminate(t *testing.T) {
	t.Run("is idempotent", func(t *testing.T) {
		r := newRig(t)
		id := r.mustRun()
		for range 3 {
			r.must(r.terminate(id))
			r.clock.Step(shuttingDelay / 2)
		}
		if got := r.state(id); got != ec2types.InstanceStateNameTerminated {
			t.Errorf("repeating a termination put it off: %s", got)
		}
		r.must(r.terminate(id))
	})
	t.Run("fails whole for one unknown id", func(t *testing.T) {
		r := newRig(t)
		id := r.mustRun()
		err := r.terminate(id, "i-0123456789abcdef0")
		wantError(t, err, "InvalidInstanceID.NotFound", badRequest, "The instance ID 'i-0123456789abcdef0' does not exist")
		if got := r.state(id); got != ec2types.InstanceStateNamePending {
			t.Errorf("the other instance is %s", got)
		}
		wantError(t, r.terminate(id, "i-nonsense"), "InvalidInstanceID.Malformed", badRequest, `Invalid id: "i-nonsense"`)
	})
	t.Run("spares the zone of a protected instance", func(t *testing.T) {
		r := newRig(t)
		protected := r.mustRun(func(in *ec2.RunInstancesInput) { in.DisableApiTermination = aws.Bool(true) })
		neighbour := r.mustRun()
		elsewhere := r.mustRun(inSubnet(ec2sim.SubnetB))
		wantError(t, r.terminate(protected, neighbour, elsewhere), "OperationNotPermitted", badRequest,
			"The instance '"+protected+"' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.")
		for id, want := range map[string]ec2types.InstanceStateName{protected: "pending", neighbour: "pending", elsewhere: "shutting-down"} {
			if got := r.state(id); got != want {
				t.Errorf("%s is %s, want %s", id, got, want)
			}
		}
	})
	t.Run("heeds stop protection", func(t *testing.T) {
		r := newRig(t)
		id := r.mustRun(func(in *ec2.RunInstancesInput) { in.DisableApiStop = aws.Bool(true) })
		r.clock.Step(pendingDelay)
		wantError(t, r.stop(id), "OperationNotPermitted", badRequest, "may not be stopped. Modify its 'disableApiStop'")
		wantError(t, r.terminate(id), "OperationNotPermitted", badRequest, "may not be terminated")
		r.must(r.sim.Terminate(id))
		if got := r.state(id); got != ec2types.InstanceStateNameShuttingDown {
			t.Errorf("a hand in EC2 left it %s", got)
		}
	})
}

func TestTerminatedInstanceLosesTagsThenAttachments(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(tagged(ec2types.ResourceTypeInstance, "Name", "web"))
	r.must(r.terminate(id))
	r.clock.Step(shuttingDelay)
	i := r.get(id)
	if i.SubnetId != nil || i.VpcId != nil || i.PrivateIpAddress != nil || len(i.NetworkInterfaces) > 0 || len(i.SecurityGroups) > 0 {
		t.Errorf("terminated, and still attached: %v", i.SubnetId)
	}
	if tagMap(i.Tags)["Name"] != "web" {
		t.Error("the tags were gone at once")
	}
	r.clock.Step(tagFade)
	if i := r.get(id); len(i.Tags) > 0 {
		t.Errorf("tags after they should have faded: %v", tagMap(i.Tags))
	}
	if found := r.list(filter("tag:Name", "web")); len(found) > 0 {
		t.Errorf("found by a tag that has faded")
	}
	if found := r.list(filter("instance-state-name", "terminated")); len(found) != 1 {
		t.Errorf("listed %d terminated instances, want 1", len(found))
	}
}
