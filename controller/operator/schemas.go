// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/fieldowner/ec2-operator/config/crd"
	"github.com/fieldowner/ec2-operator/controller/apply"
)

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get;list;watch

// schemas compares the CRDs in the cluster with those that this build was made with. While one differs, after an
// upgrade of the CRDs and before that of the operator, or the other way round, nothing of its kind is skipped: the
// compiled schema may not know a default that the API server sets.
type schemas struct {
	// live reads past the cache, which holds no more of CRDs than their metadata.
	live      client.Reader
	predictor *apply.Predictor
	compiled  map[string]*apiextensionsv1.CustomResourceDefinition
}

func addSchemas(mgr manager.Manager, predictor *apply.Predictor) error {
	compiled, err := crd.All()
	if err != nil {
		return fmt.Errorf("loading the compiled schemas: %w", err)
	}
	s := &schemas{live: mgr.GetAPIReader(), predictor: predictor, compiled: compiled}
	ours := predicate.NewPredicateFuncs(func(obj client.Object) bool { return compiled[obj.GetName()] != nil })
	err = builder.ControllerManagedBy(mgr).
		Named("schemas").
		For(crdMetadata(), builder.WithPredicates(ours, predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{NeedLeaderElection: new(false)}).
		Complete(s)
	if err != nil {
		return fmt.Errorf("setting up the watch on CRDs: %w", err)
	}
	return nil
}

// crdMetadata is how the cache holds a CRD.
func crdMetadata() *metav1.PartialObjectMetadata {
	out := &metav1.PartialObjectMetadata{}
	out.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	return out
}

// Reconcile compares one CRD.
func (s *schemas) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	installed := &apiextensionsv1.CustomResourceDefinition{}
	err := s.live.Get(ctx, req.NamespacedName, installed)
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("reading CRD %s: %w", req.Name, err)
	}
	compiled := s.compiled[req.Name]
	kind := schema.GroupKind{Group: compiled.Spec.Group, Kind: compiled.Spec.Names.Kind}
	differs := !crd.SameSchemas(compiled, installed)
	if differs {
		log.FromContext(ctx).Info("CRD differs from the one of this build, so no write of its kind is skipped: upgrade the CRDs or the operator", "crd", req.Name)
	}
	s.predictor.SchemaDiffers(kind, differs)
	return reconcile.Result{}, nil
}
