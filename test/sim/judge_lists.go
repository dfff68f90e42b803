// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/fieldowner/ec2-operator/test/sim/apiserver"
)

// listKeys are the keys of lists of objects in intents, by the list's name. Where sorted is false the order is another, fixed one.
var listKeys = map[string]struct {
	key    string
	sorted bool
}{
	"networkInterfaces": {"id", true}, "volumes": {"deviceName", true}, "plan": {"field", true}, "scheduledEvents": {"code", true},
	"conditions": {"type", false}, "ports": {"name", false}, "ownerReferences": {"uid", true},
}

// listsOfIntent: lists in an intent are sorted and free of duplicates.
func (j *judge) listsOfIntent(r apiserver.Record) {
	if r.Verb != apiserver.VerbApply || len(r.Body) == 0 {
		return
	}
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		j.violated("an intent that is no JSON: %v", err)
		return
	}
	j.listsIn(r.Kind.Kind+" "+r.Name, "", body)
}

func (j *judge) listsIn(what, name string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			j.listsIn(what, key, value[key])
		}
	case []any:
		j.sortedList(what+" "+name, name, value)
		for _, item := range value {
			j.listsIn(what, name, item)
		}
	}
}

func (j *judge) sortedList(what, name string, list []any) {
	var keys []string
	sorted := true
	for _, item := range list {
		switch item := item.(type) {
		case string:
			keys = append(keys, item)
		case map[string]any:
			by, ok := listKeys[name]
			if !ok {
				return
			}
			sorted = by.sorted
			keys = append(keys, fmt.Sprint(item[by.key]))
		default:
			return
		}
	}
	j.holdsSorted(what, keys, sorted)
}

func (j *judge) holdsSorted(what string, keys []string, sorted bool) {
	want := slices.Sorted(slices.Values(keys))
	j.holds(sortedLists, len(slices.Compact(slices.Clone(want))) == len(keys), "%s has duplicates: %v", what, keys)
	j.holds(sortedLists, !sorted || slices.Equal(want, keys), "%s is not sorted: %v", what, keys)
}

// listsOfCall: so are those in calls to EC2.
func (j *judge) listsOfCall(c *call) {
	for _, list := range []struct {
		name   string
		suffix []string
	}{
		{"SecurityGroupId", nil}, {"InstanceId", nil}, {"ResourceId", nil}, {"Tag", []string{"Key"}}, {"TagSpecification.1.Tag", []string{"Key"}},
	} {
		if keys := c.list(list.name, list.suffix...); len(keys) > 0 {
			j.holdsSorted(c.action+" "+list.name, keys, true)
		}
	}
}
