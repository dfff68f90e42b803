// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func TestPagesAreCompleteAndWithoutRepetition(t *testing.T) {
	for _, shuffle := range []bool{true, false} {
		t.Run(fmt.Sprintf("shuffle=%v", shuffle), func(t *testing.T) {
			r := newRig(t, func(s *ec2sim.Settings) { s.Shuffle = shuffle })
			var want []string
			for range 23 {
				want = append(want, r.mustRun())
			}
			var seen []string
			pages := ec2.NewDescribeInstancesPaginator(r.ec2, &ec2.DescribeInstancesInput{MaxResults: aws.Int32(5)})
			for n := 0; pages.HasMorePages(); n++ {
				page, err := pages.NextPage(t.Context())
				r.must(err)
				for _, reservation := range page.Reservations {
					seen = append(seen, ids(reservation.Instances)...)
				}
				r.mustRun() // what comes while paging must not disturb what was there
			}
			known := slices.DeleteFunc(slices.Clone(seen), func(id string) bool { return !slices.Contains(want, id) })
			if diff := cmp.Diff(sorted(want), sorted(known)); diff != "" {
				t.Error(diff)
			}
			if inOrder := slices.Equal(want, known); inOrder == shuffle {
				t.Errorf("listed in order of launch: %v", inOrder)
			}
		})
	}
}

func TestEveryListingHasItsOwnOrder(t *testing.T) {
	r := newRig(t)
	for range 8 {
		r.mustRun()
	}
	if first, second := ids(r.list()), ids(r.list()); slices.Equal(first, second) {
		t.Errorf("the same order twice: %v", first)
	}
}

func TestReservationsStayTogether(t *testing.T) {
	r := newRig(t)
	r.mustRun()
	r.mustRun(counted(3, 3))
	r.mustRun()
	out, err := r.ec2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{})
	r.must(err)
	sizes := []int{}
	for _, reservation := range out.Reservations {
		sizes = append(sizes, len(reservation.Instances))
	}
	slices.Sort(sizes)
	if diff := cmp.Diff([]int{1, 1, 3}, sizes); diff != "" {
		t.Error(diff)
	}
}

func TestPagingRules(t *testing.T) {
	r := newRig(t)
	id := r.mustRun()
	for range 6 {
		r.mustRun()
	}
	first, err := r.ec2.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{MaxResults: aws.Int32(5)})
	r.must(err)
	if first.NextToken == nil {
		t.Fatal("no NextToken although more remain")
	}
	for name, tc := range map[string]struct {
		in            *ec2.DescribeInstancesInput
		code, message string
	}{
		"ids with MaxResults": {&ec2.DescribeInstancesInput{InstanceIds: []string{id}, MaxResults: aws.Int32(5)},
			"InvalidParameterCombination", "The parameter instancesSet cannot be used with the parameter maxResults"},
		"below 5": {&ec2.DescribeInstancesInput{MaxResults: aws.Int32(4)},
			"InvalidParameterValue", "Value ( 4 ) for parameter maxResults is invalid. Expecting a value greater than 5."},
		"above 1000": {&ec2.DescribeInstancesInput{MaxResults: aws.Int32(1001)}, "InvalidParameterValue", "Value ( 1001 )"},
		"bad token":  {&ec2.DescribeInstancesInput{NextToken: aws.String("abc"), MaxResults: aws.Int32(5)}, "InvalidNextToken", "abc"},
		"token of another listing": {&ec2.DescribeInstancesInput{NextToken: first.NextToken, MaxResults: aws.Int32(5), Filters: []ec2types.Filter{filter("vpc-id", "x")}},
			"InvalidNextToken", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.describe(tc.in)
			wantError(t, err, tc.code, badRequest, tc.message)
		})
	}
	rest, err := r.describe(&ec2.DescribeInstancesInput{NextToken: first.NextToken})
	r.must(err)
	if len(rest) != 2 {
		t.Errorf("without MaxResults a token gives %d, want the remaining 2", len(rest))
	}
}

