// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package operator puts the operator together: the manager, the way to AWS and every reconciler. Nothing else
// knows them all.
package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	clientgoac "k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/applyconfig"
	"github.com/fieldowner/ec2-operator/controller/account"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
	"github.com/fieldowner/ec2-operator/controller/instance"
)

const (
	// leaseName is the leader election's Lease.
	leaseName = "ec2-operator"

	// shutdownGrace is how long passes under way may take to end: a launch has a minute for its answer, and its
	// status is to be written after it.
	shutdownGrace = 90 * time.Second

	// clusterNamespace is the namespace whose uid identifies a cluster: it exists in each, exactly once, for as
	// long as the cluster does.
	clusterNamespace = "kube-system"
)

// Options of the operator.
type Options struct {
	// Namespace that the operator runs in; its Lease is there.
	Namespace string
	// LeaderElection makes one of several operators act.
	LeaderElection bool
	// MetricsAddress and ProbeAddress to listen at; "0" does not listen.
	MetricsAddress, ProbeAddress string
	// WatchNamespaces to work in; none are all.
	WatchNamespaces []string
	// Workers is how many EC2Instances are worked on at a time.
	Workers int
	// DefaultAccount applies an EC2Account named default, made from the environment, for all namespaces.
	DefaultAccount bool
	// Log for everything that is logged.
	Log logr.Logger
	// AWSClient sends requests to AWS. By default it is the SDK's.
	AWSClient cloud.HTTPClient
	// Random returns numbers in [0, 1) that spread polls and retries. By default it is random.
	Random func() float64
	// Identity identifies this run of the operator: no other one, before or beside it, has the same. By default it is random.
	Identity string
}

func (o Options) identity() string { return cmp.Or(o.Identity, string(uuid.NewUUID())) }

// Run runs the operator until ctx ends.
func Run(ctx context.Context, cfg *rest.Config, o Options) error {
	mgr, err := newManager(cfg, o)
	if err != nil {
		return err
	}
	if err := Setup(ctx, mgr, o); err != nil {
		return err
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("running the manager: %w", err)
	}
	return nil
}

// Scheme is what the operator knows.
func Scheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), discoveryv1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), ec2v1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("building the scheme: %w", err)
	}
	return scheme, nil
}

func newManager(cfg *rest.Config, o Options) (manager.Manager, error) {
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                        scheme,
		Logger:                        o.Log,
		Cache:                         cache.Options{DefaultNamespaces: watched(o.WatchNamespaces), ByObject: Cached()},
		LeaderElection:                o.LeaderElection,
		LeaderElectionID:              leaseName,
		LeaderElectionNamespace:       o.Namespace,
		LeaderElectionReleaseOnCancel: true,
		Metrics: metricsserver.Options{
			BindAddress: o.MetricsAddress, SecureServing: true, FilterProvider: filters.WithAuthenticationAndAuthorization,
		},
		HealthProbeBindAddress:  o.ProbeAddress,
		GracefulShutdownTimeout: new(shutdownGrace),
		// A standby fills its caches and queues, so that it can go on at once when it becomes the leader.
		Controller: config.Controller{EnableWarmup: new(true)},
	})
	if err != nil {
		return nil, fmt.Errorf("building the manager: %w", err)
	}
	return mgr, nil
}

// Cached is what the cache holds of kinds of which it does not hold all: of children those that are ours, and of
// CRDs their metadata without managedFields.
func Cached() map[client.Object]cache.ByObject {
	out := instance.ChildrenInCache()
	out[crdMetadata()] = cache.ByObject{Transform: cache.TransformStripManagedFields()}
	return out
}

func watched(namespaces []string) map[string]cache.Config {
	if len(namespaces) == 0 {
		return nil
	}
	out := make(map[string]cache.Config, len(namespaces))
	for _, n := range namespaces {
		out[n] = cache.Config{}
	}
	return out
}

// Setup registers everything that the operator is with a manager, whichever it is.
func Setup(ctx context.Context, mgr manager.Manager, o Options) error {
	cluster, err := clusterID(ctx, mgr.GetAPIReader())
	if err != nil {
		return err
	}
	sessions := cloud.NewProvider(cluster, cloud.Options{HTTPClient: o.AWSClient, Random: o.Random})
	observe := observer.New(observer.Options{Cluster: cluster, Clock: clock.RealClock{}, Random: o.Random, Log: mgr.GetLogger().WithName("observer")})
	counters, err := apply.NewMetrics(metrics.Registry)
	if err != nil {
		return fmt.Errorf("setting up the way to Kubernetes: %w", err)
	}
	predictor := newPredictor(mgr.GetScheme())
	applier := apply.New(mgr.GetClient(), predictor, apply.WithMetrics(counters))

	instances := &instance.Reconciler{
		Reader: mgr.GetClient(), Live: mgr.GetAPIReader(), Applier: applier, Sessions: sessions, Observer: observe,
		Events: mgr.GetEventRecorder("ec2-operator"), Clock: clock.RealClock{}, Cluster: cluster, Identity: o.identity(),
		OperatorNamespace: o.Namespace, Namespaces: o.WatchNamespaces,
	}
	accounts := &account.Reconciler{Reader: mgr.GetClient(), Applier: applier, Sessions: sessions, Observer: observe, Clock: clock.RealClock{}}
	if err := errors.Join(
		mgr.Add(observe),
		instances.SetupWithManager(ctx, mgr, o.Workers),
		accounts.SetupWithManager(mgr),
		addSchemas(mgr, predictor),
		probes(mgr),
	); err != nil {
		return fmt.Errorf("setting up the controllers: %w", err)
	}
	if o.DefaultAccount {
		return addDefaultAccount(mgr, applier)
	}
	return nil
}

// newPredictor predicts the applies of all kinds that the operator writes: ours, and the children's, which are
// Kubernetes' own.
func newPredictor(scheme *runtime.Scheme) *apply.Predictor {
	return apply.NewPredictor(scheme, applyconfig.NewTypeConverter(scheme), clientgoac.NewTypeConverter(scheme))
}

// clusterID reads the uid that identifies this cluster in tags and tokens.
func clusterID(ctx context.Context, reader client.Reader) (string, error) {
	namespace := &corev1.Namespace{}
	if err := reader.Get(ctx, client.ObjectKey{Name: clusterNamespace}, namespace); err != nil {
		return "", fmt.Errorf("reading namespace %s, whose uid identifies the cluster: %w", clusterNamespace, err)
	}
	return string(namespace.UID), nil
}

// probes: alive is answering; ready is having read what there is, which needs the CRDs.
func probes(mgr manager.Manager) error {
	synced := func(req *http.Request) error {
		ctx, cancel := context.WithTimeout(req.Context(), time.Second)
		defer cancel()
		if !mgr.GetCache().WaitForCacheSync(ctx) {
			return errors.New("the caches are not synced")
		}
		return nil
	}
	return errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", synced))
}
