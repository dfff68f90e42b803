// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/recorder"

	"github.com/fieldowner/ec2-operator/test/sim/lagcache"
)

// simManager is the manager of one operator process: what controller-runtime's would be, over a cache that lags and a client whose
// requests stop at the gate. It runs what is added to it, without leader election.
type simManager struct {
	manager.Manager // What nobody asks for.

	process   *process
	config    *rest.Config
	cache     *lagcache.Cache
	client    client.Client
	live      client.Client
	events    recorder.EventRecorder
	logger    logr.Logger
	runnables []manager.Runnable
}

func (m *simManager) Add(r manager.Runnable) error {
	m.process.gateQueue(r)
	m.runnables = append(m.runnables, r)
	return nil
}

func (m *simManager) Elected() <-chan struct{} {
	out := make(chan struct{})
	close(out)
	return out
}

func (m *simManager) AddHealthzCheck(string, healthz.Checker) error  { return nil }
func (m *simManager) AddReadyzCheck(string, healthz.Checker) error   { return nil }
func (m *simManager) GetLogger() logr.Logger                         { return m.logger }
func (m *simManager) GetHTTPClient() *http.Client                    { return http.DefaultClient }
func (m *simManager) GetConfig() *rest.Config                        { return m.config }
func (m *simManager) GetCache() cache.Cache                          { return m.cache }
func (m *simManager) GetScheme() *runtime.Scheme                     { return m.client.Scheme() }
func (m *simManager) GetClient() client.Client                       { return m.client }
func (m *simManager) GetFieldIndexer() client.FieldIndexer           { return m.cache }
func (m *simManager) GetRESTMapper() meta.RESTMapper                 { return m.client.RESTMapper() }
func (m *simManager) GetAPIReader() client.Reader                    { return m.live }
func (m *simManager) GetEventRecorder(string) recorder.EventRecorder { return m.events }

func (m *simManager) GetControllerOptions() config.Controller {
	// Processes of one run have controllers of the same names.
	return config.Controller{SkipNameValidation: new(true)}
}

// starts begins to run all that was added, until ctx ends. Between one and the next, quiesce has the first settle: in which order they begin
// is no matter of chance.
func (m *simManager) starts(ctx context.Context, quiesce func()) (ended <-chan error) {
	done := make(chan error, len(m.runnables))
	for _, r := range m.runnables {
		go func() { done <- r.Start(ctx) }()
		quiesce()
	}
	out := make(chan error, 1)
	go func() {
		var errs []error
		for range m.runnables {
			if err := <-done; !errors.Is(err, context.Canceled) && !errors.Is(err, errCrashed) {
				errs = append(errs, err)
			}
		}
		out <- errors.Join(errs...)
	}()
	return out
}
