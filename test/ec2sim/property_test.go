// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// machine sends random calls to a simulator with lags and faults on.
type machine struct {
	sim    *ec2sim.Sim
	clock  *clocktesting.FakeClock
	client *ec2.Client
}

func newMachine() *machine {
	clock := clocktesting.NewFakeClock(epoch)
	settings := ec2sim.DefaultSettings()
	settings.Latency = 0
	settings.Capacity = map[string]int{"t3.small/us-east-1b": 1}
	sim := ec2sim.New(ec2sim.Options{Clock: clock, Settings: &settings, Seed: 1})
	return &machine{sim, clock, inProcess(sim)}
}

// someID draws an instance that exists, or an id that does not.
func (m *machine) someID(t *rapid.T) string {
	known := []string{"i-0123456789abcdef0"}
	for _, i := range m.sim.Instances() {
		known = append(known, i.ID)
	}
	return rapid.SampledFrom(known).Draw(t, "id")
}

func (m *machine) actions() map[string]func(*rapid.T) {
	// Errors are part of the game: what counts is the state that they leave behind.
	return map[string]func(*rapid.T){
		"run": func(t *rapid.T) {
			_, _ = m.client.RunInstances(t.Context(), launchInput(
				withToken(rapid.SampledFrom([]string{"one", "two", "three"}).Draw(t, "token")),
				inSubnet(rapid.SampledFrom([]string{ec2sim.SubnetA, ec2sim.SubnetB, ec2sim.SubnetPrivateA}).Draw(t, "subnet")),
				ofType(rapid.SampledFrom([]string{"t3.micro", "t3.small"}).Draw(t, "type")),
				tagged(ec2types.ResourceTypeInstance, "Name", "n", "team", "x"),
			))
		},
		"terminate": func(t *rapid.T) {
			_, _ = m.client.TerminateInstances(t.Context(), &ec2.TerminateInstancesInput{InstanceIds: []string{m.someID(t)}})
		},
		"stop": func(t *rapid.T) {
			_, _ = m.client.StopInstances(t.Context(), &ec2.StopInstancesInput{InstanceIds: []string{m.someID(t)}})
		},
		"start": func(t *rapid.T) {
			_, _ = m.client.StartInstances(t.Context(), &ec2.StartInstancesInput{InstanceIds: []string{m.someID(t)}})
		},
		"tag": func(t *rapid.T) {
			_, _ = m.client.CreateTags(t.Context(), &ec2.CreateTagsInput{
				Resources: []string{m.someID(t)}, Tags: tags("team", rapid.SampledFrom([]string{"x", "y"}).Draw(t, "value")),
			})
		},
		"untag": func(t *rapid.T) {
			_, _ = m.client.DeleteTags(t.Context(), &ec2.DeleteTagsInput{Resources: []string{m.someID(t)}, Tags: []ec2types.Tag{{Key: aws.String("team")}}})
		},
		"keep": func(t *rapid.T) {
			_, _ = m.client.ModifyInstanceAttribute(t.Context(), &ec2.ModifyInstanceAttributeInput{
				InstanceId: aws.String(m.someID(t)),
				BlockDeviceMappings: []ec2types.InstanceBlockDeviceMappingSpecification{{
					DeviceName: aws.String(rootDevice), Ebs: &ec2types.EbsInstanceBlockDeviceSpecification{DeleteOnTermination: aws.Bool(false)},
				}},
			})
		},
		"resize": func(t *rapid.T) {
			_, _ = m.client.ModifyInstanceAttribute(t.Context(), &ec2.ModifyInstanceAttributeInput{
				InstanceId: aws.String(m.someID(t)), InstanceType: &ec2types.AttributeValue{Value: aws.String("t3.small")},
			})
		},
		"hand": func(t *rapid.T) {
			id := m.someID(t)
			_ = rapid.SampledFrom([]func(string) error{m.sim.Terminate, m.sim.Stop, m.sim.Start, m.sim.Shutdown}).Draw(t, "verb")(id)
		},
		"fault": func(t *rapid.T) {
			_, err := m.sim.Inject(ec2sim.Fault{
				Times: 1, Action: rapid.SampledFrom([]string{"RunInstances", "TerminateInstances", ""}).Draw(t, "action"),
				Drop: rapid.SampledFrom([]ec2sim.Drop{ec2sim.DropBefore, ec2sim.DropAfter}).Draw(t, "drop"),
			})
			if err != nil {
				t.Fatal(err)
			}
		},
		"wait": func(t *rapid.T) {
			m.clock.Step(time.Duration(rapid.IntRange(1, 120).Draw(t, "seconds")) * time.Second)
		},
	}
}

