// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// View is the store of one scope. It may be used by many goroutines at once, and none of its methods calls EC2.
type View struct {
	scope       Scope
	cluster     string
	clock       clock.PassiveClock
	subscribers *subscribers
	// wake tells the poller that its schedule has changed.
	wake chan struct{}

	mu         sync.Mutex
	source     source
	status     status
	schedule   schedule
	statusList statusList
	stopped    bool
	cancel     func()

	records map[string]*record
	owners  index[types.UID]
	tokens  index[string]
	// answers counts the answers put in so far: the store's own time, finer than the clock's.
	answers uint64
	// untold are those to be told when the first full list is complete, apart from the owners there are then.
	untold owners
}

// source is where the view's world comes from.
type source struct {
	lister   Lister
	interval time.Duration
	// changes counts how often the lister was replaced.
	changes int
}

// status is how well the view sees.
type status struct {
	// listed says that a full list has completed since the source changed.
	listed   bool
	listedAt time.Time
	// failures counts the lists that have failed in a row.
	failures int
	err      error
}

func (s status) synced() bool { return s.listed && s.failures < blindAfter }

func newView(scope Scope, o Options, s *subscribers) *View {
	return &View{
		scope:       scope,
		cluster:     o.Cluster,
		clock:       o.Clock,
		subscribers: s,
		wake:        make(chan struct{}, 1),
		records:     map[string]*record{},
		owners:      index[types.UID]{},
		tokens:      index[string]{},
		untold:      owners{},
	}
}

// Synced reports whether the view shows the whole world: a full list has completed since tracking began or its lister
// changed, and fewer than three lists in a row have failed since the last one that did not.
func (v *View) Synced() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status.synced()
}

// LastError is why the last full list failed, or nil when it did not.
func (v *View) LastError() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status.err
}

// LastList is when the last full list that completed began; zero before the first.
func (v *View) LastList() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.status.listedAt
}

// ByOwner returns the instances of an owner, by launch time and then id, dead ones included until they are forgotten.
func (v *View) ByOwner(uid types.UID) []Entry {
	v.mu.Lock()
	defer v.mu.Unlock()
	entries := v.entries(v.owners[uid])
	slices.SortFunc(entries, byAge)
	return entries
}

// ByID returns the instance with an id.
func (v *View) ByID(id string) (Entry, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, ok := v.records[id]
	if !ok || r.dropped {
		return Entry{}, false
	}
	return r.entry, true
}

// ByToken returns the instance that a client token launched. Should there be several, it is one that lives, if one does, and
// the oldest of those.
func (v *View) ByToken(token string) (Entry, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	entries := v.entries(v.tokens[token])
	if len(entries) == 0 {
		return Entry{}, false
	}
	return slices.MinFunc(entries, byUse), true
}

// CountByState counts the instances by EC2's word for their state, without those that are known to be gone.
func (v *View) CountByState() map[cloud.State]int {
	v.mu.Lock()
	defer v.mu.Unlock()
	counts := map[cloud.State]int{}
	for _, r := range v.records {
		if !r.dropped && !r.entry.Gone {
			counts[r.entry.State]++
		}
	}
	return counts
}

// entries are those of ids, without the dropped ones.
func (v *View) entries(ids map[string]bool) []Entry {
	entries := make([]Entry, 0, len(ids))
	for id := range ids {
		if r := v.records[id]; !r.dropped {
			entries = append(entries, r.entry)
		}
	}
	return entries
}

// reindex makes the indexes follow a record whose entry was before.
func (v *View) reindex(r *record, before Entry) {
	id := r.entry.ID
	if before.OwnedBy.UID != r.entry.OwnedBy.UID {
		v.owners.remove(before.OwnedBy.UID, id)
	}
	if before.ClientToken != r.entry.ClientToken {
		v.tokens.remove(before.ClientToken, id)
	}
	v.owners.add(r.entry.OwnedBy.UID, id)
	v.tokens.add(r.entry.ClientToken, id)
}

func (v *View) remove(id string) {
	r, ok := v.records[id]
	if !ok {
		return
	}
	v.owners.remove(r.entry.OwnedBy.UID, id)
	v.tokens.remove(r.entry.ClientToken, id)
	delete(v.records, id)
}
