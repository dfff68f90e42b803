// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/settingsjson"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Fault is a rule: calls that match it suffer its effect. Empty criteria match
// everything, all that are given must match, and all faults that match a call take
// effect together. As JSON, Delay is text such as "1.5s".
type Fault struct { //nolint:recvcheck // values must marshal, too
	// ID is given by the simulator.
	ID string `json:"id,omitempty"`

	// Action is the name of the action, such as RunInstances.
	Action string `json:"action,omitempty"`
	// Account and Region are those that the call is for.
	Account string `json:"account,omitempty"`
	Region  string `json:"region,omitempty"`
	// InstanceID matches calls that name such an instance; it may contain * and ?.
	InstanceID string `json:"instanceID,omitempty"`
	// ClientToken matches the token of the call; it may contain * and ?.
	ClientToken string `json:"clientToken,omitempty"`
	// Nth takes only the nth call that matches, counted from 1.
	Nth int `json:"nth,omitempty"`
	// Times is how many calls suffer at most; 0 means any number.
	Times int `json:"times,omitempty"`
	// Probability takes a matching call by chance, derived from the seed; 0 means always.
	Probability float64 `json:"probability,omitempty"`

	// Error is answered instead of handling the call.
	Error *FaultError `json:"error,omitempty"`
	// Delay passes before the call is handled.
	Delay time.Duration `json:"delay,omitempty"`
	// Drop breaks the connection.
	Drop Drop `json:"drop,omitempty"`
	// Hide leaves instances out of describes, and makes their ids unknown to the
	// call; entries may contain * and ?.
	Hide []string `json:"hide,omitempty"`
	// HideTags leaves tags with these keys out; entries may contain * and ?.
	HideTags []string `json:"hideTags,omitempty"`
	// ListLimit cuts the list of a describe short without a NextToken.
	ListLimit *int `json:"listLimit,omitempty"`
	// LaunchFailure lets a launch be accepted and end as terminated without running.
	LaunchFailure *StateReason `json:"launchFailure,omitempty"`

	// Matched and Fired count the calls that the criteria fitted and that suffered.
	Matched int `json:"matched,omitempty"`
	Fired   int `json:"fired,omitempty"`
}

// FaultError is an error answer.
type FaultError struct {
	Code string `json:"code"`
	// Message may hold PerRequest, which is another text in each answer.
	Message string `json:"message,omitempty"`
	// Status is the HTTP status; 0 takes the one that EC2 uses for the code.
	Status int `json:"status,omitempty"`
}

// PerRequest stands in the message of a FaultError for the id of the request: EC2's messages can hold what is
// another text each time, such as the encoded part of an authorization failure.
const PerRequest = "{request}"

// StateReason is why an instance is in its state, in EC2's terms.
type StateReason struct {
	Code    string `json:"code"`
	Message string `json:"message,omitempty"`
}

// Drop is when a connection breaks.
type Drop string

// The moments at which a connection can break.
const (
	// DropBefore breaks it before the call is handled: nothing happened.
	DropBefore Drop = "before"
	// DropAfter breaks it after the call was handled: the response is lost.
	DropAfter Drop = "after"
)

// MarshalJSON writes the delay as text.
func (f Fault) MarshalJSON() ([]byte, error) { return settingsjson.Marshal(&f) }

// UnmarshalJSON refuses fields that are not known.
func (f *Fault) UnmarshalJSON(data []byte) error { return settingsjson.Merge(data, f) }

// validate says what is wrong with the fault, if anything.
func (f *Fault) validate() error {
	for _, rule := range []struct {
		broken bool
		text   string
	}{
		{f.Action != "" && !knownAction(f.Action), fmt.Sprintf("action %q is not served", f.Action)},
		{f.Nth < 0 || f.Times < 0 || f.Delay < 0, "nth, times and delay must not be negative"},
		{f.Probability < 0 || f.Probability > 1, fmt.Sprintf("probability %v: want 0 to 1", f.Probability)},
		{!slices.Contains([]Drop{"", DropBefore, DropAfter}, f.Drop), fmt.Sprintf("drop %q: want %q or %q", f.Drop, DropBefore, DropAfter)},
		{f.Error != nil && f.Error.Code == "", "error.code is missing"},
		{f.LaunchFailure != nil && f.LaunchFailure.Code == "", "launchFailure.code is missing"},
		{f.ListLimit != nil && *f.ListLimit < 0, "listLimit must not be negative"},
		{!f.hasEffect(), "the fault has no effect: set error, delay, drop, hide, hideTags, listLimit or launchFailure"},
	} {
		if rule.broken {
			return errors.New(rule.text)
		}
	}
	return nil
}

