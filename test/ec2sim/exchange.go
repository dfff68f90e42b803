// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"k8s.io/utils/clock"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// request is an HTTP request that has been read.
type request struct {
	header http.Header
	query  url.Values
	body   []byte
}

// exchange is a request with all that is known before it is handled.
type exchange struct {
	request
	service service
	action  action
	call    *call
	latency time.Duration
	entry   Request
	err     error // decided already
}

// begin finds out who calls what and which faults are in the way.
func (s *Sim) begin(r *http.Request, req request) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	x := &exchange{request: req, service: services[serviceEC2], call: &call{sim: s, now: now, body: req.body}, latency: s.settings.Latency}
	x.entry = Request{ID: s.ids.requestID(), Time: now, Attempt: req.header.Get("Amz-Sdk-Request")}
	who, err := readScope(r)
	if err != nil {
		x.err = err
		return x
	}
	x.entry.Service, x.entry.Region, x.entry.AccessKeyID = who.service, who.region, who.accessKeyID
	served, ok := services[who.service]
	if !ok {
		x.err = fail(codeInvalidAction, "The service %q is not served by ec2sim", who.service)
		return x
	}
	x.service = served
	if x.err = x.parse(); x.err != nil {
		return x
	}
	x.call.caller, x.err = s.identify(who, now)
	x.entry.Account = x.call.caller.account
	x.call.effects = s.faults.apply(x.entry.ID, x.entry.Action, x.call.caller, x.call.params)
	x.entry.Faults = x.call.effects.fired
	return x
}

// parse reads action and parameters.
func (x *exchange) parse() error {
	name, params, err := x.service.parse(x.request)
	x.entry.Action = name
	if err != nil {
		return err
	}
	known, ok := x.service.actions[name]
	if !ok {
		return fail(x.service.unknown, "The action %s is not valid for this web service.", name)
	}
	x.action, x.call.action, x.call.params = known, name, params
	x.entry.Params = redact(params)
	return nil
}

// parseQuery reads a Query call.
func parseQuery(r request) (string, wire.Params, error) {
	params, err := wire.ParseForm(r.body, r.query)
	if err != nil {
		return "", nil, err
	}
	name := params["Action"]
	if name == "" {
		return "", nil, fail("MissingAction", "The request must contain the parameter Action")
	}
	delete(params, "Action")
	delete(params, "Version")
	return name, params, nil
}

// wait lets the latency pass, and a fault's delay: the latter on the simulator's
// clock, or in real time when that clock can only be read.
func (s *Sim) wait(ctx context.Context, x *exchange) error {
	if err := pass(ctx, x.latency, time.After); err != nil {
		return err
	}
	if c, ok := s.clock.(clock.Clock); ok {
		return pass(ctx, x.call.effects.delay, c.After)
	}
	return pass(ctx, x.call.effects.delay, time.After)
}

func pass(ctx context.Context, d time.Duration, after func(time.Duration) <-chan time.Time) error {
	if d == 0 {
		return nil
	}
	select {
	case <-after(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// perform handles the call and renders the answer.
func (s *Sim) perform(x *exchange) wire.Reply {
	out, err := s.run(x)
	if err == nil {
		var reply wire.Reply
		if reply, err = x.service.protocol.Encode(x.entry.Action, x.entry.ID, out); err == nil {
			s.finish(x, OutcomeOK, reply.Status)
			return reply
		}
	}
	failure, ok := errors.AsType[*wire.Error](err)
	if !ok {
		failure = fail(codeInternalError, "ec2sim: %s", err)
	}
	s.finish(x, failure.Code, failure.Status)
	return x.service.protocol.EncodeError(x.entry.ID, failure)
}

// run is the part of a call that sees and changes the world.
func (s *Sim) run(x *exchange) (any, error) {
	if x.err != nil {
		return nil, x.err
	}
	if err := x.call.effects.err; err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := x.call
	c.now, c.settings = s.clock.Now(), s.settings.clone()
	c.region = s.region(c.caller.account, c.caller.region)
	if err := c.region.debit(c.action, x.action.limits, c.params, &c.settings, c.now); err != nil {
		return nil, err
	}
	if err := x.action.checkParameters(c.params); err != nil {
		return nil, err
	}
	return x.action.handle(c)
}

// finish counts and logs the call.
func (s *Sim) finish(x *exchange, outcome string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := &x.entry
	e.Outcome, e.Status = outcome, status
	if outcome != OutcomeDropped {
		e.ResponseLost = x.call.effects.dropAfter
		e.Instances, e.Replayed = x.call.outcome.instances, x.call.outcome.replayed
	}
	count(&s.counts, *e)
	s.journal.add(*e)
}
