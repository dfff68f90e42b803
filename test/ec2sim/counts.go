// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Outcomes of calls that are not error codes.
const (
	// OutcomeOK is a call that succeeded.
	OutcomeOK = "OK"
	// OutcomeDropped is a call whose connection broke before it was handled.
	OutcomeDropped = "Dropped"
)

// Counts are what happened since the start or the last reset.
type Counts struct {
	// Calls is the number of calls by action.
	Calls map[string]int `json:"calls"`
	// Outcomes is the number of calls by action and by error code or Outcome constant.
	Outcomes map[string]map[string]int `json:"outcomes"`
	// Launches is the number of RunInstances calls that launched something.
	Launches int `json:"launches"`
	// Launched is the number of instances that they launched.
	Launched int `json:"launched"`
	// Replays is the number of RunInstances calls that repeated an earlier one.
	Replays int `json:"replays"`
	// LostResponses is the number of calls that were handled and whose response was dropped.
	LostResponses int `json:"lostResponses"`
}

// Outcome is the number of calls of the action that ended so.
func (c Counts) Outcome(action, outcome string) int { return c.Outcomes[action][outcome] }

func newCounts() Counts {
	return Counts{Calls: map[string]int{}, Outcomes: map[string]map[string]int{}}
}

func (c Counts) clone() Counts {
	out := c
	out.Calls = maps.Clone(c.Calls)
	out.Outcomes = map[string]map[string]int{}
	for action, outcomes := range c.Outcomes {
		out.Outcomes[action] = maps.Clone(outcomes)
	}
	return out
}

// count adds a call.
func count(c *Counts, r Request) {
	c.Calls[r.Action]++
	if c.Outcomes[r.Action] == nil {
		c.Outcomes[r.Action] = map[string]int{}
	}
	c.Outcomes[r.Action][r.Outcome]++
	if r.ResponseLost {
		c.LostResponses++
	}
	switch {
	case r.Replayed:
		c.Replays++
	case len(r.Instances) > 0:
		c.Launches++
		c.Launched += len(r.Instances)
	}
}

// Request is one call in the log.
type Request struct {
	ID          string            `json:"id"`
	Time        time.Time         `json:"time"`
	Service     string            `json:"service"`
	Action      string            `json:"action"`
	Account     string            `json:"account"`
	Region      string            `json:"region"`
	AccessKeyID string            `json:"accessKeyID"`
	Params      map[string]string `json:"params"` // UserData is replaced by its length and hash
	// Attempt is the SDK's own account of its retries, such as "attempt=2; max=3".
	Attempt string `json:"attempt,omitempty"`
	// Outcome is an error code or one of the Outcome constants.
	Outcome string `json:"outcome"`
	Status  int    `json:"status,omitempty"`
	// ResponseLost says that the call was handled and its response dropped.
	ResponseLost bool `json:"responseLost,omitempty"`
	// Instances are the ones that a RunInstances call launched or found again.
	Instances []string `json:"instances,omitempty"`
	Replayed  bool     `json:"replayed,omitempty"`
	// Faults are the ids of the faults that the call suffered.
	Faults []string `json:"faults,omitempty"`
}

// journal keeps the latest requests.
type journal struct {
	limit   int
	entries []Request
}

// add lets the list grow to twice its limit before it drops the oldest half, so that
// a call seldom pays for moving entries.
func (j *journal) add(r Request) {
	j.entries = append(j.entries, r)
	if len(j.entries) >= 2*j.limit {
		j.entries = slices.Clone(j.latest())
	}
}

func (j *journal) latest() []Request { return j.entries[max(0, len(j.entries)-j.limit):] }

func (j *journal) list() []Request { return append([]Request{}, j.latest()...) }

// redact keeps user data, which may hold secrets, out of the log.
func redact(params wire.Params) map[string]string {
	const secret = "UserData"
	out := maps.Clone(params)
	if text, ok := out[secret]; ok {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			data = []byte(text)
		}
		out[secret] = fmt.Sprintf("%d bytes, sha256 %x", len(data), sha256.Sum256(data))
	}
	return out
}