func TestUnknownIDs(t *testing.T) {
	r := newRig(t)
	id := r.mustRun()
	const one, two = "i-0123456789abcdef0", "i-0123456789abcdef1"
	for name, tc := range map[string]struct {
		ids           []string
		code, message string
	}{
		"one among good ones": {[]string{id, one}, "InvalidInstanceID.NotFound", "The instance ID '" + one + "' does not exist"},
		"two":                 {[]string{one, id, two}, "InvalidInstanceID.NotFound", "The instance IDs '" + one + ", " + two + "' do not exist"},
		"malformed":           {[]string{id, "i-12"}, "InvalidInstanceID.Malformed", `Invalid id: "i-12"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: tc.ids})
			wantError(t, err, tc.code, badRequest, tc.message)
		})
	}
	if found := r.list(filter("instance-id", one, id)); len(found) != 1 {
		t.Errorf("the filter instance-id found %d, want the known one and no error", len(found))
	}
	if found, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: []string{id, id}}); err != nil || len(found) != 1 {
		t.Errorf("the same id twice: %d instances, %v", len(found), err)
	}
}

func TestFilters(t *testing.T) {
	r := newRig(t)
	web := r.mustRun(withToken("web-token"), tagged(ec2types.ResourceTypeInstance, "Name", "web-1", "env", "prod"))
	db := r.mustRun(inSubnet(ec2sim.SubnetB), ofType("m5.large"), tagged(ec2types.ResourceTypeInstance, "Name", "db-1"))
	other := r.mustRun(inSubnet(ec2sim.SubnetOtherVPC), withToken("other*token"))
	r.clock.Step(pendingDelay)
	r.must(r.stop(db))

	for name, tc := range map[string]struct {
		filters []ec2types.Filter
		want    []string
	}{
		"none":                 {nil, []string{web, db, other}},
		"state":                {[]ec2types.Filter{filter("instance-state-name", "running")}, []string{web, other}},
		"state code":           {[]ec2types.Filter{filter("instance-state-code", "64")}, []string{db}},
		"alternatives":         {[]ec2types.Filter{filter("instance-state-name", "running", "stopping")}, []string{web, db, other}},
		"conjunction":          {[]ec2types.Filter{filter("vpc-id", ec2sim.DefaultVPC), filter("instance-state-name", "running")}, []string{web}},
		"tag value":            {[]ec2types.Filter{filter("tag:Name", "web-1")}, []string{web}},
		"tag value is exact":   {[]ec2types.Filter{filter("tag:Name", "WEB-1")}, nil},
		"tag wildcard":         {[]ec2types.Filter{filter("tag:Name", "*-1")}, []string{web, db}},
		"tag single character": {[]ec2types.Filter{filter("tag:Name", "d?-1")}, []string{db}},
		"tag key":              {[]ec2types.Filter{filter("tag-key", "env")}, []string{web}},
		"subnet":               {[]ec2types.Filter{filter("subnet-id", ec2sim.SubnetB)}, []string{db}},
		"zone":                 {[]ec2types.Filter{filter("availability-zone", "us-east-1a")}, []string{web, other}},
		"type":                 {[]ec2types.Filter{filter("instance-type", "m5.*")}, []string{db}},
		"image":                {[]ec2types.Filter{filter("image-id", ec2sim.ImageAL2023)}, []string{web, db, other}},
		"client token":         {[]ec2types.Filter{filter("client-token", "web-token")}, []string{web}},
		"escaped star":         {[]ec2types.Filter{filter("client-token", `other\*token`)}, []string{other}},
		"group":                {[]ec2types.Filter{filter("instance.group-id", ec2sim.SecurityGroupOtherVPC)}, []string{other}},
		"private address":      {[]ec2types.Filter{filter("private-ip-address", "10.1.*")}, []string{other}},
		"state reason":         {[]ec2types.Filter{filter("state-reason-code", "Client.User*")}, []string{db}},
		"nothing":              {[]ec2types.Filter{filter("instance-id", "i-0123456789abcdef0")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(sorted(append([]string{}, tc.want...)), sorted(ids(r.list(tc.filters...)))); diff != "" {
				t.Error(diff)
			}
		})
	}
	for name, tc := range map[string]struct {
		filter        ec2types.Filter
		code, message string
	}{
		"unknown name": {filter("colour", "red"), "InvalidParameterValue", "The filter 'colour' is invalid"},
		"no values":    {filter("vpc-id"), "InvalidParameterValue", "vpc-id"},
		"too many":     {filter("instance-id", make([]string, 201)...), "FilterLimitExceeded", "specified on a single call is 200"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.describe(&ec2.DescribeInstancesInput{Filters: []ec2types.Filter{tc.filter}})
			wantError(t, err, tc.code, badRequest, tc.message)
		})
	}
}

func TestImpairedZone(t *testing.T) {
	r := newRig(t)
	a, b := r.mustRun(), r.mustRun(inSubnet(ec2sim.SubnetB))
	r.set(func(s *ec2sim.Settings) { s.ImpairedZones = []string{"us-east-1b"} })
	for name, tc := range map[string]struct {
		ids  []string
		fail bool
	}{
		"no ids": {nil, true}, "ids there": {[]string{b}, true}, "some there": {[]string{a, b}, true}, "elsewhere": {[]string{a}, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: tc.ids})
			if !tc.fail {
				r.must(err)
				return
			}
			wantError(t, err, "InternalError", serverErr, "")
		})
	}
	r.mustRun(inSubnet(ec2sim.SubnetA))
	_, err := r.run(regional)
	wantError(t, err, "InternalError", serverErr, "")
	_, err = r.run(inSubnet(ec2sim.SubnetB))
	wantError(t, err, "InternalError", serverErr, "")
	r.ec2 = r.client("AKIDEXAMPLE", "eu-west-1")
	r.mustRun(regional) // another region is not affected
}

func TestAccountsAndRegionsAreApart(t *testing.T) {
	r := newRig(t)
	r.sim = nil // a simulator with two accounts replaces it
	sim, url := ec2sim.StartTest(t, ec2sim.Options{
		Settings: new(calm()), Clock: r.clock, Accounts: map[string]string{"AKIDOTHER": "210987654321"},
	})
	r.sim, r.url = sim, url
	r.ec2 = r.client("AKIDEXAMPLE", "us-east-1")
	mine := r.mustRun()
	r.ec2 = r.client("AKIDOTHER", "us-east-1")
	theirs := r.mustRun()
	if got, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: []string{theirs, mine}}); err != nil || !slices.Equal(ids(got), []string{theirs}) {
		t.Errorf("an instance of another account must be left out without an error: %v, %v", ids(got), err)
	}
	if got := ids(r.list()); !slices.Equal(got, []string{theirs}) {
		t.Errorf("listed %v", got)
	}
	r.ec2 = r.client("AKIDOTHER", "eu-west-1")
	if got := r.list(); len(got) != 0 {
		t.Errorf("another region lists %v", ids(got))
	}
	_, err := r.describe(&ec2.DescribeInstancesInput{InstanceIds: []string{theirs}})
	wantError(t, err, "InvalidInstanceID.NotFound", badRequest, theirs)
	if all := sim.Instances(); len(all) != 2 || all[0].Account == all[1].Account {
		t.Errorf("in truth: %+v", all)
	}
}
