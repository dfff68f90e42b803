// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"
)

func (r *rig) createTags(resources []string, pairs ...string) error {
	_, err := r.ec2.CreateTags(r.Context(), &ec2.CreateTagsInput{Resources: resources, Tags: tags(pairs...)})
	return err
}

func TestCreateTagsAddsAndOverwrites(t *testing.T) {
	r := newRig(t)
	one, two := r.mustRun(tagged(ec2types.ResourceTypeInstance, "a", "1", "b", "1")), r.mustRun()
	r.must(r.createTags([]string{one, two}, "b", "2", "c", ""))
	for id, want := range map[string]map[string]string{one: {"a": "1", "b": "2", "c": ""}, two: {"b": "2", "c": ""}} {
		if diff := cmp.Diff(want, tagMap(r.get(id).Tags)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDeleteTags(t *testing.T) {
	for name, tc := range map[string]struct {
		tags []ec2types.Tag
		want map[string]string
	}{
		"key whatever its value": {[]ec2types.Tag{{Key: aws.String("a")}}, map[string]string{"b": "2", "empty": ""}},
		"key and value":          {tags("a", "1", "b", "other"), map[string]string{"b": "2", "empty": ""}},
		"key and empty value":    {tags("a", "", "empty", ""), map[string]string{"a": "1", "b": "2"}},
		"unknown key":            {[]ec2types.Tag{{Key: aws.String("z")}}, map[string]string{"a": "1", "b": "2", "empty": ""}},
		"all":                    {nil, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			id := r.mustRun(tagged(ec2types.ResourceTypeInstance, "a", "1", "b", "2", "empty", ""))
			_, err := r.ec2.DeleteTags(t.Context(), &ec2.DeleteTagsInput{Resources: []string{id}, Tags: tc.tags})
			r.must(err)
			if diff := cmp.Diff(tc.want, tagMap(r.get(id).Tags)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTagsRefused(t *testing.T) {
	r := newRig(t)
	id := r.mustRun(tagged(ec2types.ResourceTypeInstance, manyTags(49)...))
	strict := r.mustRun(func(in *ec2.RunInstancesInput) {
		in.MetadataOptions = &ec2types.InstanceMetadataOptionsRequest{InstanceMetadataTags: ec2types.InstanceMetadataTagsStateEnabled}
	})
	for name, tc := range map[string]struct {
		resources     []string
		pairs         []string
		code, message string
	}{
		"unknown instance":  {[]string{id, "i-0123456789abcdef0"}, []string{"k", "v"}, "InvalidInstanceID.NotFound", "i-0123456789abcdef0"},
		"unknown volume":    {[]string{"vol-0123456789abcdef0"}, []string{"k", "v"}, "InvalidVolume.NotFound", "vol-0123456789abcdef0"},
		"unknown interface": {[]string{"eni-0123456789abcdef0"}, []string{"k", "v"}, "InvalidNetworkInterfaceID.NotFound", "eni-0123456789abcdef0"},
		"not an id":         {[]string{"web"}, []string{"k", "v"}, "InvalidID", "The ID 'web' is not valid"},
		"over 50":           {[]string{id}, []string{"k", "v", "l", "v"}, "TagLimitExceeded", "50"},
		"reserved":          {[]string{id}, []string{"aws:k", "v"}, "InvalidParameterValue", "reserved"},
		"long value":        {[]string{id}, []string{"k", strings.Repeat("ä", 257)}, "InvalidParameterValue", "256"},
		"unfit key":         {[]string{strict}, []string{"a b", "v"}, "InvalidParameterValue", "'a b' is not a valid tag key"},
	} {
		t.Run(name, func(t *testing.T) {
			before := r.sim.Instances()
			wantError(t, r.createTags(tc.resources, tc.pairs...), tc.code, badRequest, tc.message)
			if diff := cmp.Diff(before, r.sim.Instances()); diff != "" {
				t.Errorf("refused, and still changed:\n%s", diff)
			}
		})
	}
	r.must(r.createTags([]string{id}, "k", strings.Repeat("ä", 256)))
	r.must(r.createTags([]string{id}, "k", "overwriting is not adding"))
}

func TestDescribeTags(t *testing.T) {
	r := newRig(t)
	one := r.mustRun(tagged(ec2types.ResourceTypeInstance, "Name", "web", "env", "prod"))
	for range 4 {
		r.mustRun(tagged(ec2types.ResourceTypeInstance, "Name", "db"))
	}
	count := func(filters ...ec2types.Filter) int {
		out, err := r.ec2.DescribeTags(t.Context(), &ec2.DescribeTagsInput{Filters: filters})
		r.must(err)
		return len(out.Tags)
	}
	for name, tc := range map[string]struct {
		filter ec2types.Filter
		want   int
	}{
		"resource": {filter("resource-id", one), 2}, "key": {filter("key", "N*"), 5}, "value": {filter("value", "db"), 4},
		"tag": {filter("tag:Name", "web"), 1}, "type": {filter("resource-type", "instance"), 6}, "other type": {filter("resource-type", "volume"), 0},
	} {
		if got := count(tc.filter); got != tc.want {
			t.Errorf("%s: %d tags, want %d", name, got, tc.want)
		}
	}
	seen := map[string]int{}
	pages := ec2.NewDescribeTagsPaginator(r.ec2, &ec2.DescribeTagsInput{MaxResults: aws.Int32(5)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		r.must(err)
		for _, tag := range page.Tags {
			seen[*tag.ResourceId+*tag.Key]++
		}
	}
	if len(seen) != 6 {
		t.Errorf("paging saw %d tags, want 6: %v", len(seen), seen)
	}
	_, err := r.ec2.DescribeTags(t.Context(), &ec2.DescribeTagsInput{Filters: []ec2types.Filter{filter("vpc-id", "x")}})
	wantError(t, err, "InvalidParameterValue", badRequest, "The filter 'vpc-id' is invalid")
}
