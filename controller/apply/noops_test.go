// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

// TestNoOpsAreRemembered: the second look at the same intent for the same object does not run the merge, and anything else
// that a prediction depends on has it run.
func TestNoOpsAreRemembered(t *testing.T) {
	w := newWorld(t)
	wanted := func() Intent {
		return Intent{Config: web().WithUID(serverUID).WithSpec(usersSpec()), Manager: user, Create: true}
	}
	other := func() Intent {
		return Intent{Config: web().WithUID(serverUID).WithSpec(ec2v1ac.EC2InstanceSpec().WithInstanceType("m5.large")), Manager: user}
	}
	merged := func(live client.Object, in Intent) bool {
		t.Helper()
		draft, err := w.applier.Draft(live, in)
		if err != nil {
			t.Fatal(err)
		}
		return draft.before != nil
	}
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	live := w.live()
	w.expect(live, wanted(), Skipped, 0)
	if merged(live, wanted()) {
		t.Error("the merge ran again for what is known")
	}
	w.expect(live, wanted(), Skipped, 0)

	for says, in := range map[string]Intent{
		"another intent":      other(),
		"another manager":     {Config: wanted().Config, Manager: us},
		"another subresource": status(user, ourStatus().WithResourceVersion(live.ResourceVersion)),
	} {
		if !merged(live, in) {
			t.Errorf("%s: the merge did not run", says)
		}
	}
	newer := live.DeepCopy()
	newer.ResourceVersion = "999"
	if !merged(newer, wanted()) {
		t.Error("another version of the object: the merge did not run")
	}
	if _, err := w.applier.Draft(live, wanted()); err != nil {
		t.Fatal(err)
	}
	w.predictor.SchemaDiffers(gvk.GroupKind(), true)
	w.expect(live, wanted(), Unchanged, 1) // Nothing is skipped now.
}

// TestANoOpIsRememberedForItsVersion: after somebody else's write the intent is sent again.
func TestANoOpIsRememberedForItsVersion(t *testing.T) {
	w := newWorld(t)
	wanted := func() Intent { return forced(main(us, benchLifecycle())) }
	w.mustApply(main(user, web().WithSpec(usersSpec())))
	w.expect(w.live(), wanted(), Changed, 1)
	w.expect(w.live(), wanted(), Skipped, 0)
	w.expect(w.live(), wanted(), Skipped, 0)
	w.mustApply(forced(main(user, web().WithSpec(usersSpec()).WithAnnotations(map[string]string{"ec2.fieldowner.dev/launch": "theirs"}))))
	if got, err := w.applier.Apply(t.Context(), w.live(), wanted()); err != nil || got.Outcome != Changed || len(got.Taken) != 1 {
		t.Errorf("after somebody took the annotation: %+v (%v)", got, err)
	}
}
