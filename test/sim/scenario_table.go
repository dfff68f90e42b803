// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// scenarios are all that the operator has to do.
//
// What writes may be: three to Running and one when EC2's status checks have results; two for a deletion; two for a change of a field, and
// one more where the instance starts anew, so that its checks do, too, and one where EC2's answer to a call tells less than what it shows
// next (a stop takes the public address away); one for each type and subnet that EC2 has no capacity for; one where a Spot request is
// cancelled before; one where nothing is to be done. Two operators whose views differ by moments each tell what they see, and write up to
// twice as often.
var scenarios = []scenario{
	{name: "create", measured: asked(), writes: 4, launched: 1, moments: true},
	{name: "create with children", measured: asked(exposed, connected), writes: 4, launched: 1, moments: true},
	{name: "create, two operators", operators: 2, measured: asked(), writes: 8, launched: 1},
	{name: "create, user data from a Secret", before: []deed{secret}, measured: asked(withUserData), writes: 4, launched: 1},
	{
		name: "launch falls back to another subnet", before: []deed{starved(microA)}, measured: asked(fallingBack),
		writes: 4 + 1, launched: 1,
	},
	{
		name: "launch falls back to another type", before: []deed{starved(microA, microB)}, measured: asked(fallingBack),
		writes: 4 + 2, launched: 1,
	},
	{
		name: "launch falls back, two operators", operators: 2, before: []deed{starved(microA)}, measured: asked(fallingBack),
		writes: 2 * (4 + 2), launched: 1,
	},
	{
		name: "capacity nowhere, then somewhere", before: []deed{starved("*/*"), asked(fallingBack)}, measured: starved(microA, "t3.small/*"),
		writes: 4 + 1, launched: 1,
	},
	{name: "the Secret comes late", before: []deed{asked(withUserData)}, measured: secret, writes: 4, launched: 1},
	{name: "change a tag", before: []deed{asked(tagged("red"))}, measured: asked(tagged("blue")), writes: 2, launched: 1},
	{name: "remove a tag", before: []deed{asked(tagged("red"))}, measured: asked(), writes: 2, launched: 1},
	{name: "add children", before: []deed{asked()}, measured: asked(exposed, connected), writes: 2, launched: 1},
	{name: "remove children", before: []deed{asked(exposed, connected)}, measured: asked(), writes: 2, launched: 1},
	{name: "stop", before: []deed{asked()}, measured: asked(stopped), writes: 3, launched: 1, moments: true},
	{name: "start", before: []deed{asked(), asked(stopped)}, measured: asked(), writes: 4, launched: 1},
	{name: "terminated outside, recreated", before: []deed{asked()}, measured: terminated, writes: 5, launched: 2, moments: true},
	{name: "terminated outside, not recreated", before: []deed{asked(neverRecreated)}, measured: terminated, writes: 2, launched: 1},
	{name: "suspend with a change", before: []deed{asked(tagged("red"))}, measured: asked(tagged("blue"), suspended), writes: 1, launched: 1},
	{
		name: "resume", before: []deed{asked(tagged("red")), asked(tagged("blue"), suspended)}, measured: asked(tagged("blue")),
		writes: 2, launched: 1,
	},
	{name: "a second manager's tag", before: []deed{asked(tagged("red"))}, measured: alsoTagged, writes: 2, launched: 1},
	{
		name: "a second manager's tag, two operators", operators: 2, before: []deed{asked(tagged("red"))}, measured: alsoTagged,
		writes: 2, launched: 1,
	},
	{name: "a second manager gives its tag up", before: []deed{asked(tagged("red")), alsoTagged}, measured: givenUp, writes: 2, launched: 1},
	{name: "change the groups", before: []deed{asked()}, measured: asked(grouped), writes: 2, launched: 1},
	{name: "change the profile", before: []deed{asked(profiled(ec2sim.InstanceProfileName))}, measured: asked(profiled(ec2sim.OtherInstanceProfileName)), writes: 2, launched: 1},
	{name: "change the metadata options", before: []deed{asked()}, measured: asked(withHops), writes: 2, launched: 1},
	{name: "change the protections", before: []deed{asked()}, measured: asked(protected), writes: 3, launched: 1},
	{name: "change monitoring and shutdown behavior", before: []deed{asked()}, measured: asked(watched), writes: 3, launched: 1},
	{name: "create, set in part after the launch", measured: asked(routing), writes: 5, launched: 1},
	{
		name: "change a volume", before: []deed{asked(devices(dataVolume(5)))}, measured: asked(devices(dataVolume(6))),
		writes: 3, launched: 1,
	},
	{name: "reboot", before: []deed{asked()}, measured: asked(rebooted), writes: 2, launched: 1},
	{name: "change the type, not allowed", before: []deed{asked()}, measured: asked(typed("t3.small")), writes: 1, launched: 1},
	{
		name: "change the type", before: []deed{asked()}, measured: asked(typed("t3.small"), updates(ec2v1.UpdateStopStart)),
		writes: stopStartWrites, launched: 1, moments: true,
	},
	{
		name: "change the type, two operators", operators: 2, before: []deed{asked()},
		measured: asked(typed("t3.small"), updates(ec2v1.UpdateStopStart)), writes: 2 * stopStartWrites, launched: 1,
	},
	{
		name: "change the type, refused", before: []deed{asked()}, measured: asked(typed("t4g.small"), updates(ec2v1.UpdateStopStart)),
		writes: stopStartWrites + 1, launched: 1,
	},
	{
		name: "change the type of a stopped one", before: []deed{asked(stopped)},
		measured: asked(stopped, typed("t3.small"), updates(ec2v1.UpdateStopStart)), writes: 2, launched: 1,
	},
	{
		name: "change user data", before: []deed{secret, asked(withUserData)}, measured: asked(withInlineData, updates(ec2v1.UpdateStopStart)),
		writes: stopStartWrites, launched: 1,
	},
	{
		// Nothing but a reading tells of it, within an hour and an eighth; the launch was for the same generation of spec.
		name: "a Secret's bytes change", before: []deed{secret, asked(withUserData, updates(ec2v1.UpdateStopStart))}, measured: otherSecret,
		quiet: 70 * time.Minute, writes: stopStartWrites, launched: 1,
	},
	{
		name: "change type, user data, groups and a tag", before: []deed{asked(tagged("red"))},
		measured: asked(tagged("blue"), grouped, typed("t3.small"), withInlineData, updates(ec2v1.UpdateStopStart)),
		writes:   stopStartWrites + 3, launched: 1,
	},
	{
		name: "replace", before: []deed{asked()}, measured: asked(imaged, updates(ec2v1.UpdateReplace)),
		writes: replaceWrites, launched: 2, terminated: 1, moments: true,
	},
	{
		name: "replace, two operators", operators: 2, before: []deed{asked()}, measured: asked(imaged, updates(ec2v1.UpdateReplace)),
		writes: 2 * replaceWrites, launched: 2, terminated: 1,
	},
	{
		name: "replace, never recreated", before: []deed{asked(neverRecreated)},
		measured: asked(neverRecreated, imaged, updates(ec2v1.UpdateReplace)), writes: replaceWrites, launched: 2, terminated: 1,
	},
	{name: "adopt", before: []deed{launchedInConsole}, measured: adopts(), writes: 5},
	{name: "adopt, two operators", operators: 2, before: []deed{launchedInConsole}, measured: adopts(), writes: 10},
	{
		name: "adopt what was retained", before: []deed{asked(afterwards(ec2v1.DeletionRetain)), deleted}, measured: adopts(),
		writes: 5, launched: 1,
	},
	{name: "adopt what another has", before: []deed{launchedInConsole, adoptsAs("first")}, measured: adopts(), writes: 2},
	{name: "adopted, and deleted", before: []deed{launchedInConsole, adopts()}, measured: deleted, writes: 2, terminated: 1},
	{name: "adopted, not taken over, and deleted", before: []deed{launchedInConsole, adopts(suspended)}, measured: deleted, writes: 1},
	{
		name: "adopted, and replaced", before: []deed{launchedInConsole, adopts()}, measured: adopts(imaged, updates(ec2v1.UpdateReplace)),
		writes: replaceWrites, launched: 1, terminated: 1,
	},
	{
		name: "adopted, and replaced, two operators", operators: 2, before: []deed{launchedInConsole, adopts()},
		measured: adopts(imaged, updates(ec2v1.UpdateReplace)), writes: 2 * replaceWrites, launched: 1, terminated: 1,
	},
	{name: "adopted, and terminated outside", before: []deed{launchedInConsole, adopts()}, measured: terminated, writes: 5, launched: 1},
	{
		name: "adopted, its successor is terminated outside", before: []deed{launchedInConsole, adopts(), terminated}, measured: terminated,
		writes: 5, launched: 2,
	},
	{name: "observe", before: []deed{launchedInConsole}, measured: adopts(observed), writes: 2},
	{name: "observe, and then manage", before: []deed{launchedInConsole, adopts(observed)}, measured: adopts(), writes: 4},
	{name: "observed, and deleted", before: []deed{launchedInConsole, adopts(observed)}, measured: deleted, writes: 1},
	{name: "delete", before: []deed{asked(exposed, connected)}, measured: deleted, writes: 2, launched: 1, terminated: 1},
	{name: "delete, two operators", operators: 2, before: []deed{asked()}, measured: deleted, writes: 2, launched: 1, terminated: 1},
	{name: "delete, stopped", before: []deed{asked(afterwards(ec2v1.DeletionStop))}, measured: deleted, writes: 2, launched: 1},
	{name: "delete, retained", before: []deed{asked(afterwards(ec2v1.DeletionRetain))}, measured: deleted, writes: 2, launched: 1},
	{name: "delete, protected", before: []deed{asked(protected)}, measured: deleted, writes: 2, launched: 1},
	{
		name: "delete, protection lifted", before: []deed{asked(protected, lifting)}, measured: deleted,
		writes: 4, launched: 1, terminated: 1,
	},
	{
		name: "delete, stopped, protection lifted", before: []deed{asked(protected, lifting, afterwards(ec2v1.DeletionStop))}, measured: deleted,
		writes: 4, launched: 1,
	},
	{name: "delete a persistent Spot Instance", before: []deed{asked(persistentSpot)}, measured: deleted, writes: 3, launched: 1, terminated: 1},
	{
		name: "replace a persistent Spot Instance", before: []deed{asked(persistentSpot)},
		measured: asked(persistentSpot, imaged, updates(ec2v1.UpdateReplace)), writes: replaceWrites, launched: 2, terminated: 1,
	},
	{name: "a persistent Spot Instance is terminated outside", before: []deed{asked(persistentSpot)}, measured: terminated, writes: 6, launched: 2},
	{
		name: "retained, and then deleted after all", before: []deed{asked(afterwards(ec2v1.DeletionRetain))},
		measured: atOnce(asked(), deleted), writes: 2, launched: 1, terminated: 1,
	},
	{
		name: "retained, and created anew", before: []deed{asked(afterwards(ec2v1.DeletionRetain)), deleted}, measured: asked(),
		writes: 4, launched: 2,
	},
}

