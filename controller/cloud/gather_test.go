// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"
)

// asked is a gatherer that answers with the length of each known id, and what it was asked.
type asked struct {
	gatherer[int]
	mu    sync.Mutex
	calls [][]string
	err   error
}

func newAsked() *asked {
	a := &asked{}
	a.op, a.clock = "Describe", clock.RealClock{}
	a.ask = func(_ context.Context, ids []string) (map[string]int, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.calls = append(a.calls, ids)
		out := map[string]int{}
		for _, id := range ids {
			if id != "unknown" {
				out[id] = len(id)
			}
		}
		return out, a.err
	}
	return a
}

func TestQuestionsOfOneMomentAreOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsked()
		var wg sync.WaitGroup
		for n := range 50 {
			wg.Go(func() {
				time.Sleep(time.Duration(n) * (gatherWindow - 1) / 50)
				id := fmt.Sprintf("i-%02d", n)
				got, err := a.get(t.Context(), []string{id, "unknown"})
				if err != nil || !cmp.Equal(got, map[string]int{id: 4}) {
					t.Errorf("%s got %v, %v", id, got, err)
				}
			})
		}
		wg.Wait()
		if len(a.calls) != 1 || len(a.calls[0]) != 51 || !slices.IsSorted(a.calls[0]) {
			t.Errorf("calls %v", a.calls)
		}
		if _, err := a.get(t.Context(), []string{"later"}); err != nil || len(a.calls) != 2 {
			t.Errorf("a later question: %v, calls %v", err, a.calls)
		}
	})
}

func TestAFullBatchGoesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, began := newAsked(), time.Now()
		var ids []string
		for n := range maxFilterValues {
			ids = append(ids, fmt.Sprintf("i-%03d", n))
		}
		if got, err := a.get(t.Context(), ids); err != nil || len(got) != len(ids) || time.Since(began) != 0 {
			t.Errorf("%d answers after %s, %v", len(got), time.Since(began), err)
		}
		if got, err := a.get(t.Context(), []string{"", ""}); err != nil || len(got) != 0 || len(a.calls) != 1 {
			t.Errorf("nothing asked for: %v, %v, %d calls", got, err, len(a.calls))
		}
	})
}

// Who gives up takes nobody along, and who waits beyond its own time is told so.
func TestOneGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsked()
		var wg sync.WaitGroup
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), gatherWindow/2)
			defer cancel()
			if _, err := a.get(ctx, []string{"first"}); mustError(t, err).Op != "Describe" || ClassOf(err) != ClassTransient {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		if got, err := a.get(t.Context(), []string{"second"}); err != nil || got["second"] != 6 {
			t.Errorf("got %v, %v", got, err)
		}
		wg.Wait()
	})
}

func TestAFailureIsEverybodys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAsked()
		a.err = &Error{Op: a.op, Class: ClassThrottled}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if got, err := a.get(t.Context(), []string{"i"}); ClassOf(err) != ClassThrottled || got != nil {
					t.Errorf("got %v, %v", got, err)
				}
			})
		}
		wg.Wait()
		if len(a.calls) != 1 {
			t.Errorf("calls %v", a.calls)
		}
	})
}

// What the session asks for is one request, whoever asks.
func TestReadingsOfManyAreOneRequest(t *testing.T) {
	for name, read := range map[string]func(context.Context, Session, string) error{
		"DescribeVolumes": func(ctx context.Context, s Session, id string) error {
			_, err := s.Volumes(ctx, []string{id})
			return err
		},
		"DescribeInstanceCreditSpecifications": func(ctx context.Context, s Session, id string) error {
			_, err := s.Credits(ctx, []string{id})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fakeAWS{answer: always(failure(http.StatusForbidden, "UnauthorizedOperation", "no"))}
				s := newTestSession(t, f)
				var wg sync.WaitGroup
				for n := range 20 {
					wg.Go(func() {
						if err := read(t.Context(), s, fmt.Sprint(n)); ClassOf(err) != ClassUnauthorized {
							t.Errorf("got %v", err)
						}
					})
				}
				wg.Wait()
				if got := f.actions(); len(got) != 1 || got[0] != name {
					t.Errorf("requests %v", got)
				}
			})
		})
	}
}
