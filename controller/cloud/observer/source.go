// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"reflect"
	"time"
)

// follow makes the view's world come from s. An interval shorter than the pause between looks is that pause.
func (v *View) follow(s source) {
	s.interval = max(s.interval, firstLook)
	v.mu.Lock()
	defer v.mu.Unlock()
	if same(v.source.lister, s.lister) {
		if v.source.interval != s.interval {
			v.source.interval = s.interval
			v.schedule.list = earlier(v.schedule.list, v.status.listedAt.Add(s.interval))
			v.statusList.next = earlier(v.statusList.next, v.clock.Now().Add(s.interval))
			v.reschedule()
		}
		return
	}
	s.changes = v.source.changes + 1
	v.source = s
	now := v.clock.Now()
	v.statusList = statusList{next: now, notBefore: now}
	v.schedule = schedule{noLookBefore: earlier(v.schedule.noLookBefore, now.Add(firstLook))}
	v.status = status{listedAt: v.status.listedAt}
	v.reschedule()
}

// same reports whether two listers are the same one. What cannot be compared is not.
func same(a, b Lister) bool {
	if a == nil || b == nil {
		return a == b
	}
	return reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// begin gives the view the means to end its poller, and reports whether it is to be polled at all.
func (v *View) begin(cancel func()) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cancel = cancel
	return !v.stopped
}

// end ends the view's poller.
func (v *View) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stopped = true
	v.status.listed = false
	if v.cancel != nil {
		v.cancel()
	}
}
