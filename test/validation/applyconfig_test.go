// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/applyconfig"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// The managers of these tests: two that write the object and two that write its status.
const (
	team       = "team"
	platform   = "platform"
	operator   = "operator"
	compliance = "compliance"
	bystander  = "bystander"
)

// The intents are functions because an apply overwrites the configuration it is given with the answer.

func teamsInstance() *ec2v1ac.EC2InstanceApplyConfiguration {
	return ec2v1ac.EC2Instance("shared", "default").
		WithLabels(map[string]string{"app": "shop"}).
		WithSpec(ec2v1ac.EC2InstanceSpec().
			WithImage(ec2v1ac.Image().WithID("ami-0123456789abcdef0")).
			WithInstanceType("t3.micro").
			WithSecurityGroupIDs("sg-01234567", "sg-89abcdef").
			WithUserData(ec2v1ac.UserData().WithSecretKeyRef(ec2v1ac.KeyReference().WithName("boot").WithKey("script"))).
			WithTags(ec2v1ac.Tag().WithKey("team").WithValue("shop"), ec2v1ac.Tag().WithKey("empty").WithValue("")).
			WithPowerState(ec2v1.PowerStateRunning).
			// Not false: the Go type leaves that out, so it is lost when the object is read into it.
			WithSuspend(true))
}

func platformsInstance() *ec2v1ac.EC2InstanceApplyConfiguration {
	return ec2v1ac.EC2Instance("shared", "default").
		WithFinalizers("example.com/platform").
		WithSpec(ec2v1ac.EC2InstanceSpec().
			WithSecurityGroupIDs("sg-89abcdef", "sg-0000ffff").
			WithTags(ec2v1ac.Tag().WithKey("cost-center").WithValue("4711")).
			WithMetadataOptions(ec2v1ac.MetadataOptions().WithHTTPPutResponseHopLimit(1)))
}

func operatorsInstanceStatus() *ec2v1ac.EC2InstanceApplyConfiguration {
	return ec2v1ac.EC2Instance("shared", "default").
		WithStatus(ec2v1ac.EC2InstanceStatus().
			WithConditions(condition("Ready", metav1.ConditionTrue), condition("Launched", metav1.ConditionTrue)).
			WithObservedGeneration(1).
			WithInstanceID("i-0123456789abcdef0").
			WithAddresses("10.0.0.4", "203.0.113.4").
			WithLaunch(ec2v1ac.LaunchStatus().WithAttempt(1).WithAt(someTime())).
			WithNetworkInterfaces(ec2v1ac.NetworkInterfaceStatus().WithID("eni-1").WithDeviceIndex(0).WithSecurityGroupIDs("sg-01234567")).
			WithPlan(ec2v1ac.PlannedChange().WithField("instanceType").WithAction(ec2v1.PlanActionStopStart)))
}

func compliancesInstanceStatus() *ec2v1ac.EC2InstanceApplyConfiguration {
	return ec2v1ac.EC2Instance("shared", "default").
		WithStatus(ec2v1ac.EC2InstanceStatus().WithConditions(condition("Compliant", metav1.ConditionFalse)))
}

func teamsAccount() *ec2v1ac.EC2AccountApplyConfiguration {
	return ec2v1ac.EC2Account("shared").
		WithSpec(ec2v1ac.EC2AccountSpec().
			WithRegion("eu-central-1").
			WithCredentials(ec2v1ac.Credentials().WithAssumeRole(ec2v1ac.AssumeRoleCredentials().
				WithRoleARN("arn:aws:iam::123456789012:role/ec2").
				WithSessionTags(ec2v1ac.SessionTag().WithKey("team").WithValue("")))).
			WithAllowedNamespaces(metav1ac.LabelSelector().WithMatchLabels(map[string]string{"team": "shop"})))
}

func platformsAccount() *ec2v1ac.EC2AccountApplyConfiguration {
	return ec2v1ac.EC2Account("shared").
		WithAnnotations(map[string]string{"example.com/owner": "platform"}).
		WithSpec(ec2v1ac.EC2AccountSpec().
			WithEndpoints(ec2v1ac.Endpoints().WithEC2("https://localhost")).
			WithPollIntervalSeconds(30))
}

