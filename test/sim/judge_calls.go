// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// badRequest is the first HTTP status that is an error.
const badRequest = http.StatusBadRequest

// documented are EC2's buckets, by action: how many requests they hold and gain in a second (EC2 developer guide, "Request throttling").
// They are written down here anew, so that a slip in the operator's own table shows.
var documented = map[string][2]float64{
	"RunInstances": {5, 2}, "StartInstances": {5, 2}, "StopInstances": {50, 5}, "TerminateInstances": {100, 5},
	"CreateTags": {100, 10}, "DeleteTags": {100, 10}, "DescribeInstances": {100, 20}, "DescribeInstanceStatus": {100, 20},
	"DescribeInstances/unpaginated": {50, 10},
}

// operatorsShare is the part of a bucket that the operator allows itself.
const operatorsShare = 0.9

// effectless is how often a call that changes nothing may be made.
const effectless = 5

// calls are what is known of the calls to AWS.
type calls struct {
	buckets map[string]*tokens
	// idle are calls that changed nothing, by all that they say.
	idle map[string]*idleCall
	// trouble is when a call last failed.
	trouble time.Time
}

func newCalls() calls { return calls{buckets: map[string]*tokens{}, idle: map[string]*idleCall{}} }

// tokens is a token bucket.
type tokens struct {
	left float64
	at   time.Time
}

// take takes a token, and tells whether there was one.
func (t *tokens) take(now time.Time, size, perSecond float64) bool {
	const rounding = 1e-6
	if t.at.IsZero() {
		t.left = size
	} else {
		t.left = min(size, t.left+now.Sub(t.at).Seconds()*perSecond)
	}
	t.at = now
	t.left--
	return t.left > -rounding
}

// idleCall is a call that changed nothing, the last few times that it was made, and how EC2 was then.
type idleCall struct {
	times int
	truth string
}

// call is a request of an operator to AWS.
type call struct {
	judge        *judge
	user, action string
	text         string
	form         url.Values
	writes       bool
	truth        string
}

// list is a list of the form: NAME.1, NAME.2, and so on, each with a suffix.
func (c *call) list(name string, suffix ...string) []string {
	var out []string
	for n := 1; ; n++ {
		key := strings.Join(append([]string{fmt.Sprintf("%s.%d", name, n)}, suffix...), ".")
		if !c.form.Has(key) {
			return out
		}
		out = append(out, c.form.Get(key))
	}
}

// sent looks at a request of a process when it is sent: it stops at the gate once for each time that it is on the wire.
func (j *judge) sent(p *process, r *http.Request, action, text string) *call {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.sentBy(r.Context(), p.user(), r.Header.Get("Amz-Sdk-Request"), action, text)
}

func (j *judge) sentBy(ctx context.Context, user, attempt, action, text string) *call {
	c := &call{judge: j, user: user, action: action, text: text, writes: changesEC2(action)}
	c.form, _ = url.ParseQuery(text) // That of a JSON protocol has nothing that is asked for.
	j.withinBucket(c)
	j.staysInCall(c)
	if !c.writes {
		return c
	}
	j.holds(onceEach, attempt == "" || strings.HasPrefix(attempt, "attempt=1;"), "%s is repeated by the SDK: %s", action, attempt)
	deadline, ok := ctx.Deadline()
	j.holds(onceEach, ok && time.Until(deadline) <= time.Minute, "%s has no deadline of a minute or less", action)
	j.listsOfCall(c)
	if action == "RunInstances" {
		j.launchSent(c)
	}
	j.allowed(c)
	return c
}

