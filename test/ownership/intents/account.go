// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package intents

import (
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"pgregory.net/rapid"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// AccountConfig is an EC2Account's apply configuration.
type AccountConfig = *ec2v1ac.EC2AccountApplyConfiguration

// Account makes intents for the EC2Account itself: metadata and spec.
func Account(name string) *rapid.Generator[AccountConfig] {
	return rapid.Custom(func(t *rapid.T) AccountConfig {
		config := ec2v1ac.EC2Account(name)
		if labels := some(t, "labels", "app", "tier"); labels != nil {
			config.WithLabels(values(t, labels))
		}
		return config.WithFinalizers(some(t, "finalizers", "example.com/a", "example.com/b")...).WithSpec(accountSpec(t))
	})
}

// accountSpec has what the API requires, as spec has.
func accountSpec(t *rapid.T) *ec2v1ac.EC2AccountSpecApplyConfiguration {
	spec := ec2v1ac.EC2AccountSpec().WithRegion("eu-central-1")
	maybe(t, "interval", func() { spec.WithPollIntervalSeconds(rapid.SampledFrom([]int32{60, 90}).Draw(t, "seconds")) })
	maybe(t, "credentials", func() { spec.WithCredentials(credentials(t)) })
	maybe(t, "endpoints", func() {
		endpoints := ec2v1ac.Endpoints().WithEC2(endpoint(t))
		maybe(t, "sts", func() { endpoints.WithSTS(endpoint(t)) })
		spec.WithEndpoints(endpoints)
	})
	maybe(t, "namespaces", func() {
		spec.WithAllowedNamespaces(metav1ac.LabelSelector().WithMatchLabels(values(t, some(t, "namespace labels", "env", "team"))))
	})
	return spec
}

func credentials(t *rapid.T) *ec2v1ac.CredentialsApplyConfiguration {
	if rapid.Bool().Draw(t, "default") {
		return ec2v1ac.Credentials().WithDefault(ec2v1.DefaultCredentials{})
	}
	role := ec2v1ac.AssumeRoleCredentials().WithRoleARN("arn:aws:iam::123456789012:role/ec2")
	for _, key := range some(t, "session tags", "team", "cost") {
		role.WithSessionTags(ec2v1ac.SessionTag().WithKey(key).WithValue(value(t)))
	}
	return ec2v1ac.Credentials().WithAssumeRole(role)
}

func endpoint(t *rapid.T) string {
	return rapid.SampledFrom([]string{"http://127.0.0.1:1", "http://127.0.0.1:2"}).Draw(t, "endpoint")
}

// AccountStatus makes intents for the EC2Account's status. None is empty.
func AccountStatus(name string) *rapid.Generator[AccountConfig] {
	return rapid.Custom(func(t *rapid.T) AccountConfig {
		status := ec2v1ac.EC2AccountStatus().WithObservedGeneration(rapid.Int64Range(1, 2).Draw(t, "generation"))
		for _, kind := range some(t, "conditions", "Ready", "Throttled") {
			status.WithConditions(condition(t, kind))
		}
		for _, state := range some(t, "states", "running", "stopped", "pending") {
			status.WithInstances(ec2v1ac.InstanceCount().WithState(state).WithCount(rapid.Int32Range(0, 1).Draw(t, "count")))
		}
		maybe(t, "accountID", func() {
			status.WithAccountID(rapid.SampledFrom([]string{"111111111111", "222222222222"}).Draw(t, "id"))
		})
		return ec2v1ac.EC2Account(name).WithStatus(status)
	})
}
