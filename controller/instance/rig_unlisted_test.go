// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"maps"
	"slices"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// unlisted is what EC2 has of instances and volumes, by their ids, that its list of instances does not show.
type unlisted struct {
	attributes map[string]map[cloud.Attribute]cloud.AttributeValue
	credits    map[string]string
	volumes    map[string]cloud.VolumeDetail
}

func newUnlisted() unlisted {
	return unlisted{
		attributes: map[string]map[cloud.Attribute]cloud.AttributeValue{}, credits: map[string]string{},
		volumes: map[string]cloud.VolumeDetail{},
	}
}

func (f *fakeEC2) ReadAttribute(_ context.Context, id string, a cloud.Attribute) (cloud.AttributeValue, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unlisted.attributes[id][a], nil
}

func (f *fakeEC2) Volumes(_ context.Context, ids []string) (map[string]cloud.VolumeDetail, error) {
	return only(f, f.unlisted.volumes, ids), nil
}

func (f *fakeEC2) Credits(_ context.Context, ids []string) (map[string]string, error) {
	return only(f, f.unlisted.credits, ids), nil
}

// only are the entries of all that were asked for.
func only[V any](f *fakeEC2, all map[string]V, ids []string) map[string]V {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := maps.Clone(all)
	maps.DeleteFunc(out, func(id string, _ V) bool { return !slices.Contains(ids, id) })
	return out
}
