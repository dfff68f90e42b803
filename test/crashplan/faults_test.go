// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package crashplan

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/fieldowner/ec2-operator/test/faultproxy"
)

// second is the object whose launch meets the fault.
const second = "second"

// fault is something that the way to the API server does for a while.
type fault struct {
	says string
	// begins and ends it. Between them the rule decides, if there is one.
	begins, ends func(api *faultproxy.Proxy)
	rule         func() faultproxy.Verdict
	lasts        time.Duration
	// asks is the most that the operator may ask while it lasts, and dials the most connections that it may make, until all is well.
	asks, dials int
	http1       bool
}

// faults are the table.
var faults = []fault{
	{
		says:   "429 with Retry-After",
		begins: (*faultproxy.Proxy).Break,
		rule:   func() faultproxy.Verdict { return faultproxy.Answer(http.StatusTooManyRequests, time.Second) },
		lasts:  12 * time.Second, asks: 200, dials: 20,
	},
	{
		says:   "500",
		begins: (*faultproxy.Proxy).Break,
		rule:   func() faultproxy.Verdict { return faultproxy.Answer(http.StatusInternalServerError, 0) },
		lasts:  12 * time.Second, asks: 200, dials: 20,
	},
	{
		says:   "503",
		begins: (*faultproxy.Proxy).Break,
		rule:   func() faultproxy.Verdict { return faultproxy.Answer(http.StatusServiceUnavailable, 0) },
		lasts:  12 * time.Second, asks: 200, dials: 20,
	},
	{
		says:   "half-open connections",
		begins: halfOpen,
		ends:   func(api *faultproxy.Proxy) { api.FreezeNew(false) },
		lasts:  12 * time.Second, asks: 200, dials: 20,
	},
}

func halfOpen(api *faultproxy.Proxy) {
	api.FreezeNew(true)
	api.Freeze()
}

// TestAPIServerFaults: while an instance is launched and another object is edited, the way to the API server fails for a while. The
// operator comes back by itself, asks little meanwhile, and has launched each instance once.
func TestAPIServerFaults(t *testing.T) {
	t.Parallel()
	for _, f := range faults {
		t.Run(f.says, func(t *testing.T) {
			t.Parallel()
			f.meets(t)
		})
	}
}

func (f fault) meets(t *testing.T) {
	t.Helper()
	s := newStage(t)
	s.allow(10)
	during := newTrouble(f)
	p := s.start(during, func(o *faultproxy.Options) { o.HTTP1 = f.http1 })
	create(s)
	s.eventually("waiting for what is there before", s.running)

	during.arm(p.api)
	s.applyTo(second, s.newSpec())
	s.eventually("waiting for the launch", func() error { return errors.Join(during.yet(), p.Running()) })
	s.spec.WithTags(tag("cost-center", "4711"))
	s.apply()
	<-time.After(f.lasts)
	during.end(p.api)
	over := time.Now()
	s.eventually("waiting for the operator to come back", func() error {
		return errors.Join(s.running(), s.runs(second), s.tagged("cost-center", "4711"), p.Running())
	})
	t.Logf("%s for %s: %d requests and %d connections meanwhile; all is well %s later",
		f.says, f.lasts, during.count(), p.api.Connections()-during.dialed, time.Since(over).Round(100*time.Millisecond))

	if launched := s.sim.Counts().Launched; launched != 2 || len(s.sim.Live()) != 2 {
		t.Errorf("%d instances were launched for 2 objects, and %d live", launched, len(s.sim.Live()))
	}
	if n := during.count(); n > f.asks {
		t.Errorf("the operator asked %d times meanwhile, more than %d", n, f.asks)
	}
	if n := p.api.Connections() - during.dialed; n > f.dials {
		t.Errorf("the operator made %d connections, more than %d", n, f.dials)
	}
}

// tagged tells what is missing until one instance bears a tag.
func (s *stage) tagged(key, value string) error {
	for _, i := range s.sim.Live() {
		if i.Tags[key] == value {
			return nil
		}
	}
	return fmt.Errorf("no instance bears %s=%s", key, value)
}

// trouble lets a fault begin when an instance has been launched, before the operator knows.
type trouble struct {
	fault fault
	begun chan struct{}
	// dialed is how many connections there had been before.
	dialed int

	mu          sync.Mutex
	api         *faultproxy.Proxy
	armed, over bool
	requests    int
}

func newTrouble(f fault) *trouble { return &trouble{fault: f, begun: make(chan struct{})} }

// arm has the fault begin with the next launch.
func (tr *trouble) arm(api *faultproxy.Proxy) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.api, tr.armed, tr.dialed = api, true, api.Connections()
}

// asked implements rules.
func (tr *trouble) asked(r faultproxy.Request) faultproxy.Verdict {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.over || tr.yet() != nil || !fromKubernetes(r) {
		return faultproxy.Pass()
	}
	tr.requests++
	if tr.fault.rule == nil {
		return faultproxy.Pass()
	}
	return tr.fault.rule()
}

// changed implements rules.
func (tr *trouble) changed(r faultproxy.Request) faultproxy.Verdict {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.armed && r.Change == "RunInstances" {
		tr.armed = false
		tr.fault.begins(tr.api)
		close(tr.begun)
	}
	return faultproxy.Pass()
}

// yet tells what is missing until the fault has begun.
func (tr *trouble) yet() error {
	select {
	case <-tr.begun:
		return nil
	default:
		return errNotYet
	}
}

func (tr *trouble) end(api *faultproxy.Proxy) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.over = true
	if tr.fault.ends != nil {
		tr.fault.ends(api)
	}
}

func (tr *trouble) count() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.requests
}

// fromKubernetes tells requests to the API server from those to EC2, which are all for "/".
func fromKubernetes(r faultproxy.Request) bool { return r.URL.Path != "/" }
