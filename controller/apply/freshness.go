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
	own    map[types.UID]own
}

// own is what tells our writes to an object from those of others.
type own struct {
	// version is the newest that we have written, and sending counts the writes that are not answered yet.
	version string
	sending int
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
	if o := w.own[uid]; !older(version, o.version) {
		w.setOwn(uid, own{version: version, sending: o.sending})
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
	delete(w.own, uid)
}

// sending notes that a write is on its way, and returns what notes that it is not any more.
func (w *writes) sending(uid types.UID) (done func()) {
	add := func(n int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		o, known := w.own[uid]
		if !known && n < 0 {
			return // It was forgotten in between.
		}
		w.setOwn(uid, own{version: o.version, sending: o.sending + n})
	}
	add(1)
	return func() { add(-1) }
}

func (w *writes) setOwn(uid types.UID, o own) {
	if w.own == nil {
		w.own = map[types.UID]own{}
	}
	w.own[uid] = o
}

// foreign tells whether a version was certainly written by somebody else after all that we have written. What others wrote before
// that we have seen, since what we decide on it is guarded by the version.
func (w *writes) foreign(uid types.UID, version string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	o := w.own[uid]
	return o.sending == 0 && (o.version == "" || older(o.version, version))
}

// older tells whether a version is known to come before another one of the same object.
func older(version, other string) bool {
	order, err := resourceversion.CompareResourceVersion(version, other)
	return err == nil && order < 0
}
