// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

// Snapshot is an EBS snapshot.
type Snapshot struct {
	ID        string
	SizeGiB   int
	Encrypted bool
}

func (w *World) snapshot(id string) (Snapshot, bool) {
	return find(w.Snapshots, func(s Snapshot) bool { return s.ID == id })
}
