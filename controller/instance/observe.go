// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"slices"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// observe gathers what the decision depends on, without a call to EC2.
func (p *pass) observe(ctx context.Context) error {
	memory := p.memories.of(keyOf(p.obj), p.obj.UID, p.obj.Generation, p.Clock.Now())
	memory.saw(intentOf(p.obj, p.Cluster))
	p.actor = &actor{memory: memory, clock: p.Clock}
	p.in = Input{Cluster: p.Cluster, Identity: p.Identity, Object: p.obj}

	account, verdict, err := p.account(ctx, p.obj)
	if err != nil {
		return err
	}
	p.in.Account = verdict
	if account == nil {
		p.refresh()
		return nil
	}
	p.in.Region = regionOf(p.obj, account)
	session, err := p.Sessions.Session(ctx, account, p.in.Region)
	if err != nil {
		p.in.ListError = cloud.ErrorOf(err)
		p.refresh()
		return nil
	}
	p.actor.session = session
	if verdict.Reason == "" || p.obj.DeletionTimestamp != nil {
		scope := observer.Scope{Account: account.Name, Region: p.in.Region}
		p.actor.view = p.Observer.Track(scope, session, pollInterval(account))
	}
	return p.survey(ctx)
}

// refresh reads the observer's store, the memory and the time again.
func (p *pass) refresh() {
	p.in.Now = p.Clock.Now()
	p.in.Memory = *p.actor.memory
	view := p.actor.view
	if view == nil {
		return
	}
	p.in.Synced, p.in.ListError, p.in.StatusError = view.Synced(), cloud.ErrorOf(view.LastError()), cloud.ErrorOf(view.StatusError())
	p.in.Entries = entriesOf(view, p.obj, p.Cluster)
	if p.in.named() != "" {
		view.Watch(p.in.named(), cloud.Owner{UID: p.obj.UID, Namespace: p.obj.Namespace, Name: p.obj.Name})
	}
}

// entriesOf are the instances that may be the object's: by the uid they bear, by the recorded id, and by the
// token of the latest attempt, which is known without its intent, too. They are sorted by launch time.
func entriesOf(view *observer.View, obj *ec2v1.EC2Instance, cluster string) []observer.Entry {
	entries := view.ByOwner(obj.UID)
	add := func(e observer.Entry, ok bool) {
		if ok && !slices.ContainsFunc(entries, func(o observer.Entry) bool { return o.ID == e.ID }) {
			entries = append(entries, e)
		}
	}
	if obj.Status.InstanceID != "" {
		add(view.ByID(obj.Status.InstanceID))
	}
	if obj.Spec.Adopt != nil {
		add(view.ByID(obj.Spec.Adopt.InstanceID))
	}
	intent := intentOf(obj, cluster)
	if intent != nil {
		add(view.ByToken(intent.Token))
		add(view.ByID(intent.For))
	}
	add(view.ByToken(cloud.ClientToken(cluster, obj.UID, max(1, knownAttempt(obj, intent)))))
	slices.SortStableFunc(entries, func(a, b observer.Entry) int { return a.LaunchTime.Compare(b.LaunchTime) })
	return entries
}

func regionOf(obj *ec2v1.EC2Instance, account *ec2v1.EC2Account) string {
	if obj.Spec.Region != "" {
		return obj.Spec.Region
	}
	return account.Spec.Region
}

// defaultPoll is the poll interval of accounts that name none; the CRD's default says the same.
const defaultPoll = time.Minute

func pollInterval(account *ec2v1.EC2Account) time.Duration {
	if account.Spec.PollIntervalSeconds == 0 {
		return defaultPoll
	}
	return time.Duration(account.Spec.PollIntervalSeconds) * time.Second
}

var _ observer.Lister = cloud.Session(nil)