func (f *Fault) hasEffect() bool {
	return f.Error != nil || f.Delay > 0 || f.Drop != "" || len(f.Hide) > 0 || len(f.HideTags) > 0 || f.ListLimit != nil || f.LaunchFailure != nil
}

func knownAction(name string) bool {
	for _, s := range services {
		if _, ok := s.actions[name]; ok {
			return true
		}
	}
	return false
}

// effects are what the faults do to one call.
type effects struct {
	request               string   // the id of the call's request
	fired                 []string // ids
	err                   *wire.Error
	delay                 time.Duration
	dropBefore, dropAfter bool
	hide, hideTags        []string
	listLimit             *int
	launchFailure         *StateReason
}

// faults are the rules in force, in the order of their injection.
type faults struct {
	rules  []*Fault
	made   int
	random *rand.Rand
}

func newFaults(seed uint64) *faults {
	return &faults{random: rand.New(rand.NewPCG(seed, 0))} // not a secret: chance must repeat for a seed
}

func (f *faults) add(rule Fault) string {
	f.made++
	rule.ID, rule.Matched, rule.Fired = "fault-"+strconv.Itoa(f.made), 0, 0
	f.rules = append(f.rules, &rule)
	return rule.ID
}

func (f *faults) remove(id string) bool {
	before := len(f.rules)
	f.rules = slices.DeleteFunc(f.rules, func(r *Fault) bool { return r.ID == id })
	return len(f.rules) < before
}

func (f *faults) list() []Fault {
	out := []Fault{}
	for _, r := range f.rules {
		out = append(out, *r)
	}
	return out
}

// apply finds what happens to a call.
func (f *faults) apply(request, action string, who caller, params wire.Params) effects {
	e := effects{request: request}
	for _, r := range f.rules {
		if !r.matches(action, who, params) {
			continue
		}
		r.Matched++
		if f.fires(r) {
			r.Fired++
			e.suffer(r)
		}
	}
	return e
}

func (f *faults) fires(r *Fault) bool {
	switch {
	case r.Nth > 0 && r.Matched != r.Nth:
		return false
	case r.Times > 0 && r.Fired >= r.Times:
		return false
	}
	return r.Probability == 0 || f.random.Float64() < r.Probability
}

func (f *Fault) matches(action string, who caller, params wire.Params) bool {
	return (f.Action == "" || f.Action == action) &&
		(f.Account == "" || f.Account == who.account) &&
		(f.Region == "" || f.Region == who.region) &&
		(f.ClientToken == "" || anyMatch([]string{f.ClientToken}, params["ClientToken"])) &&
		(f.InstanceID == "" || namesInstance(params, f.InstanceID))
}

func namesInstance(params wire.Params, pattern string) bool {
	named := slices.Concat(params.List("InstanceId"), params.List("ResourceId"))
	if id, ok := params["InstanceId"]; ok {
		named = append(named, id)
	}
	for _, item := range params.Structs("InstanceCreditSpecification") {
		named = append(named, item["InstanceId"])
	}
	return slices.ContainsFunc(named, func(id string) bool { return anyMatch([]string{pattern}, id) })
}

func (e *effects) suffer(r *Fault) {
	e.fired = append(e.fired, r.ID)
	e.delay += r.Delay
	e.dropBefore = e.dropBefore || r.Drop == DropBefore
	e.dropAfter = e.dropAfter || r.Drop == DropAfter
	e.hide = append(e.hide, r.Hide...)
	e.hideTags = append(e.hideTags, r.HideTags...)
	if r.Error != nil && e.err == nil {
		e.err = r.Error.wire(e.request)
	}
	if r.ListLimit != nil {
		e.listLimit = r.ListLimit
	}
	if r.LaunchFailure != nil {
		e.launchFailure = r.LaunchFailure
	}
}

func (e *FaultError) wire(request string) *wire.Error {
	out := &wire.Error{Status: e.Status, Code: e.Code, Message: strings.ReplaceAll(e.Message, PerRequest, request)}
	if out.Status == 0 {
		out.Status = statusOf(e.Code)
	}
	if out.Message == "" {
		out.Message = "Injected fault"
	}
	return out
}
