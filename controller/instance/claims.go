// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// survey is refresh for a decision that is acted on: with what is seen of the instance that the object names, what other objects have to
// do with it is found out anew.
func (p *pass) survey(ctx context.Context) error {
	p.refresh()
	claims, err := p.claims(ctx)
	p.in.Claims = claims
	return err
}

// claims finds out what other objects have to do with the instance that the object names.
func (p *pass) claims(ctx context.Context) (Claims, error) {
	var out Claims
	id := p.in.named()
	if id == "" || p.in.observes() {
		return out, nil
	}
	if e := p.in.adoptee(); e != nil && e.OwnedBy.UID != "" && e.OwnedBy.UID != p.obj.UID {
		owner, err := p.ownerThere(ctx, e.OwnedBy)
		if err != nil {
			return out, err
		}
		out.Owner = owner
	}
	rival, err := p.rival(ctx, id)
	out.Rival = rival
	return out, err
}

// rival is an older object that names the same instance.
func (p *pass) rival(ctx context.Context, id string) (string, error) {
	list := &ec2v1.EC2InstanceList{}
	if err := p.Reader.List(ctx, list, client.MatchingFields{adoptIndex: id}); err != nil {
		return "", fmt.Errorf("listing the EC2Instances that name %s: %w", id, err)
	}
	for i := range list.Items {
		if other := &list.Items[i]; other.UID != p.obj.UID && contends(other) && older(other, p.obj) {
			return keyOf(other).String(), nil
		}
	}
	return "", nil
}

// ownerThere is the object that an instance's tags name, "" if it is gone.
func (p *pass) ownerThere(ctx context.Context, o cloud.Owner) (string, error) {
	key := types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
	obj := &ec2v1.EC2Instance{}
	err := p.Reader.Get(ctx, key, obj)
	if apierrors.IsNotFound(err) || err == nil && obj.UID != o.UID {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the EC2Instance that has the instance: %w", err)
	}
	return key.String(), nil
}

// contends tells whether an object means to have the instance that it names.
func contends(obj *ec2v1.EC2Instance) bool {
	return obj.DeletionTimestamp == nil && obj.Spec.ManagementPolicy != ec2v1.ManagementObserve
}

// older tells which of two objects comes first: the same for everybody who asks.
func older(a, b *ec2v1.EC2Instance) bool {
	if a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.UID < b.UID
	}
	return a.CreationTimestamp.Before(&b.CreationTimestamp)
}

func indexAdopted(obj client.Object) []string {
	i, ok := obj.(*ec2v1.EC2Instance)
	if !ok || i.Spec.Adopt == nil {
		return nil
	}
	return []string{i.Spec.Adopt.InstanceID}
}
