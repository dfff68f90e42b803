// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// TestIntents: an intent is refused, in words that say what it lacks, when it could do harm that no answer shows.
func TestIntents(t *testing.T) {
	config := func() *ec2v1ac.EC2InstanceApplyConfiguration { return ec2v1ac.EC2Instance("web", "shop") }
	for _, test := range []struct {
		says   string
		intent Intent
		// refused is what the error says; empty means that the intent is taken.
		refused string
	}{
		{"an update by uid", Intent{Config: config().WithUID("u"), Manager: "m"}, ""},
		{"an update by uid and version", Intent{Config: config().WithUID("u").WithResourceVersion("1"), Manager: "m"}, ""},
		{"a creation", Intent{Config: config(), Manager: "m", Create: true}, ""},
		{"a status by version", Intent{Config: config().WithResourceVersion("1"), Manager: "m", Subresource: SubresourceStatus}, ""},
		{"no manager", Intent{Config: config().WithUID("u")}, "must name its field manager"},
		{"no guard", Intent{Config: config(), Manager: "m"}, "intent of m for web must carry a uid, or say that it may create the object"},
		{"a version alone would create", Intent{Config: config().WithResourceVersion("1"), Manager: "m"}, "must carry a uid"},
		{"a status by uid", Intent{Config: config().WithUID("u"), Manager: "m", Subresource: SubresourceStatus}, "for web must carry a resourceVersion"},
		{"a status that says it may create", Intent{Config: config(), Manager: "m", Subresource: SubresourceStatus, Create: true}, "must carry a resourceVersion"},
		{"no name", Intent{Config: ec2v1ac.EC2Instance("", "shop").WithUID("u"), Manager: "m"}, "must have apiVersion, kind and name"},
		{"no kind", Intent{Config: config().WithKind("").WithUID("u"), Manager: "m"}, "must have apiVersion, kind and name"},
		{"no version of the API", Intent{Config: config().WithAPIVersion("").WithUID("u"), Manager: "m"}, "must have apiVersion, kind and name"},
	} {
		t.Run(test.says, func(t *testing.T) {
			body, err := test.intent.body()
			if err != nil {
				t.Fatal(err)
			}
			err = test.intent.check(body)
			if test.refused == "" {
				if err != nil {
					t.Errorf("the intent was refused: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.refused) {
				t.Errorf("the error is %v, want one with %q", err, test.refused)
			}
		})
	}
}

// TestABodyIsWhatIsSent: nothing that is not set is in it, and the intent stays as it was.
func TestABodyIsWhatIsSent(t *testing.T) {
	config := ec2v1ac.EC2Instance("web", "shop").WithSpec(ec2v1ac.EC2InstanceSpec().WithSuspend(false))
	body, err := Intent{Config: config}.body()
	if err != nil {
		t.Fatal(err)
	}
	same(t, map[string]any{
		"apiVersion": "ec2.fieldowner.dev/v1", "kind": "EC2Instance",
		"metadata": map[string]any{"name": "web", "namespace": "shop"},
		"spec":     map[string]any{"suspend": false},
	}, body.Object)
	body.SetName("other")
	if *config.Name != "web" {
		t.Error("a change of the body changes the intent")
	}
}

// TestAnIntentThatIsNoObject is an error, not a panic.
func TestAnIntentThatIsNoObject(t *testing.T) {
	var none *ec2v1ac.EC2InstanceApplyConfiguration
	for _, config := range []runtime.ApplyConfiguration{nil, none} {
		if _, err := (Intent{Config: config, Manager: "m"}).body(); err == nil || !strings.Contains(err.Error(), "m") {
			t.Errorf("the error is %v, want one that names the manager", err)
		}
	}
}
