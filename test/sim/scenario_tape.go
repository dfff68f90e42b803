// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// write is a write of an operator that changed something in Kubernetes, or that EC2 accepted.
type write struct {
	process *process
	// request is its number among the operators' requests that write, from 1, and what tells it apart from others.
	request int
	what    string
	// toSubject: it changed the EC2Instance itself.
	toSubject bool
}

// tape numbers the operators' writes, from 1, in the order in which they were made.
type tape struct {
	world *world
	// writes since it was wound back, and requests of any kind, and those of them that write.
	writes                 []write
	requests, writing      int
	requestsUntilLastWrite int
	// launched and terminated are the instances of all time that operators launched and terminated.
	launched, terminated map[string]bool

	ruled                  []*ruledWrite
	recordsSeen, callsSeen int
	// restless counts the writes of all time, but for those to accounts: they count instances, which EC2 forgets after an hour.
	restless int
}

// ruledWrite is a request that writes, and was let go.
type ruledWrite struct {
	*parked
	request int
}

func newTape(w *world) *tape {
	return &tape{world: w, launched: map[string]bool{}, terminated: map[string]bool{}}
}

// wind begins numbering anew.
func (t *tape) wind() {
	t.writes, t.ruled = nil, nil
	t.requests, t.writing, t.requestsUntilLastWrite = 0, 0, 0
}

// add numbers a write.
func (t *tape) add(w write) {
	t.writes = append(t.writes, w)
	t.requestsUntilLastWrite = t.requests
}

// rules takes a request down that goes on. It returns its number among those that write.
func (t *tape) rules(p *parked) int {
	t.requests++
	if !p.writes {
		return 0
	}
	t.writing++
	t.ruled = append(t.ruled, &ruledWrite{parked: p, request: t.writing})
	return t.writing
}

// read takes down what was served since the last time.
func (t *tape) read() {
	records := t.world.api.RecordsSince(t.recordsSeen)
	t.recordsSeen += len(records)
	for _, r := range records {
		if isOperator(r.User) && r.Writes() {
			t.servedByKubernetes(r)
		}
	}
	if slices.ContainsFunc(t.ruled, func(r *ruledWrite) bool { return r.system == ec2 }) {
		t.readEC2()
	}
}

func (t *tape) servedByKubernetes(r apiserver.Record) {
	ruled := t.take(func(o *ruledWrite) bool { return o.system == kubernetes && o.process.user() == r.User })
	if ruled == nil || !r.Changed {
		return
	}
	if r.Kind.Kind != "EC2Account" {
		t.restless++
	}
	what := strings.Join(strings.Fields(strings.Join([]string{r.Verb, r.Kind.Kind, r.Name, r.Subresource, "as", r.Manager}, " ")), " ")
	t.add(write{
		process: ruled.process, request: ruled.request, what: what, toSubject: r.Kind.Kind == instanceKind.Kind && r.Name == subject,
	})
}

func (t *tape) readEC2() {
	calls := t.world.ec2.Requests()
	for _, c := range calls[min(t.callsSeen, len(calls)):] {
		if changesEC2(c.Action) {
			t.servedByEC2(c)
		}
	}
	t.callsSeen = len(calls)
}

func (t *tape) servedByEC2(c ec2sim.Request) {
	ruled := t.take(func(o *ruledWrite) bool { return o.system == ec2 && strings.HasPrefix(o.what, c.Action+" ") })
	if ruled == nil || c.Outcome != ec2sim.OutcomeOK {
		return
	}
	t.restless++
	for _, id := range c.Instances {
		t.launched[id] = true
	}
	if c.Action == "TerminateInstances" {
		t.terminated[c.Params["InstanceId.1"]] = true
	}
	t.add(write{process: ruled.process, request: ruled.request, what: c.Action})
}

// take takes the first request that was let go, is not served yet, and is like that.
func (t *tape) take(like func(*ruledWrite) bool) *ruledWrite {
	i := slices.IndexFunc(t.ruled, like)
	if i < 0 {
		return nil
	}
	out := t.ruled[i]
	t.ruled = slices.Delete(t.ruled, i, i+1)
	return out
}

// stops counts how often an instance was stopped, and started in between: a call that is repeated because EC2 does not show yet what came
// of it is none.
func (t *tape) stops() (n int) {
	stopped := false
	for _, w := range t.writes {
		switch {
		case w.what == "StartInstances":
			stopped = false
		case w.what == "StopInstances" && !stopped:
			stopped = true
			n++
		}
	}
	return n
}

// toSubject are the writes to the EC2Instance itself.
func (t *tape) toSubject() (out []string) {
	for _, w := range t.writes {
		if w.toSubject {
			out = append(out, w.what)
		}
	}
	return out
}