func operatorsAccountStatus() *ec2v1ac.EC2AccountApplyConfiguration {
	return ec2v1ac.EC2Account("shared").
		WithStatus(ec2v1ac.EC2AccountStatus().
			WithConditions(condition("Ready", metav1.ConditionTrue)).
			WithAccountID("123456789012").
			WithInstances(ec2v1ac.InstanceCount().WithState("running").WithCount(0)))
}

func compliancesAccountStatus() *ec2v1ac.EC2AccountApplyConfiguration {
	return ec2v1ac.EC2Account("shared").
		WithStatus(ec2v1ac.EC2AccountStatus().WithConditions(condition("Compliant", metav1.ConditionTrue)))
}

func condition(kind string, value metav1.ConditionStatus) *metav1ac.ConditionApplyConfiguration {
	return metav1ac.Condition().WithType(kind).WithStatus(value).WithReason("Tested").WithMessage("").
		WithObservedGeneration(1).WithLastTransitionTime(someTime())
}

func someTime() metav1.Time {
	return metav1.NewTime(time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC))
}

// TestExtractEC2Instance lets four managers write one object and takes it apart again.
func TestExtractEC2Instance(t *testing.T) {
	c := newClient(t)
	apply(t, c, team, teamsInstance())
	apply(t, c, platform, platformsInstance())
	applyStatus(t, c, operator, operatorsInstanceStatus())
	applyStatus(t, c, compliance, compliancesInstanceStatus())
	live := &ec2v1.EC2Instance{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "shared"}, live); err != nil {
		t.Fatal(err)
	}

	main := func(manager string) (*ec2v1ac.EC2InstanceApplyConfiguration, error) {
		return ec2v1ac.ExtractEC2Instance(live, manager)
	}
	sub := func(manager string) (*ec2v1ac.EC2InstanceApplyConfiguration, error) {
		return ec2v1ac.ExtractEC2InstanceStatus(live, manager)
	}
	from := func(subresource string) func(string) (*ec2v1ac.EC2InstanceApplyConfiguration, error) {
		return func(manager string) (*ec2v1ac.EC2InstanceApplyConfiguration, error) {
			return ec2v1ac.ExtractEC2InstanceFrom(live, manager, subresource)
		}
	}
	nothing := ec2v1ac.EC2Instance("shared", "default")
	for _, test := range []extraction[*ec2v1ac.EC2InstanceApplyConfiguration]{
		{"the team's fields", main, team, teamsInstance()},
		{"the platform's fields", main, platform, platformsInstance()},
		{"the team's fields, by subresource", from(""), team, teamsInstance()},
		{"the operator's status", sub, operator, operatorsInstanceStatus()},
		{"the compliance controller's status", sub, compliance, compliancesInstanceStatus()},
		{"the operator's status, by subresource", from("status"), operator, operatorsInstanceStatus()},
		{"the team's status: none", sub, team, nothing},
		{"the operator's fields: none", main, operator, nothing},
		{"a bystander's fields: none", main, bystander, nothing},
	} {
		test.run(t)
	}
	t.Run("the schema knows the live object", func(t *testing.T) { schemaKnows(t, live) })
}

func TestExtractEC2Account(t *testing.T) {
	c := newClient(t)
	apply(t, c, team, teamsAccount())
	apply(t, c, platform, platformsAccount())
	applyStatus(t, c, operator, operatorsAccountStatus())
	applyStatus(t, c, compliance, compliancesAccountStatus())
	live := &ec2v1.EC2Account{}
	if err := c.Get(t.Context(), client.ObjectKey{Name: "shared"}, live); err != nil {
		t.Fatal(err)
	}

	main := func(manager string) (*ec2v1ac.EC2AccountApplyConfiguration, error) {
		return ec2v1ac.ExtractEC2Account(live, manager)
	}
	sub := func(manager string) (*ec2v1ac.EC2AccountApplyConfiguration, error) {
		return ec2v1ac.ExtractEC2AccountStatus(live, manager)
	}
	from := func(subresource string) func(string) (*ec2v1ac.EC2AccountApplyConfiguration, error) {
		return func(manager string) (*ec2v1ac.EC2AccountApplyConfiguration, error) {
			return ec2v1ac.ExtractEC2AccountFrom(live, manager, subresource)
		}
	}
	nothing := ec2v1ac.EC2Account("shared")
	for _, test := range []extraction[*ec2v1ac.EC2AccountApplyConfiguration]{
		{"the team's fields", main, team, teamsAccount()},
		{"the platform's fields", main, platform, platformsAccount()},
		{"the team's fields, by subresource", from(""), team, teamsAccount()},
		{"the operator's status", sub, operator, operatorsAccountStatus()},
		{"the compliance controller's status", sub, compliance, compliancesAccountStatus()},
		{"the operator's status, by subresource", from("status"), operator, operatorsAccountStatus()},
		{"the team's status: none", sub, team, nothing},
		{"the operator's fields: none", main, operator, nothing},
		{"a bystander's fields: none", main, bystander, nothing},
	} {
		test.run(t)
	}
	t.Run("the schema knows the live object", func(t *testing.T) { schemaKnows(t, live) })
}

