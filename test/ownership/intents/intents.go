// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package intents makes random intents for EC2Instances and EC2Accounts, all of them valid, for property tests of server-side apply. They come from so few
// values that managers meet in every field.
package intents

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"pgregory.net/rapid"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// Config is an EC2Instance's apply configuration.
type Config = *ec2v1ac.EC2InstanceApplyConfiguration

// Main makes intents for the object itself: metadata and spec.
func Main(name, namespace string) *rapid.Generator[Config] {
	return rapid.Custom(func(t *rapid.T) Config {
		config := ec2v1ac.EC2Instance(name, namespace)
		if labels := some(t, "labels", "app", "tier"); labels != nil {
			config.WithLabels(values(t, labels))
		}
		if annotations := some(t, "annotations", "example.com/note"); annotations != nil {
			config.WithAnnotations(values(t, annotations))
		}
		return config.WithFinalizers(some(t, "finalizers", "example.com/a", "example.com/b")...).WithSpec(spec(t))
	})
}

// spec has what the API requires, so that it is valid whatever the other managers give up.
func spec(t *rapid.T) *ec2v1ac.EC2InstanceSpecApplyConfiguration {
	image := ec2v1ac.Image().WithID("ami-0123456789abcdef0")
	if rapid.Bool().Draw(t, "ssm") {
		image = ec2v1ac.Image().WithSSMParameter("/golden/base")
	}
	spec := ec2v1ac.EC2InstanceSpec().
		WithImage(image).
		WithInstanceType(rapid.SampledFrom([]string{"t3.micro", "t3.small"}).Draw(t, "type")).
		WithSecurityGroupIDs(some(t, "groups", "sg-00000001", "sg-00000002", "sg-00000003")...)
	tags := some(t, "tags", "team", "stage", "cost")
	for _, key := range tags {
		spec.WithTags(ec2v1ac.Tag().WithKey(key).WithValue(value(t)))
	}
	maybe(t, "keyName", func() { spec.WithKeyName(rapid.SampledFrom([]string{"alice", "bob"}).Draw(t, "key")) })
	maybe(t, "suspend", func() { spec.WithSuspend(rapid.Bool().Draw(t, "suspended")) })
	maybe(t, "powerState", func() {
		spec.WithPowerState(rapid.SampledFrom([]ec2v1.PowerState{ec2v1.PowerStateRunning, ec2v1.PowerStateStopped}).Draw(t, "power"))
	})
	maybe(t, "metadataOptions", func() {
		spec.WithMetadataOptions(ec2v1ac.MetadataOptions().WithHTTPPutResponseHopLimit(rapid.Int32Range(1, 2).Draw(t, "hops")))
	})
	maybe(t, "userData", func() {
		spec.WithUserData(ec2v1ac.UserData().WithSecretKeyRef(ec2v1ac.KeyReference().WithName("boot").WithKey(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "script"))))
	})
	return spec
}

// Status makes intents for the status. None is empty: its owner would own an empty status, which an object read into its Go type does not
// show, so that it would be sent each time.
func Status(name, namespace string) *rapid.Generator[Config] {
	return rapid.Custom(func(t *rapid.T) Config {
		status := ec2v1ac.EC2InstanceStatus().
			WithObservedGeneration(rapid.Int64Range(1, 2).Draw(t, "generation")).
			WithAddresses(some(t, "addresses", "10.0.0.1", "10.0.0.2")...)
		for _, kind := range some(t, "conditions", "Ready", "Synced", "Compliant") {
			status.WithConditions(condition(t, kind))
		}
		for _, id := range some(t, "interfaces", "eni-1", "eni-2") {
			status.WithNetworkInterfaces(ec2v1ac.NetworkInterfaceStatus().WithID(id).WithDeviceIndex(rapid.Int32Range(0, 1).Draw(t, "index")))
		}
		maybe(t, "instanceID", func() { status.WithInstanceID(rapid.SampledFrom([]string{"i-1", "i-2"}).Draw(t, "id")) })
		maybe(t, "launch", func() {
			status.WithLaunch(ec2v1ac.LaunchStatus().WithAttempt(rapid.Int64Range(1, 2).Draw(t, "attempt")).WithAt(moment(t)))
		})
		return ec2v1ac.EC2Instance(name, namespace).WithStatus(status)
	})
}

func condition(t *rapid.T, kind string) *metav1ac.ConditionApplyConfiguration {
	status := rapid.SampledFrom([]metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse}).Draw(t, "status")
	return metav1ac.Condition().WithType(kind).WithStatus(status).WithReason("Tested").
		WithMessage(value(t)).WithObservedGeneration(1).WithLastTransitionTime(moment(t))
}

func moment(t *rapid.T) metav1.Time {
	return metav1.NewTime(time.Date(2026, time.January, 2, 3, 4, rapid.IntRange(0, 1).Draw(t, "second"), 0, time.UTC))
}

// some are some of the values, in any order; often none.
func some(t *rapid.T, label string, all ...string) []string {
	count := rapid.IntRange(0, len(all)).Draw(t, label+" count")
	chosen := rapid.Permutation(all).Draw(t, label)[:count]
	if len(chosen) == 0 {
		return nil
	}
	return slices.Clone(chosen)
}

func values(t *rapid.T, keys []string) map[string]string {
	out := map[string]string{}
	for _, key := range keys {
		out[key] = value(t)
	}
	return out
}

// value may be empty, which is not the same as absent.
func value(t *rapid.T) string { return rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "value") }

func maybe(t *rapid.T, label string, do func()) {
	if rapid.Bool().Draw(t, "has "+label) {
		do()
	}
}
