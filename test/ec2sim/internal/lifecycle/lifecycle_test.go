// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"net/netip"
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func sec(n int) time.Time { return epoch.Add(time.Duration(n) * time.Second) }

func TestHistoryAt(t *testing.T) {
	ip := netip.MustParseAddr("198.51.100.7")
	userStop := Reason{Code: "Client.UserInitiatedShutdown"}
	h := History{}.
		Record(Transition{At: sec(0), Settles: sec(10), Via: Pending, To: Running, PublicIP: ip}).
		Record(Transition{At: sec(20), Settles: sec(30), Via: Stopping, To: Stopped, Reason: userStop}).
		Record(Transition{At: sec(40), Settles: sec(50), Via: Pending, To: Running, PublicIP: ip}).
		Record(Transition{At: sec(60), Settles: sec(70), Via: ShuttingDown, To: Terminated, Reason: userStop})

	for _, tc := range []struct {
		at     int
		want   State
		since  int
		reason string
		hasIP  bool
	}{
		{-5, Pending, 0, "", true},
		{0, Pending, 0, "", true},
		{9, Pending, 0, "", true},
		{10, Running, 10, "", true},
		{20, Stopping, 20, userStop.Code, false},
		{30, Stopped, 30, userStop.Code, false},
		{40, Pending, 40, "", true},
		{50, Running, 50, "", true},
		{60, ShuttingDown, 60, userStop.Code, false},
		{70, Terminated, 70, userStop.Code, false},
		{9999, Terminated, 70, userStop.Code, false},
	} {
		got := h.At(sec(tc.at))
		if got.State != tc.want || !got.Since.Equal(sec(tc.since)) || got.Reason.Code != tc.reason || got.PublicIP.IsValid() != tc.hasIP {
			t.Errorf("At(%d) = %+v, want %+v", tc.at, got, tc)
		}
	}
	if got := h.LastStarted(sec(45)); !got.Equal(sec(40)) {
		t.Errorf("LastStarted = %v, want the second start", got)
	}
	if got := h.LastStarted(sec(5)); !got.Equal(sec(0)) {
		t.Errorf("LastStarted before the second start = %v, want the launch", got)
	}
	if end, ok := h.Ended(); !ok || !end.Equal(sec(70)) {
		t.Errorf("Ended = %v %v, want %v", end, ok, sec(70))
	}
}

func TestRecordSupersedesWhatWasScheduled(t *testing.T) {
	h := History{}.
		Record(Transition{At: sec(0), Settles: sec(10), Via: Pending, To: Pending}).
		Schedule(Transition{At: sec(10), Settles: sec(10), Via: Terminated, To: Terminated, Reason: Reason{Code: "Server.InternalError"}})
	if got := h.At(sec(10)); got.State != Terminated || got.Reason.Code != "Server.InternalError" {
		t.Fatalf("scheduled end not reached: %+v", got)
	}
	stopped := h.Record(Transition{At: sec(3), Settles: sec(5), Via: ShuttingDown, To: Terminated, Reason: Reason{Code: "Client.UserInitiatedShutdown"}})
	if got := stopped.At(sec(20)); got.Reason.Code != "Client.UserInitiatedShutdown" || !got.Since.Equal(sec(5)) {
		t.Errorf("the later schedule was not superseded: %+v", got)
	}
	if got := h.At(sec(20)); got.Reason.Code != "Server.InternalError" {
		t.Errorf("Record changed the history it was called on: %+v", got)
	}
}

func TestStateCodes(t *testing.T) {
	for state, want := range map[State]int{Pending: 0, Running: 16, ShuttingDown: 32, Terminated: 48, Stopping: 64, Stopped: 80} {
		if state.Code() != want {
			t.Errorf("%s.Code() = %d, want %d", state, state.Code(), want)
		}
	}
}
