// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// model is an EC2 in which anybody does anything, that lags and fails, with an observer of it whose poller is stepped by
// hand, and a reader who reads again only what he is told of.
type model struct {
	*rapid.T
	clock  *clocktesting.FakeClock
	view   *View
	poller *poller

	history  map[string][]moment
	launched int
	calm     bool // no lags, no failures
	looks    []time.Time
	fails    bool

	// read is what the reader last read of each owner.
	read map[cloud.Owner][]Entry
}

// moment is how an instance is from a time on.
type moment struct {
	at       time.Time
	instance cloud.Instance
	// status is what EC2 says of it while it runs.
	status cloud.CheckResult
	// vanished says that EC2 does not know it any more.
	vanished bool
}

// maxLag is less than settleFor: what lags longer than an answer outranks is believed.
const maxLag = settleFor - time.Second

func newModel(t *rapid.T) *model {
	m := &model{
		T: t, clock: clocktesting.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)),
		history: map[string][]moment{}, read: map[cloud.Owner][]Entry{},
	}
	s := &subscribers{}
	m.view = newView(testScope, Options{Cluster: testCluster, Clock: m.clock}, s)
	s.onChange(func(o cloud.Owner) { m.read[o] = m.view.ByOwner(o.UID) })
	m.view.follow(source{lister: m, interval: testInterval})
	m.poller = &poller{view: m.view, clock: m.clock, random: middle}
	return m
}

// shown is an instance as one part of EC2 shows it: as it was a while ago.
func (m *model) shown(id string) (cloud.Instance, bool) {
	then := m.then(id)
	return then.instance, !then.vanished
}

func (m *model) then(id string) moment {
	as := m.clock.Now()
	if !m.calm {
		as = as.Add(-time.Duration(rapid.Int64Range(0, int64(maxLag)).Draw(m.T, "lag")))
	}
	found := moment{vanished: true}
	for _, then := range m.history[id] {
		if !then.at.After(as) {
			found = then
		}
	}
	return found
}

func (m *model) mayFail() error {
	if m.fails && !m.calm && rapid.Bool().Draw(m.T, "fails") {
		return errors.New("lost")
	}
	return nil
}

// List implements Lister: instances without tags are not listed.
func (m *model) List(_ context.Context, yield func([]cloud.Instance) error) error {
	for _, id := range slices.Sorted(maps.Keys(m.history)) {
		if i, ok := m.shown(id); ok && i.Tags != nil {
			if err := yield([]cloud.Instance{i}); err != nil {
				return err
			}
		}
		if err := m.mayFail(); err != nil {
			return err
		}
	}
	return nil
}

// Look implements Lister.
func (m *model) Look(_ context.Context, ids []string) ([]cloud.Instance, error) {
	var seen []cloud.Instance
	for _, id := range ids {
		if i, ok := m.shown(id); ok {
			seen = append(seen, i)
		}
	}
	return seen, m.mayFail()
}

// ListStatuses implements Lister.
func (m *model) ListStatuses(_ context.Context, yield func([]cloud.InstanceStatus) error) error {
	for _, id := range slices.Sorted(maps.Keys(m.history)) {
		then := m.then(id)
		if !then.vanished && then.instance.State == cloud.StateRunning {
			if err := yield([]cloud.InstanceStatus{statusOf(then)}); err != nil {
				return err
			}
		}
		if err := m.mayFail(); err != nil {
			return err
		}
	}
	return nil
}

func statusOf(then moment) cloud.InstanceStatus {
	s := checks(then.status)
	s.ID, s.State = then.instance.ID, cloud.StateRunning
	return s
}

// now is an instance as it truly is.
func (m *model) now(id string) cloud.Instance { return m.history[id][len(m.history[id])-1].instance }

func (m *model) change(id string, f func(*moment)) {
	next := m.history[id][len(m.history[id])-1]
	next.at = m.clock.Now()
	f(&next)
	m.history[id] = append(m.history[id], next)
}

func (m *model) setState(id string, s cloud.State) {
	m.change(id, func(then *moment) {
		then.instance.State, then.status = s, cloud.CheckInitializing
		if s == cloud.StateTerminated {
			then.instance.Tags = nil
		}
	})
}

// pass lets time pass and the poller do what is due.
func (m *model) pass(d time.Duration) {
	end := m.clock.Now().Add(d)
	for {
		list, look, statuses := m.view.due(m.clock.Now())
		wait := m.poller.step(m.Context())
		if wait == 0 {
			if !look.IsZero() && !list.Before(look) && (statuses.IsZero() || !statuses.Before(look)) {
				m.looks = append(m.looks, m.clock.Now())
			}
			continue
		}
		next := m.clock.Now().Add(wait)
		if next.After(end) {
			m.clock.SetTime(end)
			return
		}
		m.clock.SetTime(next)
	}
}

// pick is an instance that EC2 knows.
func (m *model) pick() string { return m.pickOf(false) }

func (m *model) pickOf(vanished bool) string {
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(m.history)), func(id string) bool {
		return m.history[id][len(m.history[id])-1].vanished != vanished
	})
	if len(ids) == 0 {
		m.Skip("no instances")
	}
	return rapid.SampledFrom(ids).Draw(m.T, "instance")
}

func (m *model) live() string {
	id := m.pick()
	if !m.now(id).State.Live() {
		m.Skip("not live")
	}
	return id
}

// byUs tells the view what a change answered, as the operator does.
func (m *model) byUs(id string, s cloud.State) {
	if rapid.Bool().Draw(m.T, "by us") {
		m.view.PutState(id, s)
	}
}

