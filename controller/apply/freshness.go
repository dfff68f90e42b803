// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// lagMax is how long a cache is waited for. One that has gone back in time, after etcd was restored from a backup, never shows
// what was written before; the writes that matter carry a resourceVersion, and are refused where it is behind.
const lagMax = time.Minute

// CacheLag is when to come back to an object that is not Fresh, or that has changed since it was read: a watch
// event takes milliseconds.
const CacheLag = 25 * time.Millisecond

// writes remembers the resourceVersion of the latest write to each object until the cache shows it, the way
// kube-controller-manager's controllers do against stale caches (KEP-5647). Resource versions of one resource
// can be compared (KEP-5504).
//
// controller-runtime's read-your-writes client does the same by blocking readers, for one namespace or all;
// this one does not block a worker and holds for any number of watched namespaces.
type writes struct {
	mu     sync.Mutex
	latest map[types.UID]write
}

// write is one that the cache has not shown yet.
type write struct {
	version string
	at      time.Time
}

// record keeps the newer of two versions: the answers to two writers of one object come in any order.
func (w *writes) record(uid types.UID, version string, now time.Time) {
	if uid == "" || version == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.latest == nil {
		w.latest = map[types.UID]write{}
	}
	if older(version, w.latest[uid].version) {
		return
	}
	w.latest[uid] = write{version: version, at: now}
}

// contained tells whether an object at version holds the latest write, or that is waited for no longer. Versions that cannot be compared do
// not hold anything up.
func (w *writes) contained(uid types.UID, version string, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	latest, ok := w.latest[uid]
	if !ok {
		return true
	}
	if older(version, latest.version) && now.Sub(latest.at) < lagMax {
		return false
	}
	delete(w.latest, uid)
	return true
}

func (w *writes) forget(uid types.UID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.latest, uid)
}

// older tells whether a version is known to come before another one of the same object.
func older(version, other string) bool {
	order, err := resourceversion.CompareResourceVersion(version, other)
	return err == nil && order < 0
}
