// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/sdktest"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Delays of the rig, different from each other so that a mix-up shows.
const (
	pendingDelay  = 10 * time.Second
	stoppingDelay = 20 * time.Second
	shuttingDelay = 30 * time.Second
	tagFade       = 5 * time.Minute
)

// rig is a simulator on a fake clock with an unmodified SDK client.
type rig struct {
	*testing.T
	sim   *ec2sim.Sim
	clock *clocktesting.FakeClock
	url   string
	ec2   *ec2.Client
}

// calm is a world without lags and limits, in which a test turns on what it is about.
func calm() ec2sim.Settings {
	return ec2sim.Settings{
		PendingDelay: pendingDelay, StoppingDelay: stoppingDelay, ShuttingDownDelay: shuttingDelay,
		TerminatedVisibility: time.Hour, TerminatedTagVisibility: tagFade, TokenRetention: 24 * time.Hour, Shuffle: true,
	}
}

func newRig(t *testing.T, adjust ...func(*ec2sim.Settings)) *rig {
	t.Helper()
	settings := calm()
	for _, f := range adjust {
		f(&settings)
	}
	clock := clocktesting.NewFakeClock(epoch)
	sim := ec2sim.New(ec2sim.Options{Clock: clock, Settings: &settings, Seed: 7})
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	r := &rig{T: t, sim: sim, clock: clock, url: server.URL}
	r.ec2 = r.client("AKIDEXAMPLE", "us-east-1")
	return r
}

func (r *rig) config(key, region string) aws.Config {
	return sdktest.Config(r.url, key, region)
}

func (r *rig) client(key, region string) *ec2.Client { return ec2.NewFromConfig(r.config(key, region)) }
func (r *rig) sts(key string) *sts.Client            { return sts.NewFromConfig(r.config(key, "us-east-1")) }
func (r *rig) ssm(region string) *ssm.Client {
	return ssm.NewFromConfig(r.config("AKIDEXAMPLE", region))
}

// launchInput is a launch that succeeds, into SubnetA.
func launchInput(adjust ...func(*ec2.RunInstancesInput)) *ec2.RunInstancesInput {
	in := &ec2.RunInstancesInput{
		ImageId: aws.String(ec2sim.ImageAL2023), InstanceType: ec2types.InstanceTypeT3Micro,
		MinCount: aws.Int32(1), MaxCount: aws.Int32(1), SubnetId: aws.String(ec2sim.SubnetA),
	}
	for _, f := range adjust {
		f(in)
	}
	return in
}

func withToken(token string) func(*ec2.RunInstancesInput) {
	return func(in *ec2.RunInstancesInput) { in.ClientToken = &token }
}

func inSubnet(id string) func(*ec2.RunInstancesInput) {
	return func(in *ec2.RunInstancesInput) { in.SubnetId = &id }
}

func ofType(typ string) func(*ec2.RunInstancesInput) {
	return func(in *ec2.RunInstancesInput) { in.InstanceType = ec2types.InstanceType(typ) }
}

func counted(least, most int32) func(*ec2.RunInstancesInput) {
	return func(in *ec2.RunInstancesInput) { in.MinCount, in.MaxCount = &least, &most }
}

func tagged(kind ec2types.ResourceType, pairs ...string) func(*ec2.RunInstancesInput) {
	return func(in *ec2.RunInstancesInput) {
		in.TagSpecifications = append(in.TagSpecifications, ec2types.TagSpecification{ResourceType: kind, Tags: tags(pairs...)})
	}
}

func tags(pairs ...string) []ec2types.Tag {
	var out []ec2types.Tag
	for pair := range slices.Chunk(pairs, 2) {
		out = append(out, ec2types.Tag{Key: &pair[0], Value: &pair[1]})
	}
	return out
}

func (r *rig) run(adjust ...func(*ec2.RunInstancesInput)) (*ec2.RunInstancesOutput, error) {
	r.Helper()
	return r.ec2.RunInstances(r.Context(), launchInput(adjust...))
}

// mustRun launches and returns the id of the first instance.
func (r *rig) mustRun(adjust ...func(*ec2.RunInstancesInput)) string {
	r.Helper()
	out, err := r.run(adjust...)
	if err != nil {
		r.Fatalf("RunInstances: %v", err)
	}
	return *out.Instances[0].InstanceId
}

// describe returns the instances of a DescribeInstances call.
func (r *rig) describe(in *ec2.DescribeInstancesInput) ([]ec2types.Instance, error) {
	out, err := r.ec2.DescribeInstances(r.Context(), in)
	if err != nil {
		return nil, err
	}
	var instances []ec2types.Instance
	for _, reservation := range out.Reservations {
		instances = append(instances, reservation.Instances...)
	}
	return instances, nil
}

func (r *rig) list(filters ...ec2types.Filter) []ec2types.Instance {
	r.Helper()
	instances, err := r.describe(&ec2.DescribeInstancesInput{Filters: filters})
	if err != nil {
		r.Fatalf("DescribeInstances: %v", err)
	}
	return instances
}

func (r *rig) get(id string) ec2types.Instance {
	r.Helper()
	instances, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: []string{id}})
	if err != nil || len(instances) != 1 {
		r.Fatalf("DescribeInstances %s: %d instances, %v", id, len(instances), err)
	}
	return instances[0]
}

func (r *rig) state(id string) ec2types.InstanceStateName {
	r.Helper()
	return r.get(id).State.Name
}

func (r *rig) terminate(ids ...string) error {
	_, err := r.ec2.TerminateInstances(r.Context(), &ec2.TerminateInstancesInput{InstanceIds: ids})
	return err
}

func (r *rig) stop(ids ...string) error {
	_, err := r.ec2.StopInstances(r.Context(), &ec2.StopInstancesInput{InstanceIds: ids})
	return err
}

func (r *rig) start(ids ...string) error {
	_, err := r.ec2.StartInstances(r.Context(), &ec2.StartInstancesInput{InstanceIds: ids})
	return err
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) set(change func(*ec2sim.Settings)) {
	r.Helper()
	r.must(r.sim.UpdateSettings(change))
}

func (r *rig) inject(f ec2sim.Fault) string {
	r.Helper()
	id, err := r.sim.Inject(f)
	r.must(err)
	return id
}

func filter(name string, values ...string) ec2types.Filter {
	return ec2types.Filter{Name: &name, Values: values}
}

func ids(instances []ec2types.Instance) []string {
	out := []string{}
	for _, i := range instances {
		out = append(out, *i.InstanceId)
	}
	return out
}

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return out
}

func tagMap(list []ec2types.Tag) map[string]string {
	out := map[string]string{}
	for _, t := range list {
		out[*t.Key] = *t.Value
	}
	return out
}

// wantError checks code, HTTP status and a part of the message.
func wantError(t testing.TB, err error, code string, status int, message string) {
	t.Helper()
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		t.Fatalf("got error %v, want API error %s", err, code)
	}
	if api.ErrorCode() != code || !strings.Contains(api.ErrorMessage(), message) {
		t.Fatalf("got %s: %s, want %s: ...%s...", api.ErrorCode(), api.ErrorMessage(), code, message)
	}
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); !ok || response.HTTPStatusCode() != status {
		t.Fatalf("%s: got HTTP status %v, want %d", code, err, status)
	}
}

const (
	badRequest = http.StatusBadRequest
	serverErr  = http.StatusInternalServerError
)