// What a change may cost that disrupts: it is told once when it starts, and costs what a stop and a start do, and one more where EC2
// refuses it; a new instance costs what a first one does, and its end two.
const (
	stopStartWrites = 8
	replaceWrites   = 8
)

// What EC2 may lack, as ec2sim.Settings.Capacity names it.
const (
	microA = "t3.micro/eu-central-1a"
	microB = "t3.micro/eu-central-1b"
)

// starved has EC2 no capacity for what is named, and for all else.
func starved(names ...string) deed {
	return func(w *world) error {
		return w.ec2.UpdateSettings(func(s *ec2sim.Settings) {
			s.Capacity = map[string]int{}
			for _, name := range names {
				s.Capacity[name] = 0
			}
		})
	}
}

// fallingBack is an instance that may also be of another type, and in another zone.
func fallingBack(s *specOf) {
	s.WithInstanceTypeFallbacks("t3.small").WithSubnetFallbacks(ec2sim.SubnetB)
}

// specOf is the user's part of spec.
type specOf = ec2v1ac.EC2InstanceSpecApplyConfiguration

// asked: the user applies all that is wanted.
func asked(changes ...func(*specOf)) deed {
	return func(w *world) error { return w.applyAsUser(subject, specWith(changes...)) }
}

// specWith is a small instance, changed.
func specWith(changes ...func(*specOf)) *specOf {
	spec := ec2v1ac.EC2InstanceSpec().
		WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023)).WithInstanceType("t3.micro").
		WithSubnetID(ec2sim.SubnetA).WithSecurityGroupIDs(ec2sim.SecurityGroupDefault)
	for _, change := range changes {
		change(spec)
	}
	return spec
}