// atMostOne holds for every token and zone at any moment.
func (m *machine) atMostOne(t *rapid.T) {
	seen := map[string]string{}
	for _, i := range m.sim.Instances() {
		if i.State == "terminated" {
			continue
		}
		key := fmt.Sprintf("token %s in %s", i.ClientToken, i.Zone)
		if other, taken := seen[key]; taken {
			t.Fatalf("%s: both %s and %s exist", key, other, i.ID)
		}
		seen[key] = i.ID
	}
}

// shown is the part of an instance that describes and truth must agree on.
type shown struct {
	State, Token, Type, Zone string
	Tags                     map[string]string
}

// settle lets every lag pass and compares what is described with the truth. The
// wait is shorter than the time after which terminated instances start to fade.
func (m *machine) settle(t *rapid.T) {
	m.sim.ClearFaults()
	m.clock.Step(time.Minute)
	now := m.clock.Now()
	want := map[string]shown{}
	for _, i := range m.sim.Instances() {
		if i.State == "terminated" { // may have faded by any degree
			continue
		}
		want[i.ID] = shown{i.State, i.ClientToken, i.InstanceType, i.Zone, i.Tags}
	}
	got := map[string]shown{}
	pages := ec2.NewDescribeInstancesPaginator(m.client, &ec2.DescribeInstancesInput{MaxResults: aws.Int32(5)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range slices.Concat(instancesOf(page.Reservations)...) {
			if i.State.Name == ec2types.InstanceStateNameTerminated {
				continue
			}
			if _, twice := got[*i.InstanceId]; twice {
				t.Fatalf("%s is listed twice", *i.InstanceId)
			}
			got[*i.InstanceId] = shown{string(i.State.Name), *i.ClientToken, string(i.InstanceType), *i.Placement.AvailabilityZone, tagMap(i.Tags)}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("at %v describe differs from the truth (-truth +described):\n%s", now, diff)
	}
	m.volumesFollow(t, got)
}

// volumesFollow holds that each instance has its root volume, and that no other volume is in use.
func (m *machine) volumesFollow(t *rapid.T, instances map[string]shown) {
	out, err := m.client.DescribeVolumes(t.Context(), &ec2.DescribeVolumesInput{})
	if err != nil {
		t.Fatal(err)
	}
	attached := map[string]int{}
	for _, v := range out.Volumes {
		if (v.State == ec2types.VolumeStateInUse) != (len(v.Attachments) == 1) {
			t.Fatalf("volume %s is %s and attached to %d instances", *v.VolumeId, v.State, len(v.Attachments))
		}
		for _, a := range v.Attachments {
			attached[*a.InstanceId]++
		}
	}
	want := map[string]int{}
	for id := range instances {
		want[id] = 1
	}
	if diff := cmp.Diff(want, attached); diff != "" {
		t.Fatalf("volumes by instance (-want +got):\n%s", diff)
	}
}

func instancesOf(reservations []ec2types.Reservation) [][]ec2types.Instance {
	var out [][]ec2types.Instance
	for _, r := range reservations {
		out = append(out, r.Instances)
	}
	return out
}

func TestRandomCallsKeepTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine()
		actions := m.actions()
		actions[""] = m.atMostOne
		t.Repeat(actions)
		m.settle(t)
	})
}
