// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package killed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fieldowner/ec2-operator/test/operatorrig"
)

const (
	// crashPause is how long an operator that has ended by itself is away. It ends when it starts without an API server,
	// and is started again, as a kubelet does.
	crashPause = time.Second
	// shownLines is how many lines of the operator's log a failed test shows.
	shownLines = 40
)

// pod keeps an operator running, the way a kubelet does, until it is killed.
type pod struct {
	args, env []string
	log       operatorrig.Log

	end  context.CancelFunc
	done chan struct{}

	mu      sync.Mutex
	crashes int
}

// newPod makes an operator for some namespaces. The operator is that which operatorrig has installed; its errors are
// expected here, while operatorrig's own process takes them for failures.
func newPod(t *testing.T, ec2URL string, namespaces ...string) *pod {
	t.Helper()
	p := &pod{
		args: []string{
			"--kubeconfig", filepath.Join(folder, "kubeconfig"),
			"--leader-elect=false", "--metrics-bind-address", "0", "--health-probe-bind-address", "0",
			"--watch-namespaces", strings.Join(namespaces, ","),
		},
		env: []string{
			"AWS_ENDPOINT_URL=" + ec2URL, "AWS_REGION=eu-central-1", "AWS_EC2_METADATA_DISABLED=true",
			"AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=secret",
		},
	}
	t.Cleanup(func() {
		_ = p.kill() // It may have been killed already.
		if strings.Contains(strings.ToLower(p.log.String()), "panic") {
			t.Error("the operator panicked")
		}
		if t.Failed() {
			t.Logf("The operator's log, its end:\n%s", p.log.Tail(shownLines))
		}
	})
	return p
}

func (p *pod) start() error {
	if p.end != nil {
		return errors.New("the operator runs already")
	}
	ctx, end := context.WithCancel(context.Background())
	p.end, p.done = end, make(chan struct{})
	go func() {
		defer close(p.done)
		p.keep(ctx)
	}()
	return nil
}

// keep runs operator after operator until ctx ends, which kills.
func (p *pod) keep(ctx context.Context) {
	for ctx.Err() == nil {
		command := exec.CommandContext(ctx, filepath.Join(folder, "ec2-operator"), p.args...)
		command.Stdout, command.Stderr = &p.log, &p.log
		command.Env = append(os.Environ(), p.env...)
		err := command.Run()
		if ctx.Err() != nil {
			return
		}
		fmt.Fprintf(&p.log, "(ended by itself: %v)\n", err)
		p.mu.Lock()
		p.crashes++
		p.mu.Unlock()
		pause(ctx, crashPause)
	}
}

// kill ends the operator without a chance to do anything more.
func (p *pod) kill() error {
	if p.end == nil {
		return errors.New("the operator does not run")
	}
	p.end()
	<-p.done
	p.end = nil
	return nil
}

// crashed is how often the operator has ended by itself.
func (p *pod) crashed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crashes
}

// errorsLogged counts what the operator has logged as errors, the most frequent first.
func (p *pod) errorsLogged() []string {
	counts := map[string]int{}
	for line := range strings.Lines(p.log.String()) {
		var entry struct{ Level, Msg string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Level == "ERROR" {
			counts[entry.Msg]++
		}
	}
	out := make([]string, 0, len(counts))
	for _, message := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Compare(counts[b], counts[a]) }) {
		out = append(out, fmt.Sprintf("%d × %s", counts[message], message))
	}
	return out
}

// pause lets time pass, which is what some of these tests are about, or ctx end.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