func tagged(value string) func(*specOf) {
	return func(s *specOf) { s.WithTags(ec2v1ac.Tag().WithKey("team").WithValue(value)) }
}

func exposed(s *specOf) {
	s.WithExpose(ec2v1ac.Expose().WithServiceName("svc").WithPorts(ec2v1ac.ExposePort().WithName("http").WithPort(80)))
}

func connected(s *specOf) { s.WithConnection(ec2v1ac.Connection().WithConfigMapName("map")) }

func stopped(s *specOf) { s.WithPowerState(ec2v1.PowerStateStopped) }

func suspended(s *specOf) { s.WithSuspend(true) }

func neverRecreated(s *specOf) { s.WithRecreatePolicy(ec2v1.RecreateNever) }

func withUserData(s *specOf) {
	s.WithUserData(ec2v1ac.UserData().WithSecretKeyRef(ec2v1ac.KeyReference().WithName("boot").WithKey("script")))
}

func withInlineData(s *specOf) { s.WithUserData(ec2v1ac.UserData().WithInline("#!/bin/sh\nfalse\n")) }

func grouped(s *specOf) {
	s.SecurityGroupIDs = nil
	s.WithSecurityGroupIDs(ec2sim.SecurityGroupWeb)
}

func profiled(name string) func(*specOf) {
	return func(s *specOf) { s.WithIAMInstanceProfile(ec2v1ac.IAMInstanceProfile().WithName(name)) }
}