// extraction takes out of a shared object what one manager put in.
type extraction[Config any] struct {
	name    string
	extract func(manager string) (Config, error)
	manager string
	want    Config
}

func (e extraction[Config]) run(t *testing.T) {
	t.Helper()
	t.Run(e.name, func(t *testing.T) {
		got, err := e.extract(e.manager)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(pretty(t, e.want), pretty(t, got)); diff != "" {
			t.Errorf("%s's own differs (-applied +extracted):\n%s", e.manager, diff)
		}
	})
}

// pretty is what would be sent, one field a line.
func pretty(t *testing.T, config any) string {
	t.Helper()
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func apply(t *testing.T, c client.Client, manager string, config runtime.ApplyConfiguration) {
	t.Helper()
	if err := c.Apply(t.Context(), config, client.FieldOwner(manager)); err != nil {
		t.Fatalf("applying as %s: %v", manager, err)
	}
}

func applyStatus(t *testing.T, c client.Client, manager string, config runtime.ApplyConfiguration) {
	t.Helper()
	if err := c.Status().Apply(t.Context(), config, client.FieldOwner(manager)); err != nil {
		t.Fatalf("applying status as %s: %v", manager, err)
	}
}

// schemaKnows checks that the schema that comes with the apply configurations has every field of a live object, read into a Go type
// and read as it is.
func schemaKnows(t *testing.T, live client.Object) {
	t.Helper()
	gvk, err := newClient(t).GroupVersionKindFor(live)
	if err != nil {
		t.Fatal(err)
	}
	// A client leaves the kind of what it reads into a Go type empty; the converter goes by it.
	live.GetObjectKind().SetGroupVersionKind(gvk)
	converter := applyconfig.NewTypeConverter(newScheme(t))
	typed, err := converter.ObjectToTyped(live)
	if err != nil {
		t.Fatal(err)
	}
	raw := &unstructured.Unstructured{}
	raw.SetGroupVersionKind(gvk)
	if err := newClient(t).Get(t.Context(), client.ObjectKeyFromObject(live), raw); err != nil {
		t.Fatal(err)
	}
	untyped, err := converter.ObjectToTyped(raw)
	if err != nil {
		t.Fatal(err)
	}
	comparison, err := untyped.Compare(typed)
	if err != nil {
		t.Fatal(err)
	}
	if !comparison.IsSame() {
		t.Errorf("the object reads differently through its Go type:\n%s", comparison)
	}
}

// TestAnotherChoiceTakesForce: a one-of has one owner, and whoever forces makes another choice without leaving the first one behind.
func TestAnotherChoiceTakesForce(t *testing.T) {
	c := newClient(t)
	apply(t, c, team, ec2v1ac.EC2Instance("chosen", "default").WithSpec(ec2v1ac.EC2InstanceSpec().
		WithInstanceType("t3.micro").WithImage(ec2v1ac.Image().WithID("ami-0123456789abcdef0"))))
	other := func() *ec2v1ac.EC2InstanceApplyConfiguration {
		return ec2v1ac.EC2Instance("chosen", "default").WithSpec(ec2v1ac.EC2InstanceSpec().
			WithImage(ec2v1ac.Image().WithSSMParameter("/golden/base")))
	}
	expect(t, c.Apply(t.Context(), other(), client.FieldOwner(platform)), []string{`.spec.image: conflict with "team"`})
	if err := c.Apply(t.Context(), other(), client.FieldOwner(platform), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	live := &ec2v1.EC2Instance{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "chosen"}, live); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ec2v1.Image{SSMParameter: "/golden/base"}, live.Spec.Image); diff != "" {
		t.Errorf("the image differs (-want +got):\n%s", diff)
	}
	// The first owner can go on applying everything else.
	apply(t, c, team, ec2v1ac.EC2Instance("chosen", "default").WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("t3.small")))
}
