// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// benchSpec is a user's: an instance with 20 tags.
func benchSpec() specConfig {
	out := ec2v1ac.EC2InstanceSpec().WithImage(image()).WithInstanceType("t3.micro").WithSubnetID("subnet-0123456789abcdef0").
		WithSecurityGroupIDs("sg-00000001", "sg-00000002", "sg-00000003").WithKeyName("k").
		WithMetadataOptions(ec2v1ac.MetadataOptions().WithHTTPTokens("required").WithHTTPPutResponseHopLimit(1))
	for i := range 20 {
		out.WithTags(tag(fmt.Sprintf("tag-%02d", i), "value"))
	}
	return out
}

// benchStatus is that of a running instance.
func benchStatus() instanceConfig {
	at := metav1.NewTime(someTime)
	out := ec2v1ac.EC2InstanceStatus().WithObservedGeneration(3).WithInstanceID("i-0123456789abcdef0").
		WithARN("arn:aws:ec2:eu-central-1:123456789012:instance/i-0123456789abcdef0").WithState("running").WithImageID("ami-0123456789abcdef0").
		WithInstanceType("t3.micro").WithSubnetID("subnet-0123456789abcdef0").WithVPCID("vpc-0123456789abcdef0").WithAvailabilityZone("eu-central-1a").
		WithPrivateIPAddress("10.0.0.7").WithPublicIPAddress("192.0.2.7").WithPrivateDNSName("ip-10-0-0-7.internal").
		WithSecurityGroupIDs("sg-00000001", "sg-00000002", "sg-00000003").WithAddresses("10.0.0.7", "192.0.2.7").WithLaunchTime(at).
		WithNetworkInterfaces(ec2v1ac.NetworkInterfaceStatus().WithID("eni-0123456789abcdef0").WithDeviceIndex(0)).
		WithLaunch(ec2v1ac.LaunchStatus().WithAttempt(1).WithClientToken("0123456789abcdef").WithAt(at))
	for i := range 20 {
		out.WithManagedTagKeys(fmt.Sprintf("tag-%02d", i))
	}
	for _, kind := range []string{"Ready", "Launched", "Synced", "Reachable"} {
		out.WithConditions(metav1ac.Condition().WithType(kind).WithStatus(metav1.ConditionTrue).WithReason("Running").WithMessage("The instance is running").
			WithObservedGeneration(3).WithLastTransitionTime(at))
	}
	return web().WithStatus(out)
}

// benchLifecycle is the operator's own part of the object.
func benchLifecycle() instanceConfig {
	return web().WithUID(serverUID).WithFinalizers("ec2.fieldowner.dev/instance").
		WithAnnotations(map[string]string{"ec2.fieldowner.dev/launch": `{"attempt":1,"token":"0123456789abcdef"}`})
}

// benchWorld has a typical EC2Instance with four managers.
func benchWorld(b *testing.B) *world {
	b.Helper()
	w := newWorld(b)
	w.mustApply(main(user, web().WithLabels(map[string]string{"app": "web"}).WithSpec(benchSpec())))
	w.mustApply(main(us, benchLifecycle()))
	w.mustApply(status(us, benchStatus()))
	w.mustApply(main("policy", web().WithSpec(ec2v1ac.EC2InstanceSpec().WithTags(tag("cost-center", "42")))))
	return w
}

// BenchmarkPredict is what a pass that changes nothing pays for its decision, which is all that it pays.
func BenchmarkPredict(b *testing.B) {
	w := benchWorld(b)
	for _, test := range []struct {
		says string
		in   Intent
	}{
		{"lifecycle", main(us, benchLifecycle())},
		{"status", forced(status(us, benchStatus()))},
		{"spec", main(user, web().WithLabels(map[string]string{"app": "web"}).WithSpec(benchSpec()))},
	} {
		b.Run(test.says, func(b *testing.B) {
			live := w.live()
			b.ReportAllocs()
			for b.Loop() {
				if p, err := w.predictor.Predict(live, test.in); err != nil || !p.NoOp {
					b.Fatalf("no no-op: %v (%v)", p.Unsafe, err)
				}
			}
		})
	}
}

// BenchmarkPredictConflict: an intent that would be refused, and the same by force.
func BenchmarkPredictConflict(b *testing.B) {
	w := benchWorld(b)
	in := main("policy", web().WithSpec(ec2v1ac.EC2InstanceSpec().WithTags(tag("tag-00", "theirs")).WithInstanceType("m5.large")))
	for says, in := range map[string]Intent{"refused": in, "taken": forced(in)} {
		b.Run(says, func(b *testing.B) {
			live := w.live()
			b.ReportAllocs()
			for b.Loop() {
				if p, err := w.predictor.Predict(live, in); err != nil || len(p.Conflicts) != 2 {
					b.Fatalf("the conflicts are %v (%v)", p.Conflicts, err)
				}
			}
		})
	}
}

// BenchmarkSkipped is a whole pass through the door that sends nothing, to be held against BenchmarkSent.
func BenchmarkSkipped(b *testing.B) {
	w := benchWorld(b)
	live := w.live()
	b.ReportAllocs()
	for b.Loop() {
		in := forced(status(us, benchStatus().WithResourceVersion(live.ResourceVersion)))
		if got, err := w.applier.Apply(b.Context(), live, in); err != nil || got.Outcome != Skipped {
			b.Fatalf("the outcome is %s (%v)", got.Outcome, err)
		}
	}
}

// BenchmarkSent is the same with a status that changes each time. The server is in memory: a request to a real one
// takes the network, the API server's own merge, validation and etcd on top.
func BenchmarkSent(b *testing.B) {
	w := benchWorld(b)
	b.ReportAllocs()
	for i := int64(10); b.Loop(); i++ {
		b.StopTimer()
		live := w.live()
		b.StartTimer()
		config := benchStatus().WithResourceVersion(live.ResourceVersion)
		config.Status.WithObservedGeneration(i)
		if got, err := w.applier.Apply(b.Context(), live, forced(status(us, config))); err != nil || got.Outcome != Changed {
			b.Fatalf("the outcome is %s (%v)", got.Outcome, err)
		}
	}
}
