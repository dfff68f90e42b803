// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package account reconciles EC2Accounts: it checks that AWS accepts the account's credentials, keeps the
// account's home Region observed, and tells how the account fares.
package account

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/apply"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

const (
	// authAgain is how often accepted credentials are checked again: they can be withdrawn at any time, and the
	// check is one call to STS.
	authAgain = 10 * time.Minute
)

// Sessions gives and forgets the sessions of accounts.
type Sessions interface {
	Session(ctx context.Context, account *ec2v1.EC2Account, region string) (cloud.Session, error)
	Forget(account string)
}

// Reconciler reconciles EC2Accounts.
type Reconciler struct {
	// Reader reads from the cache, Applier writes.
	Reader  client.Reader
	Applier *apply.Applier
	// Sessions and Observer are the way to AWS.
	Sessions Sessions
	Observer *observer.Observer
	// Clock tells the time.
	Clock clock.PassiveClock

	checks checks
}

// Reconcile makes one pass over an account.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	account := &ec2v1.EC2Account{}
	err := r.Reader.Get(ctx, req.NamespacedName, account)
	if apierrors.IsNotFound(err) {
		r.Sessions.Forget(req.Name)
		r.Observer.Forget(req.Name)
		r.Applier.Forget(r.checks.drop(req.Name))
		return reconcile.Result{}, nil
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("reading EC2Account from the cache: %w", err)
	}
	if !r.Applier.Fresh(account) {
		return reconcile.Result{RequeueAfter: apply.CacheLag}, nil
	}
	return r.pass(ctx, account)
}

func (r *Reconciler) pass(ctx context.Context, account *ec2v1.EC2Account) (reconcile.Result, error) {
	seen := r.look(ctx, account)
	config := ec2v1ac.EC2Account(account.Name).
		WithResourceVersion(account.ResourceVersion).
		WithStatus(buildStatus(account, seen, r.Clock.Now()))
	_, err := r.Applier.Apply(ctx, account, apply.Intent{
		Config: config, Manager: apply.ManagerAccount, Subresource: apply.SubresourceStatus, Force: true,
	})
	switch {
	case apply.IsGone(err):
		return reconcile.Result{}, nil
	case apply.IsStale(err):
		return reconcile.Result{RequeueAfter: apply.CacheLag}, nil
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("applying the status of EC2Account %q: %w", account.Name, err)
	}
	return reconcile.Result{RequeueAfter: seen.after}, nil
}

// look checks the credentials, where that is due, and reads the observer's store.
func (r *Reconciler) look(ctx context.Context, account *ec2v1.EC2Account) seen {
	session, err := r.Sessions.Session(ctx, account, "")
	if err != nil {
		return seen{failure: cloud.ErrorOf(err), after: cloud.ErrorOf(err).Class.Backoff(1)}
	}
	// One reading of the clock: the next check is after it, so there always is a time to come back.
	now := r.Clock.Now()
	check := r.checks.due(ctx, account, session, now)
	s := seen{accountID: check.accountID, failure: check.failure, after: check.next.Sub(now)}
	if check.failure != nil {
		return s
	}
	interval := time.Duration(max(account.Spec.PollIntervalSeconds, 1)) * time.Second
	view := r.Observer.Track(observer.Scope{Account: account.Name, Region: account.Spec.Region}, session, interval)
	s.synced, s.counts = view.Synced(), view.CountByState()
	if err := view.LastError(); err != nil {
		s.listing = cloud.ErrorOf(err)
	}
	// Counts change without anybody waking us: they are read once each poll, which costs no call.
	s.after = min(s.after, interval)
	return s
}

// requestFor is the key of an account.
func requestFor(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
}