func withHops(s *specOf) {
	s.WithMetadataOptions(ec2v1ac.MetadataOptions().WithHTTPPutResponseHopLimit(1))
}

func typed(name string) func(*specOf) { return func(s *specOf) { s.WithInstanceType(name) } }

func imaged(s *specOf) { s.WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023Next)) }

func protected(s *specOf) { s.WithDisableAPITermination(true).WithDisableAPIStop(true) }

func lifting(s *specOf) { s.WithProtectionPolicy(ec2v1.ProtectionLift) }

func persistentSpot(s *specOf) {
	s.WithMarketOptions(ec2v1ac.MarketOptions().WithMarketType("spot").
		WithSpotOptions(ec2v1ac.SpotOptions().WithRequestType("persistent").WithInterruptionBehavior("stop")))
}

func watched(s *specOf) { s.WithMonitoring(true).WithShutdownBehavior("terminate") }

func routing(s *specOf) { s.WithSourceDestCheck(false) }

func rebooted(s *specOf) { s.WithRebootRequestedAt(metav1.Now()) }

// updates says how far the operator may go for a change.
func updates(most ec2v1.UpdateAllowance) func(*specOf) {
	return func(s *specOf) { s.WithUpdatePolicy(ec2v1ac.UpdatePolicy().WithAllow(most)) }
}

func afterwards(policy ec2v1.DeletionPolicy) func(*specOf) {
	return func(s *specOf) { s.WithDeletionPolicy(policy) }
}

func deleted(w *world) error { return w.deleteAsUser(subject) }

func terminated(w *world) error { return w.terminateInConsole(subject) }

func alsoTagged(w *world) error {
	return w.applyAs(subject, secondManager, ec2v1ac.EC2InstanceSpec().WithTags(ec2v1ac.Tag().WithKey("cost-center").WithValue("4711")))
}

func givenUp(w *world) error { return w.applyAs(subject, secondManager, nil) }

func secret(w *world) error {
	if err := w.user.Create(context.Background(), bootSecret("#!/bin/sh\ntrue\n")); err != nil {
		return fmt.Errorf("making the Secret: %w", err)
	}
	return nil
}

func otherSecret(w *world) error {
	if err := w.user.Update(context.Background(), bootSecret("#!/bin/sh\nfalse\n")); err != nil {
		return fmt.Errorf("changing the Secret: %w", err)
	}
	return nil
}

func bootSecret(script string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "boot"}, Data: map[string][]byte{"script": []byte(script)},
	}
}
