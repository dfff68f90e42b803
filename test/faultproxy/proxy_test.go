// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ways are the protocols that a client can speak.
var ways = map[string]struct {
	options Options
	proto   string
}{
	"plain":      {Options{}, "HTTP/1.1"},
	"TLS":        {Options{TLS: true}, "HTTP/2.0"},
	"TLS, HTTP1": {Options{TLS: true, HTTP1: true}, "HTTP/1.1"},
}

// inEachWay runs a test for each protocol.
func inEachWay(t *testing.T, test func(t *testing.T, o Options, proto string)) {
	t.Helper()
	for name, way := range ways {
		t.Run(name, func(t *testing.T) { test(t, way.options, way.proto) })
	}
}

func TestWhatPassesIsAsItWas(t *testing.T) {
	inEachWay(t, func(t *testing.T, o Options, proto string) {
		t.Helper()
		r := newRig(t, o)
		response, text := r.must(http.MethodPost, "/a/b?c=d", "hello")
		_, host, _ := strings.Cut(r.proxy.URL, "://")
		if want := host + " said hello"; text != want || response.Proto != proto {
			t.Errorf("got %q over %s, want %q over %s", text, response.Proto, want, proto)
		}
		want := []string{"POST /a/b?c=d Bearer of-the-client hello"}
		if diff := cmp.Diff(want, r.backend.heard()); diff != "" {
			t.Errorf("the server heard (-want +got):\n%s", diff)
		}
	})
}

func TestWatchesPassLineByLine(t *testing.T) {
	inEachWay(t, func(t *testing.T, o Options, _ string) {
		t.Helper()
		r := newRig(t, o)
		lines := r.watch()
		r.hears(lines, "first", true)
		r.hears(lines, "second", true)
		r.proxy.Break()
		select {
		case line, open := <-lines:
			if open {
				t.Errorf("heard %q on a broken connection", line)
			}
		case <-time.After(patience):
			t.Error("the watch did not notice that its connection was broken")
		}
		r.hears(r.watch(), "third", true)
	})
}

func TestRequestsThatDoNotPass(t *testing.T) {
	inEachWay(t, func(t *testing.T, o Options, _ string) {
		t.Helper()
		var mu sync.Mutex
		verdict := Pass()
		rule := func(v Verdict) {
			mu.Lock()
			defer mu.Unlock()
			verdict = v
		}
		o.Asked = func(Request) Verdict {
			mu.Lock()
			defer mu.Unlock()
			return verdict
		}
		r := newRig(t, o)
		rule(Answer(http.StatusTooManyRequests, 2*time.Second))
		if response, _ := r.must(http.MethodGet, "/", ""); response.StatusCode != http.StatusTooManyRequests || response.Header.Get("Retry-After") != "2" {
			t.Errorf("got %d with %v", response.StatusCode, response.Header)
		}
		rule(Answer(http.StatusServiceUnavailable, 0))
		if response, _ := r.must(http.MethodGet, "/", ""); response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "" {
			t.Errorf("got %d with %v", response.StatusCode, response.Header)
		}
		rule(Cut())
		if response, _, err := r.do(http.MethodPost, "/", "x", patience); err == nil {
			t.Errorf("got %v, not a broken connection", response)
		}
		rule(Hold())
		r.unanswered(http.MethodPost, "/", "x")
		if heard := r.backend.heard(); len(heard) != 0 {
			t.Errorf("the server heard %q", heard)
		}
		rule(Pass())
		r.must(http.MethodGet, "/", "")
	})
}

// changing numbers what changes, and decides by what.
type changing struct {
	verdicts map[string]Verdict

	mu       sync.Mutex
	numbered []string
}

func (c *changing) changed(r Request) Verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.numbered = append(c.numbered, fmt.Sprintf("%d %s", len(c.numbered)+1, r.Change))
	return c.verdicts[r.Change]
}

// options has POSTs change what their body says.
func (c *changing) options(o Options) Options {
	o.Changes = func(r Request) string {
		if r.Method != http.MethodPost {
			return ""
		}
		return string(r.Content)
	}
	o.Changed = c.changed
	return o
}

// TestAnswersToChanges: what failed, and what changes nothing, is not numbered; what was carried out is, also when its answer is lost.
func TestAnswersToChanges(t *testing.T) {
	inEachWay(t, func(t *testing.T, o Options, _ string) {
		t.Helper()
		c := &changing{verdicts: map[string]Verdict{"held": Hold(), "cut": Cut(), "told wrong": Answer(http.StatusInternalServerError, time.Second)}}
		r := newRig(t, c.options(o))
		r.must(http.MethodGet, "/", "reading")
		r.must(http.MethodPost, "/refused", "refused")
		r.must(http.MethodPost, "/", "passed")
		r.unanswered(http.MethodPost, "/", "held")
		if response, _, err := r.do(http.MethodPost, "/", "cut", patience); err == nil {
			t.Errorf("got %v, not a broken connection", response)
		}
		response, text := r.must(http.MethodPost, "/", "told wrong")
		if response.StatusCode != http.StatusInternalServerError || response.Header.Get("Retry-After") != "1" || text != "Internal Server Error\n" {
			t.Errorf("got %d, %v and %q", response.StatusCode, response.Header, text)
		}
		want := []string{"1 passed", "2 held", "3 cut", "4 told wrong"}
		if diff := cmp.Diff(want, c.numbered); diff != "" {
			t.Errorf("numbered (-want +got):\n%s", diff)
		}
		if heard := r.backend.heard(); len(heard) != 6 {
			t.Errorf("the server heard %q", heard)
		}
	})
}

// TestOneCountForTwoServers: whoever decides for two proxies numbers what passes both.
func TestOneCountForTwoServers(t *testing.T) {
	c := &changing{}
	first, second := newRig(t, c.options(Options{TLS: true})), newRig(t, c.options(Options{}))
	for i, r := range []*rig{first, second, first} {
		r.must(http.MethodPost, "/", fmt.Sprint(i))
	}
	if want := []string{"1 0", "2 1", "3 2"}; !slices.Equal(c.numbered, want) {
		t.Errorf("numbered %q, want %q", c.numbered, want)
	}
}

// TestARequestCanBeChanged: the server gets what the rule made of it.
func TestARequestCanBeChanged(t *testing.T) {
	r := newRig(t, Options{Asked: func(r Request) Verdict {
		r.URL.RawQuery = "only=mine"
		return Pass()
	}})
	r.must(http.MethodGet, "/list?all=yes", "")
	if want := []string{"GET /list?only=mine Bearer of-the-client "}; !slices.Equal(r.backend.heard(), want) {
		t.Errorf("the server heard %q, want %q", r.backend.heard(), want)
	}
}

// TestCloseEndsWhatIsHeld: nobody waits for ever.
func TestCloseEndsWhatIsHeld(t *testing.T) {
	inEachWay(t, func(t *testing.T, o Options, _ string) {
		t.Helper()
		held := make(chan struct{})
		o.Target = newBackend(t).URL
		o.Asked = func(Request) Verdict {
			close(held)
			return Hold()
		}
		p, err := Start(o)
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{T: t, proxy: p, client: clientOf(p)}
		ended := make(chan error, 1)
		go func() {
			_, _, err := r.do(http.MethodPost, "/", "x", patience)
			ended <- err
		}()
		<-held
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err == nil {
			t.Error("the held request was answered")
		}
	})
}

func TestAWrongTargetIsTold(t *testing.T) {
	if p, err := Start(Options{Target: "::"}); err == nil {
		t.Errorf("started %s", p.URL)
	}
}
