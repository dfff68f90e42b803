// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// reasonTookBack is the reason of the event that tells what was taken back.
const reasonTookBack = "TookBack"

// thefts are what others took of what is the operator's, and what became of it.
type thefts struct {
	// back are the revisions of writes that took something of status back, by object; fromChildren counts those that took something of
	// a child back, and told the events of both.
	back               map[types.UID][]int64
	fromChildren, told map[types.UID]int
}

func newThefts() thefts {
	return thefts{back: map[types.UID][]int64{}, fromChildren: map[types.UID]int{}, told: map[types.UID]int{}}
}

// takenBack remembers that an operator's write took a field of status back.
func (j *judge) takenBack(before, after *ec2v1.EC2Instance, revision int64) {
	for _, e := range before.ManagedFields {
		if isOurs(e) || e.Manager == nobody {
			continue
		}
		left := entryLike(after.ManagedFields, e)
		for _, path := range fieldsIn(e).leaves {
			if path[0].FieldName != nil && *path[0].FieldName == "status" && oursByContract(path) && !left.set.Has(path) {
				j.thefts.back[after.UID] = append(j.thefts.back[after.UID], revision)
				return
			}
		}
	}
}

// event looks at an event of an operator.
func (j *judge) event(regarding runtime.Object, reason, note string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stays("an event", note)
	obj, ok := regarding.(client.Object)
	if ok && reason == reasonTookBack {
		j.thefts.told[obj.GetUID()]++
	}
}

// eventsOfThefts: each write that took a field back was told once, where the operator knows that it was made. Of several operators one may
// tell what another has just done.
func (j *judge) eventsOfThefts(several bool) {
	known := map[string]bool{}
	for _, r := range j.world.api.Records() {
		if r.Changed && isOperator(r.User) && r.Fault == nil {
			known[r.ResourceVersion] = true
		}
	}
	uids := map[types.UID]bool{}
	for uid := range j.thefts.back {
		uids[uid] = true
	}
	for uid := range j.thefts.told {
		uids[uid] = true
	}
	for _, uid := range slices.Sorted(maps.Keys(uids)) {
		least := 0
		for _, revision := range j.thefts.back[uid] {
			if known[strconv.FormatInt(revision, 10)] {
				least++
			}
		}
		most := len(j.thefts.back[uid]) + j.thefts.fromChildren[uid]
		told := j.thefts.told[uid]
		j.holds(tookBackOnce, told >= least && (told <= most || several), "of object %s fields were taken back %d to %d times, and told %d times", uid, least, most, told)
	}
}
