// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"github.com/fieldowner/ec2-operator/controller/apply"
)

// stalePauseMax is the longest pause before another look at a cache that is behind: it may stay so until the operator is restarted,
// when etcd was restored from a backup.
const stalePauseMax = 10 * time.Second

// staleness spaces the looks at a cache that does not catch up: the first comes after a watch event's time, and each
// further one after twice the pause.
type staleness struct {
	once    sync.Once
	limiter workqueue.TypedRateLimiter[types.NamespacedName]
}

func (s *staleness) get() workqueue.TypedRateLimiter[types.NamespacedName] {
	s.once.Do(func() {
		s.limiter = workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](apply.CacheLag, stalePauseMax)
	})
	return s.limiter
}

// pause is how long to wait for the cache.
func (s *staleness) pause(key types.NamespacedName) time.Duration { return s.get().When(key) }

// over ends the waiting: a pass got through.
func (s *staleness) over(key types.NamespacedName) { s.get().Forget(key) }
