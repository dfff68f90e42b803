// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"cmp"
	"time"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// Entry is an instance as the store knows it. Its lists and maps are shared and must not be changed.
type Entry struct {
	cloud.Instance
	// OwnedBy is whose instance it is by its identity tags, or was by those that it bore before it lost them; zero when it
	// has never been this cluster's.
	OwnedBy cloud.Owner
	// Status is what EC2's status checks say of the instance and which events it has scheduled; nil while that is not known of
	// this start of the instance, or does not run. It stays as it is while statuses cannot be listed. It is shared and must not
	// be changed.
	Status *cloud.InstanceStatus
	// Seen is when EC2 last showed the instance or answered for it.
	Seen time.Time
	// Described is when EC2 was asked for what the description says: what was changed later it does not show.
	Described time.Time
	// Missing is since when EC2 shows the instance neither in full lists nor by its id; zero while it does. A young instance
	// can be missing for up to minutes. A terminated one is never missing: that it vanishes is no news.
	Missing time.Time
	// Gone says that the owner has been told, by EC2 and beyond doubt, that there is no such instance; see [View.MarkGone].
	Gone bool
}

// byAge orders entries by launch, the oldest first, then by id.
func byAge(a, b Entry) int {
	return cmp.Or(a.LaunchTime.Compare(b.LaunchTime), cmp.Compare(a.ID, b.ID))
}

// byUse orders entries that share a token: those that live first, then as byAge does.
func byUse(a, b Entry) int {
	return cmp.Or(cmp.Compare(order(a), order(b)), byAge(a, b))
}

func order(e Entry) int {
	if e.State.Live() && !e.Gone {
		return 0
	}
	return 1
}
