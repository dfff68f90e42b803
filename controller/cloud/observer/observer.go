// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// Scope is what one poller watches: an account in a Region.
type Scope struct {
	// Account is the name of the EC2Account.
	Account string
	// Region is the AWS Region.
	Region string
}

// Lister is what the observer needs of a [cloud.Session].
type Lister interface {
	// List yields all instances of the cluster, page by page.
	List(ctx context.Context, yield func([]cloud.Instance) error) error
	// Look returns those of the given instances that EC2 shows.
	Look(ctx context.Context, ids []string) ([]cloud.Instance, error)
	// ListStatuses yields the status of all running instances of the account and Region, page by page.
	ListStatuses(ctx context.Context, yield func([]cloud.InstanceStatus) error) error
}

// Options of an Observer.
type Options struct {
	// Cluster is what our instances' cluster tag holds: the uid of namespace kube-system.
	Cluster string
	// Clock drives the schedule. By default it is the real one.
	Clock clock.Clock
	// Log gets the failures of lists, once each, and their end.
	Log logr.Logger
	// Random returns numbers in [0, 1) for jitter, and is called by many goroutines at once. By default it is random.
	Random func() float64
}

// Observer watches EC2 for any number of scopes.
type Observer struct {
	options     Options
	subscribers *subscribers
	// wake tells Start that there are new views to poll for.
	wake chan struct{}

	mu      sync.Mutex
	started bool
	views   map[Scope]*View
	// waiting have no poller yet.
	waiting []*View
}

// New returns an Observer, which observes from Start on.
func New(o Options) *Observer {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return &Observer{
		options:     o,
		subscribers: &subscribers{},
		wake:        make(chan struct{}, 1),
		views:       map[Scope]*View{},
	}
}

// Start observes until ctx ends, and returns when all its pollers have. It can be called once.
func (o *Observer) Start(ctx context.Context) error {
	o.mu.Lock()
	again := o.started
	o.started = true
	o.mu.Unlock()
	if again {
		return errors.New("the observer has been started before")
	}
	var pollers sync.WaitGroup
	defer pollers.Wait()
	for {
		for _, v := range o.takeWaiting() {
			pollers.Go(func() { o.poll(ctx, v) })
		}
		select {
		case <-ctx.Done():
			return nil
		case <-o.wake:
		}
	}
}

func (o *Observer) takeWaiting() []*View {
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting := o.waiting
	o.waiting = nil
	return waiting
}

func (o *Observer) poll(ctx context.Context, v *View) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !v.begin(cancel) {
		return
	}
	p := &poller{
		view:   v,
		clock:  o.options.Clock,
		random: o.options.Random,
		log:    o.options.Log.WithValues("account", v.scope.Account, "region", v.scope.Region),
	}
	p.run(ctx)
}

// NeedLeaderElection says no: the store is to be warm when this manager takes over, and reading changes nothing.
// Controllers decide what is tracked, so a standby whose controllers do not run costs nothing.
func (o *Observer) NeedLeaderElection() bool { return false }

// Track has a scope watched, with a full list each interval and the first one at once, and returns its view. Called again
// it returns the same view, and changes the lister and the interval if they have changed. With another lister the view
// keeps what it knows but does not count as synced until it has listed.
func (o *Observer) Track(scope Scope, l Lister, interval time.Duration) *View {
	o.mu.Lock()
	defer o.mu.Unlock()
	v, ok := o.views[scope]
	if !ok {
		v = newView(scope, o.options, o.subscribers)
		o.views[scope] = v
		o.waiting = append(o.waiting, v)
		o.wakeStart()
	}
	v.follow(source{lister: l, interval: interval})
	return v
}

// Forget ends the watch of all scopes of an account. Their views stay as they are and are not synced.
func (o *Observer) Forget(account string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for scope, v := range o.views {
		if scope.Account == account {
			delete(o.views, scope)
			v.end()
		}
	}
}

// OnChange subscribes to owners whose instances have changed: once for all that a call brought, and once for each owner
// after the first full list of a scope. f must not block: it is called by the poller, or by whoever put the answer in.
func (o *Observer) OnChange(f func(cloud.Owner)) { o.subscribers.onChange(f) }

// OnSynced subscribes to scopes whose view has become synced, after the owners there have been told. f must not block.
func (o *Observer) OnSynced(f func(Scope)) { o.subscribers.onSynced(f) }

func (o *Observer) wakeStart() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
