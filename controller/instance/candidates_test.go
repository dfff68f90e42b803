// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

func TestCandidates(t *testing.T) {
	tests := map[string]struct {
		spec ec2v1.EC2InstanceSpec
		want []candidate
	}{
		"no fallbacks": {spec: ec2v1.EC2InstanceSpec{InstanceType: "t3.micro", SubnetID: "subnet-a"}},
		"types": {
			spec: ec2v1.EC2InstanceSpec{InstanceType: "t3.micro", InstanceTypeFallbacks: []string{"t3.small", "t3.large"}},
			want: []candidate{{Type: "t3.micro"}, {Type: "t3.small"}, {Type: "t3.large"}},
		},
		"subnets, and the launch template's type": {
			spec: ec2v1.EC2InstanceSpec{SubnetID: "subnet-a", SubnetFallbacks: []string{"subnet-b"}},
			want: []candidate{{Subnet: "subnet-a"}, {Subnet: "subnet-b"}},
		},
		"both: a type in all subnets, and then the next one": {
			spec: ec2v1.EC2InstanceSpec{
				InstanceType: "t3.micro", InstanceTypeFallbacks: []string{"t3.small"}, SubnetID: "subnet-a", SubnetFallbacks: []string{"subnet-b"},
			},
			want: []candidate{microA, microB, smallA, smallB},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, candidatesOf(&test.spec)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Each type meets each subnet once, and a candidate that comes earlier is one that the user prefers: in the type, and then in the subnet.
func TestCandidatesAreAllAndInOrder(t *testing.T) {
	names := func(t *rapid.T, label string) []string {
		return rapid.SliceOfNDistinct(rapid.StringMatching("[a-z]{3}"), 1, 9, rapid.ID[string]).Draw(t, label)
	}
	rapid.Check(t, func(t *rapid.T) {
		types, subnets := names(t, "types"), names(t, "subnets")
		spec := &ec2v1.EC2InstanceSpec{
			InstanceType: types[0], InstanceTypeFallbacks: types[1:], SubnetID: subnets[0], SubnetFallbacks: subnets[1:],
		}
		all := candidatesOf(spec)
		if len(types)*len(subnets) == 1 {
			if all != nil {
				t.Fatalf("no fallbacks, and %v", all)
			}
			return
		}
		if len(all) != len(types)*len(subnets) {
			t.Fatalf("%d types and %d subnets make %d candidates", len(types), len(subnets), len(all))
		}
		for i, c := range all {
			if want := (candidate{Type: types[i/len(subnets)], Subnet: subnets[i%len(subnets)]}); c != want {
				t.Fatalf("number %d is %s, want %s", i, c, want)
			}
			if got := c.in(spec); got.InstanceType != c.Type || got.SubnetID != c.Subnet {
				t.Fatalf("%s is launched as %s in %s", c, got.InstanceType, got.SubnetID)
			}
		}
		if spec.InstanceType != types[0] || spec.SubnetID != subnets[0] {
			t.Fatal("the spec was changed")
		}
	})
}
