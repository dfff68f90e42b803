// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// namespace is where the objects are, and account what they use.
const (
	namespace = "shop"
	account   = "default"
	userName  = "user"
)

// world is everything in one run.
type world struct {
	seed   uint64
	random *rand.Rand
	api    *apiserver.Server
	ec2    *ec2sim.Sim
	gate   *gate
	// uneven makes durations odd.
	uneven *chance
	judge  *judge
	user   client.Client

	// met counts the faults that happened, by name, and troubles are those that go on.
	met      map[string]int
	troubles []trouble
	// blindUntil is when EC2 shows everything again, at the latest.
	blindUntil time.Time
	// oldest is the first revision with all that is there from the start, and crowd how many operators ran at once at most.
	oldest int64
	crowd  int

	started   int
	setup     bool
	processes []*process
	byUser    sync.Map

	mu  sync.Mutex
	log []string
	// rewritten: the Secret with user data was given other contents.
	rewritten bool
	// lastLines is how many lines of the log are kept at least; 0 is all.
	lastLines int
}

// newWorld makes a world with an account and no objects, in a bubble.
func newWorld(seed uint64) (*world, error) {
	w := &world{seed: seed, random: rand.New(rand.NewPCG(seed, 0)), met: map[string]int{}, gate: &gate{}, uneven: newChance(seed, 0)} // It is to be foreseen.
	settings := w.drawSettings()
	w.ec2 = ec2sim.New(ec2sim.Options{Seed: seed, Settings: &settings})
	api, err := apiserver.New(apiserver.Options{Seed: seed, Namespaces: []string{namespace, operatorNamespace}, Intercept: w.intercept})
	if err != nil {
		return nil, fmt.Errorf("making the API server: %w", err)
	}
	w.api = api
	w.judge = newJudge(w)
	w.user = api.Client(userName)
	config := ec2v1ac.EC2Account(account).WithSpec(ec2v1ac.EC2AccountSpec().WithRegion("eu-central-1").WithPollIntervalSeconds([]int32{60, 120, 300}[w.random.IntN(3)]).
		WithAllowedNamespaces(metav1ac.LabelSelector()))
	if err := w.user.Apply(context.Background(), config, client.FieldOwner(userName)); err != nil {
		return nil, fmt.Errorf("making the account: %w", err)
	}
	w.oldest = api.ResourceVersion()
	if err := w.beginShort(); err != nil {
		return nil, err
	}
	return w, nil
}

// drawSettings are EC2's as documented, and, for every other seed, some lags as long as the operator must bear.
func (w *world) drawSettings() ec2sim.Settings {
	out := ec2sim.DefaultSettings()
	for _, lag := range []struct {
		of  *time.Duration
		max time.Duration
	}{
		{&out.DescribeByIDLag, 30 * time.Second},
		{&out.DescribeListLag, 2 * time.Minute},
		{&out.LaunchTagLag, 2 * time.Minute},
		{&out.TagChangeLag, 30 * time.Second},
		{&out.StateLag, 30 * time.Second},
		{&out.ActByIDLag, 30 * time.Second},
		{&out.TagByIDLag, 30 * time.Second},
	} {
		if w.seed%2 == 1 && w.random.IntN(2) == 0 {
			*lag.of = time.Duration(w.random.Int64N(int64(lag.max)))
		}
	}
	return out
}

// intercept stops the operators' requests to the API server at the gate.
func (w *world) intercept(r apiserver.Request) apiserver.Verdict {
	if !isOperator(r.User) {
		return apiserver.Verdict{After: func(record apiserver.Record) error {
			if w.judge != nil {
				w.judge.wrote(record)
			}
			return nil
		}}
	}
	if w.setup {
		return apiserver.Verdict{}
	}
	found, _ := w.byUser.Load(r.User)
	process, ok := found.(*process)
	if !ok {
		return apiserver.Verdict{Refuse: errCrashed}
	}
	return w.ruleOver(process, r)
}

// ruleOver waits for the ruling over a process' request.
func (w *world) ruleOver(process *process, r apiserver.Request) apiserver.Verdict {
	p := &parked{process: process, system: kubernetes, writes: r.Writes(),
		what: strings.Join([]string{r.Verb, r.Kind.Kind, r.Subresource, r.Namespace, r.Name, r.Manager}, " ")}
	ruled, err := w.gate.stop(context.Background(), p)
	if err != nil {
		return apiserver.Verdict{Refuse: err}
	}
	switch ruled {
	case refuse:
		return apiserver.Verdict{Refuse: apierrors.NewTooManyRequestsError("simulated")}
	case crashBefore:
		process.crash()
		return apiserver.Verdict{Refuse: errCrashed}
	case pass, loseAnswer, crashAfter:
	}
	if r.Verb == apiserver.VerbGet {
		w.judge.looked(r, w.api.ResourceVersion())
	}
	return apiserver.Verdict{After: func(record apiserver.Record) error {
		w.judge.wrote(record)
		switch ruled {
		case loseAnswer:
			return io.EOF
		case crashAfter:
			process.crash()
			return errCrashed
		case pass, refuse, crashBefore:
		}
		return nil
	}}
}

// trace adds a line to what happened.
func (w *world) trace(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, time.Now().UTC().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
	if w.lastLines > 0 && len(w.log) >= 2*w.lastLines {
		w.log = slices.Clone(w.log[len(w.log)-w.lastLines:])
	}
}

func (w *world) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log)
}

// alive are the processes that run.
func (w *world) alive() []*process {
	return slices.DeleteFunc(slices.Clone(w.processes), (*process).gone)
}

// active are those that are not stopped.
func (w *world) active() []*process {
	return slices.DeleteFunc(w.alive(), func(p *process) bool { return p.paused })
}

// end ends all processes, so that nothing is left in the bubble.
func (w *world) end() error {
	var errs []error
	for _, p := range w.processes {
		p.crash()
		if err := <-p.ended; err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.user(), err))
		}
	}
	synctest.Wait()
	return errors.Join(errs...)
}

// instance is the key of an EC2Instance.
func instanceKey(name string) client.ObjectKey {
	return client.ObjectKey{Namespace: namespace, Name: name}
}

// conditionOf finds a condition.
func conditionOf(conditions []metav1.Condition, name string) *metav1.Condition {
	for i := range conditions {
		if conditions[i].Type == name {
			return &conditions[i]
		}
	}
	return nil
}

func (w *world) collectGarbage() error {
	if _, err := w.api.CollectGarbage(context.Background()); err != nil {
		return fmt.Errorf("collecting garbage: %w", err)
	}
	return nil
}
