// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"crypto/sha256"
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// noOpsMax bounds the memory for intents that change nothing: two or three for each of 100,000 objects, some 50 MB. What
// is pushed out is predicted again.
const noOpsMax = 1 << 18

// noOps remembers, for each object, manager and subresource, the latest intent that would change nothing. A level-driven
// reconciler drafts the same intent for the same object in most of its passes, and its merge need not run each time.
type noOps struct{ latest *lru.Cache }

type noOpKey struct {
	uid         types.UID
	manager     Manager
	subresource string
}

// noOp is what a prediction depends on: the object at a version, the intent, and which schemas may be relied on. Force needs
// no place in it: what changes nothing takes nothing.
type noOp struct {
	version string
	intent  [sha256.Size]byte
	schemas uint64
}

func newNoOps() noOps { return noOps{latest: lru.New(noOpsMax)} }

func (n noOps) known(key noOpKey, of noOp) bool {
	remembered, ok := n.latest.Get(key)
	return ok && remembered == of
}

func (n noOps) remember(key noOpKey, of noOp) { n.latest.Add(key, of) }

// noOpOf returns what the prediction for an intent depends on; ok is false where that cannot be told.
func (a *Applier) noOpOf(live client.Object, in Intent) (key noOpKey, of noOp, ok bool) {
	if live == nil || live.GetUID() == "" || live.GetResourceVersion() == "" {
		return noOpKey{}, noOp{}, false
	}
	config, err := json.Marshal(in.Config)
	if err != nil {
		return noOpKey{}, noOp{}, false
	}
	return noOpKey{uid: live.GetUID(), manager: in.Manager, subresource: in.Subresource},
		noOp{version: live.GetResourceVersion(), intent: sha256.Sum256(config), schemas: a.predictor.schemas()}, true
}