// withinBucket: the operator keeps within its share of the action's bucket.
func (j *judge) withinBucket(c *call) {
	name := c.action
	if name == "DescribeInstances" && !c.form.Has("MaxResults") && !c.form.Has("NextToken") && !strings.Contains(c.text, "Filter.") {
		name += "/unpaginated"
	}
	limits, ok := documented[name]
	if !ok {
		return // Other services document none.
	}
	key := c.user + " " + name
	if j.calls.buckets[key] == nil {
		j.calls.buckets[key] = &tokens{}
	}
	size, perSecond := max(1, float64(int(limits[0]*operatorsShare))), limits[1]*operatorsShare
	j.holds(withinBuckets, j.calls.buckets[key].take(time.Now(), size, perSecond), "%s calls %s more often than %g at once and %g a second",
		c.user, name, size, perSecond)
}

// reaches looks at the world just before EC2 serves the call.
func (c *call) reaches() {
	if !c.writes {
		return
	}
	j := c.judge
	j.mu.Lock()
	defer j.mu.Unlock()
	c.truth = truthOf(j.world.ec2, j.world.ec2.Instances())
	if c.action == "RunInstances" {
		j.launchReaches(c)
	}
}

// failed remembers that the operator has no answer, and EC2 was not asked.
func (c *call) failed() {
	c.judge.mu.Lock()
	defer c.judge.mu.Unlock()
	c.judge.calls.trouble = time.Now()
}

// served looks at the world when EC2 has served the call, and at the answer. delivered: the operator gets it.
func (c *call) served(answer *http.Response, err error, delivered bool) {
	j := c.judge
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil || !delivered || answer.StatusCode >= badRequest {
		j.calls.trouble = time.Now()
	}
	if err == nil && delivered {
		j.answered(c, answer)
	}
	if !c.writes || err != nil {
		return
	}
	j.mutations++
	j.world.trace("ec2 %s: %d", c.action, answer.StatusCode)
	all := j.world.ec2.Instances()
	j.onePerObject(all)
	if accepted(answer) {
		j.accepted++
		j.hadEffect(c, truthOf(j.world.ec2, all))
	}
}

// accepted tells whether EC2 has done what it was asked for. Some actions answer with the instances for which they have not.
func accepted(answer *http.Response) bool {
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return err == nil && answer.StatusCode < badRequest && !unsuccessful.Match(body)
}

// unsuccessful finds an instance in such a list.
var unsuccessful = regexp.MustCompile(`<unsuccessful\w*>\s*<item>`)

// answered looks at an answer that the operator gets. A refusal for the rate empties the operator's bucket.
func (j *judge) answered(c *call, answer *http.Response) {
	if c.action == "RunInstances" {
		j.launchAnswered(c, answer.StatusCode)
	}
	if answer.StatusCode < badRequest {
		return
	}
	body, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	answer.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil || !bytes.Contains(body, []byte("RequestLimitExceeded")) {
		return
	}
	if b := j.calls.buckets[c.user+" "+c.action]; b != nil {
		b.left = min(b.left, 1)
	}
}

// hadEffect: a call that changes nothing is not made again and again while nothing changes.
func (j *judge) hadEffect(c *call, after string) {
	key := c.user + " " + c.action + " " + c.text
	if c.truth != after {
		delete(j.calls.idle, key)
		return
	}
	idle := j.calls.idle[key]
	if idle == nil || idle.truth != after {
		idle = &idleCall{truth: after}
		j.calls.idle[key] = idle
	}
	idle.times++
	j.holds(callsHaveEffect, idle.times <= effectless, "%s made %s %d times, and it changes nothing", c.user, c.action, idle.times)
}

// truthOf is all instances, with their states, what can be changed of them, and their tags, as text.
func truthOf(sim *ec2sim.Sim, all []ec2sim.Instance) string {
	var b strings.Builder
	for _, i := range all {
		fmt.Fprintf(&b, "%s %s", i.ID, i.State)
		if i.Live() {
			fmt.Fprintf(&b, " %v", sim.Configuration(i.ID)) // Maps are written in the order of their keys.
		}
		for _, key := range slices.Sorted(maps.Keys(i.Tags)) {
			fmt.Fprintf(&b, " %s=%s", key, i.Tags[key])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