func (m *model) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"launch": func(*rapid.T) {
			i := instance(rapid.IntRange(1, 3).Draw(m.T, "owner"), cloud.StatePending)
			m.launched++
			i.ID, i.LaunchTime = fmt.Sprintf("i-%04d", m.launched), m.clock.Now()
			m.history[i.ID] = []moment{{at: m.clock.Now(), instance: i}}
			if rapid.Bool().Draw(m.T, "by us") {
				m.view.Put(i)
			}
		},
		"start": func(*rapid.T) {
			id := m.live()
			m.setState(id, cloud.StatePending)
			m.change(id, func(then *moment) { then.instance.LaunchTime = then.at })
			m.byUs(id, cloud.StatePending)
		},
		"stop": func(*rapid.T) {
			id := m.live()
			m.setState(id, cloud.StateStopping)
			m.byUs(id, cloud.StateStopping)
		},
		"terminate": func(*rapid.T) {
			id := m.live()
			m.setState(id, cloud.StateShuttingDown)
			m.byUs(id, cloud.StateShuttingDown)
		},
		"arrive": func(*rapid.T) {
			id := m.pick()
			to, ok := destination[m.now(id).State]
			if !ok {
				m.Skip("at rest")
			}
			m.setState(id, to)
		},
		"tag": func(*rapid.T) {
			id := m.live()
			m.change(id, func(then *moment) {
				tags := maps.Clone(then.instance.Tags)
				if tags == nil {
					tags = cloud.IdentityTags(testCluster, owner(1))
				}
				tags["team"] = rapid.SampledFrom([]string{"a", "b"}).Draw(m.T, "team")
				then.instance.Tags = tags
			})
			m.view.Look(id)
		},
		"untag": func(*rapid.T) { m.change(m.live(), func(then *moment) { then.instance.Tags = nil }) },
		"check": func(*rapid.T) {
			result := rapid.SampledFrom([]cloud.CheckResult{cloud.CheckOK, cloud.CheckImpaired, cloud.CheckInitializing}).Draw(m.T, "result")
			m.change(m.live(), func(then *moment) { then.status = result })
		},
		"vanish": func(*rapid.T) {
			id := m.pick()
			m.change(id, func(then *moment) { then.vanished = true })
		},
		"drop": func(*rapid.T) {
			id := m.pick()
			e, _ := m.view.ByID(id)
			m.view.Drop(id)
			// Who drops knows.
			m.read[e.OwnedBy] = m.view.ByOwner(e.OwnedBy.UID)
		},
		"mark gone":   func(*rapid.T) { m.view.MarkGone(m.pickOf(true)) },
		"other world": func(*rapid.T) { m.view.follow(source{lister: &again{m}, interval: testInterval}) },
		"trouble":     func(*rapid.T) { m.fails = !m.fails },
		"time":        func(*rapid.T) { m.pass(time.Duration(rapid.IntRange(1, 90).Draw(m.T, "seconds")) * time.Second) },
	}
}

// again is another lister of the same world.
type again struct{ *model }

// The store comes to show the world, whoever was told reads the same there, and looks keep their distance.
func TestTheStoreConverges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		t.Repeat(m.actions())
		m.calm = true
		// Longer than any backoff, answer or lag, with two lists.
		m.pass(settleFor + 3*testInterval)
		m.checkWorld()
		m.checkReader()
		for i := range m.looks {
			if i > 0 && m.looks[i].Sub(m.looks[i-1]) < firstLook {
				t.Fatalf("looks %v apart", m.looks[i].Sub(m.looks[i-1]))
			}
		}
		if !m.view.Synced() || m.view.LastError() != nil {
			t.Fatalf("synced %v, %v", m.view.Synced(), m.view.LastError())
		}
	})
}

func (m *model) checkWorld() {
	for id, history := range m.history {
		truth := history[len(history)-1]
		e, ok := m.view.ByID(id)
		switch {
		case truth.vanished && !ok, truth.vanished && (e.Gone || !e.Missing.IsZero() || e.State == cloud.StateTerminated):
			continue
		case truth.vanished:
			m.Fatalf("%s has vanished, and is %+v", id, e)
		case !ok && (!truth.instance.State.Live() || truth.instance.Tags == nil):
			// Dropped, or never shown to us.
			continue
		case !ok:
			m.Fatalf("%s is not in the store", id)
		case !e.Instance.Equal(truth.instance) || !e.Missing.IsZero() || e.Gone:
			m.Fatalf("%s is %+v, want %+v", id, e, truth.instance)
		}
		m.checkStatus(e, truth)
	}
}

// sameNews reports whether two statuses say the same to a reader: one without results says nothing.
func sameNews(a, b *cloud.InstanceStatus) bool {
	if a == nil || !a.HasResults() {
		return b == nil || !b.HasResults()
	}
	return b != nil && a.Equal(*b)
}

// checkStatus expects the status of what runs, and none of what does not.
func (m *model) checkStatus(e Entry, truth moment) {
	switch runs := truth.instance.State == cloud.StateRunning; {
	case !runs && e.Status != nil:
		m.Fatalf("%s is %s with status %+v", e.ID, e.State, *e.Status)
	case runs && (e.Status == nil || !e.Status.Equal(statusOf(truth))):
		m.Fatalf("%s has status %+v, want %+v", e.ID, e.Status, statusOf(truth))
	}
}

func (m *model) checkReader() {
	for n := 1; n <= 3; n++ {
		o := owner(n)
		diff := cmp.Diff(m.view.ByOwner(o.UID), m.read[o],
			cmpopts.IgnoreFields(Entry{}, "Seen", "Described"), cmpopts.EquateEmpty(), cmp.Comparer(sameNews))
		if diff != "" {
			m.Fatalf("the reader has not been told of (-store +read):\n%s", diff)
		}
	}
}
