// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// check is what AWS last said of an account's credentials.
type check struct {
	generation int64
	uid        types.UID
	accountID  string
	failure    *cloud.Error
	tries      int
	// next is when to ask again.
	next time.Time
}

// checks keeps the latest check of each account, so that passes for other reasons ask nothing.
type checks struct {
	mu  sync.Mutex
	all map[string]check
}

// due returns the latest check, made now where it is due or the account was edited.
func (c *checks) due(ctx context.Context, account *ec2v1.EC2Account, session cloud.Session, now time.Time) check {
	last := c.get(account.Name)
	same := last.generation == account.Generation && last.uid == account.UID
	if same && now.Before(last.next) {
		return last
	}
	fresh := check{generation: account.Generation, uid: account.UID}
	id, err := session.AccountID(ctx)
	if err == nil {
		fresh.accountID, fresh.next = id, now.Add(authAgain)
	} else {
		if same {
			fresh.tries = last.tries
		}
		fresh.tries++
		fresh.failure = cloud.ErrorOf(err)
		fresh.next = now.Add(max(fresh.failure.RetryAfter, fresh.failure.Class.Backoff(fresh.tries)))
	}
	c.put(account.Name, fresh)
	return fresh
}

func (c *checks) get(name string) check {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[name]
}

func (c *checks) put(name string, latest check) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[string]check{}
	}
	c.all[name] = latest
}

// drop forgets an account that is gone, and returns its uid, if it was ever checked.
func (c *checks) drop(name string) types.UID {
	c.mu.Lock()
	defer c.mu.Unlock()
	uid := c.all[name].uid
	delete(c.all, name)
	return uid
}
