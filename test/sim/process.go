// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fieldowner/ec2-operator/controller/operator"
	"github.com/fieldowner/ec2-operator/test/sim/lagcache"
)

// operatorNamespace is where the operator would run.
const operatorNamespace = "ec2-operator-system"

// process is one run of the operator, from its start to its crash.
type process struct {
	number int
	world  *world
	cache  *lagcache.Cache
	cancel context.CancelFunc
	// paused: it gets no further, as if it were stopped by a signal; and deaf: its cache is told of nothing.
	paused, deaf bool
	// dead is closed when it crashes, and ended when all of it has returned.
	dead  chan struct{}
	ended <-chan error
	once  sync.Once
}

// user is the name under which the API server knows the process.
func (p *process) user() string { return fmt.Sprintf("operator-%d", p.number) }

// isOperator tells the user of a process from others.
func isOperator(user string) bool { return strings.HasPrefix(user, "operator-") }

func (p *process) gone() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

// crash ends the process without a chance to do anything more.
func (p *process) crash() {
	p.once.Do(func() {
		close(p.dead)
		p.cancel()
	})
}

// beforeRead stops the process' reads of its cache at the gate.
func (p *process) beforeRead(ctx context.Context, what string) error {
	if p.world.setup {
		return nil
	}
	if _, err := p.world.gate.stop(ctx, &parked{process: p, system: cacheReads, what: what + " in " + callers()}); err != nil {
		return err
	}
	p.world.judge.read(p, what)
	return nil
}

// start starts an operator whose cache lists the world as it is.
func (w *world) start() error {
	w.started++
	p := &process{number: w.started, world: w, dead: make(chan struct{})}
	w.byUser.Store(p.user(), p)
	scheme := w.api.Scheme()
	cache, err := lagcache.New(lagcache.Options{Source: w.api, Scheme: scheme, ByObject: operator.Cached(), BeforeRead: p.beforeRead})
	if err != nil {
		return fmt.Errorf("making the cache: %w", err)
	}
	p.cache = cache
	if err := cache.Relist(w.api.ResourceVersion()); err != nil {
		return fmt.Errorf("listing: %w", err)
	}
	live := w.api.Client(p.user())
	cached, err := client.New(w.api.RESTConfig(p.user()), client.Options{
		HTTPClient: &http.Client{Transport: w.api.RESTConfig(p.user()).Transport}, Scheme: scheme, Mapper: w.api.RESTMapper(),
		Cache: &client.CacheOptions{Reader: cache},
	})
	if err != nil {
		return fmt.Errorf("making the client: %w", err)
	}
	m := &simManager{process: p, config: w.api.RESTConfig(p.user()), cache: cache, client: cached, live: live, events: tracer{w}, logger: w.judge.logger()}
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	chance := newChance(w.seed, p.number)
	w.setup = true
	err = operator.Setup(ctx, m, operator.Options{
		Namespace: operatorNamespace, Workers: 1, AWSClient: &http.Client{Transport: &awsTransport{process: p, to: w.ec2.Transport()}}, Random: chance.next,
		Identity: p.user(),
	})
	w.setup = false
	if err != nil {
		cancel()
		return fmt.Errorf("setting the operator up: %w", err)
	}
	w.processes = append(w.processes, p)
	p.ended = m.starts(ctx, w.quiesce)
	return nil
}

// awsTransport stops a process' requests to AWS at the gate.
type awsTransport struct {
	process *process
	to      http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *awsTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	action, body, err := actionOf(r)
	if err != nil {
		return nil, err
	}
	p := &parked{process: t.process, system: ec2, what: action + " " + body, writes: changesEC2(action)}
	call := t.process.world.judge.sent(t.process, r, action, body)
	ruled, err := t.process.world.gate.stop(r.Context(), p)
	if err != nil {
		call.failed()
		return nil, err
	}
	switch ruled {
	case refuse:
		call.failed()
		return nil, io.EOF
	case crashBefore:
		t.process.crash()
		return nil, errCrashed
	case pass, loseAnswer, crashAfter:
	}
	t.process.world.unevenly()
	call.reaches()
	answer, err := t.to.RoundTrip(r)
	call.served(answer, err, ruled == pass)
	switch ruled {
	case loseAnswer:
		return nil, io.EOF
	case crashAfter:
		t.process.crash()
		return nil, errCrashed
	case pass, refuse, crashBefore:
	}
	return answer, err
}

// actionOf reads the action from a request of the Query protocol, and the parts of its body that tell requests apart.
func actionOf(r *http.Request) (action, text string, err error) {
	if r.Body == nil {
		return r.URL.Path, "", nil
	}
	body, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return "", "", fmt.Errorf("reading a request: %w", err)
	}
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		_, action, _ = strings.Cut(target, ".")
		return action, string(body), nil
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return "", "", fmt.Errorf("reading a request: %w", err)
	}
	return form.Get("Action"), form.Encode(), nil
}

// changesEC2 tells the actions that change something.
func changesEC2(action string) bool {
	return !slices.ContainsFunc([]string{"Describe", "Get", "Assume"}, func(reads string) bool { return strings.HasPrefix(action, reads) })
}

// tracer writes the events of a process to the trace.
type tracer struct{ world *world }

// AnnotatedEventf implements events.AnnotatedEventRecorder.
//
//nolint:revive // The arguments are the interface's.
func (t tracer) AnnotatedEventf(regarding, related runtime.Object, _ map[string]string, kind, reason, action, note string, args ...any) {
	t.Eventf(regarding, related, kind, reason, action, note, args...)
}

// Eventf implements events.EventRecorder.
//
//nolint:revive // The arguments are the interface's.
func (t tracer) Eventf(regarding, _ runtime.Object, _, reason, _, note string, args ...any) {
	name := ""
	if obj, ok := regarding.(client.Object); ok {
		name = obj.GetName()
	}
	text := fmt.Sprintf(note, args...)
	t.world.trace("event %s %s: %s", name, reason, text)
	t.world.judge.event(regarding, reason, text)
}
