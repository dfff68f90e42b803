// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestConfirmingIsAskedForEachRequestThatIsSentAndNoOther: the burst of RunInstances passes, and what is refused by the rate
// limits asks nothing.
func TestConfirmingIsAskedForEachRequestThatIsSentAndNoOther(t *testing.T) {
	standardEnvironment(t)
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAWS{answer: always(ok("<RunInstancesResponse/>"))}
		s := newTestSession(t, f)
		var asked, refused atomic.Int64
		ctx := Confirming(t.Context(), func(context.Context) error { asked.Add(1); return nil })
		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				if _, err := s.Launch(ctx, "token", fullLaunch()); mustError(t, err).Class == ClassThrottled {
					refused.Add(1)
				}
			})
		}
		callers.Wait()
		if sent := int64(len(f.actions())); asked.Load() != sent || sent == 0 || refused.Load() == 0 {
			t.Errorf("asked %d times for %d requests, %d refused", asked.Load(), sent, refused.Load())
		}
	})
}

// TestUnconfirmedIsNotSent, and its reason reaches the caller as it is.
func TestUnconfirmedIsNotSent(t *testing.T) {
	f := &fakeAWS{answer: always(ok(""))}
	var calls []Call
	standardEnvironment(t)
	s := sessionOf(t, NewProvider(testCluster, Options{HTTPClient: f, Observe: func(c Call) { calls = append(calls, c) }}), testAccount("default"))
	why := errors.New("it is gone")
	_, err := s.Launch(Confirming(t.Context(), func(context.Context) error { return why }), "token", fullLaunch())
	if got := Unconfirmed(err); got != why { //nolint:errorlint // The very error.
		t.Errorf("the reason is %v", got)
	}
	if e := mustError(t, err); !e.Definite || e.Class != ClassTransient {
		t.Errorf("got %#v", e)
	}
	if len(f.actions()) != 0 {
		t.Errorf("sent %v", f.actions())
	}
	if len(calls) != 1 || calls[0].Sent {
		t.Errorf("observed %v", calls)
	}
	if Unconfirmed(errors.New("another")) != nil {
		t.Error("another error is taken for an unconfirmed call")
	}
}

// The credentials that a confirmed call asks for on its way are everybody's: that it is not confirmed must not keep them away.
func TestOnlyEC2IsConfirmed(t *testing.T) {
	f := &fakeAWS{answer: always(ok("<R><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></R>"))}
	refusing := Confirming(t.Context(), func(context.Context) error { return errors.New("not any more") })
	s := newTestSession(t, f)
	if id, err := s.AccountID(refusing); err != nil || id != "123456789012" {
		t.Errorf("a call of STS: %q, %v", id, err)
	}
	if _, err := s.Terminate(refusing, "i-1"); Unconfirmed(err) == nil {
		t.Errorf("a call of EC2: %v", err)
	}
}
