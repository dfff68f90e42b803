// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// addDefaultAccount has the manager apply the default EC2Account once this operator leads. The right to do so is
// not the operator's by default: config/default-account gives it.
func addDefaultAccount(mgr manager.Manager, applier *apply.Applier) error {
	run := func(ctx context.Context) error { return applyDefaultAccount(ctx, mgr.GetLogger(), applier) }
	if err := mgr.Add(manager.RunnableFunc(run)); err != nil {
		return fmt.Errorf("adding the default EC2Account: %w", err)
	}
	return nil
}

// applyDefaultAccount applies an EC2Account made from the environment. Fields that somebody else has set stay
// theirs.
func applyDefaultAccount(ctx context.Context, log logr.Logger, applier *apply.Applier) error {
	region, err := cloud.EnvironmentRegion(ctx)
	if err != nil {
		return fmt.Errorf("making the default EC2Account: %w", err)
	}
	config := ec2v1ac.EC2Account(ec2v1.DefaultAccountName).WithSpec(ec2v1ac.EC2AccountSpec().
		WithRegion(region).
		WithAllowedNamespaces(metav1ac.LabelSelector()))
	_, err = applier.Apply(ctx, nil, apply.Intent{Config: config, Manager: apply.ManagerOperator, Create: true})
	if apply.IsOwnershipConflict(err) {
		log.Info("Kept the default EC2Account as others have set it", "conflict", err.Error())
		return nil
	}
	if err != nil {
		return fmt.Errorf("applying the default EC2Account: %w", err)
	}
	return nil
}
