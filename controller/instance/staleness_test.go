// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// A cache that stays behind is looked at ever less often, each object's by itself, and at once again when it has caught up.
func TestStaleness(t *testing.T) {
	var s staleness
	a, b := types.NamespacedName{Name: "a"}, types.NamespacedName{Name: "b"}
	const looks = 20
	last := s.pause(a)
	if last != apply.CacheLag {
		t.Errorf("the first pause is %s", last)
	}
	for range looks {
		next := s.pause(a)
		if next < last || next > stalePauseMax {
			t.Fatalf("%s follows %s", next, last)
		}
		last = next
	}
	if last != stalePauseMax || s.pause(b) != apply.CacheLag {
		t.Errorf("the longest pause is %s", last)
	}
	s.over(a)
	if got := s.pause(a); got != apply.CacheLag {
		t.Errorf("the pause after the cache caught up is %s", got)
	}
}
