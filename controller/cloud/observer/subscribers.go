// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package observer

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// subscribers are told what changed. They are called without any lock held, by the goroutine that brought the news.
type subscribers struct {
	mu     sync.RWMutex
	change []func(cloud.Owner)
	synced []func(Scope)
}

func (s *subscribers) onChange(f func(cloud.Owner)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change = append(s.change, f)
}

func (s *subscribers) onSynced(f func(Scope)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.synced = append(s.synced, f)
}

func (s *subscribers) tellChange(news owners) {
	s.mu.RLock()
	subscribed := slices.Clone(s.change)
	s.mu.RUnlock()
	for _, owner := range news.sorted() {
		for _, f := range subscribed {
			f(owner)
		}
	}
}

func (s *subscribers) tellSynced(scope Scope) {
	s.mu.RLock()
	subscribed := slices.Clone(s.synced)
	s.mu.RUnlock()
	for _, f := range subscribed {
		f(scope)
	}
}

// owners are whom to tell, each once.
type owners map[cloud.Owner]bool

func (o owners) add(list ...cloud.Owner) {
	for _, owner := range list {
		if owner.UID != "" {
			o[owner] = true
		}
	}
}

func (o owners) sorted() []cloud.Owner {
	return slices.SortedFunc(maps.Keys(o), func(a, b cloud.Owner) int { return cmp.Compare(a.UID, b.UID) })
}

// join adds all of others.
func (o owners) join(others owners) { maps.Copy(o, others) }
