// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

const team = "team"

// webOf is an intent for an EC2Instance.
func webOf(name string) *ec2v1ac.EC2InstanceApplyConfiguration {
	return ec2v1ac.EC2Instance(name, team).WithSpec(ec2v1ac.EC2InstanceSpec().
		WithImage(ec2v1ac.Image().WithID("ami-0123456789abcdef0")).WithInstanceType("t3.micro").WithSubnetID("subnet-0123456789abcdef0").
		WithTags(ec2v1ac.Tag().WithKey("a").WithValue("1"), ec2v1ac.Tag().WithKey("b").WithValue("2")))
}

func newServer(t testing.TB, o Options) *Server {
	t.Helper()
	o.Namespaces = append(o.Namespaces, team)
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func BenchmarkApply(b *testing.B) {
	for _, bench := range []struct {
		says   string
		config func(i int) runtime.ApplyConfiguration
		status bool
	}{
		{"nothing changes", func(int) runtime.ApplyConfiguration { return webOf("web") }, false},
		{"a tag changes", func(i int) runtime.ApplyConfiguration {
			c := webOf("web")
			return c.WithSpec(c.Spec.WithTags(ec2v1ac.Tag().WithKey("c").WithValue(fmt.Sprint(i))))
		}, false},
		{"status changes", func(i int) runtime.ApplyConfiguration {
			return ec2v1ac.EC2Instance("web", team).WithStatus(ec2v1ac.EC2InstanceStatus().WithInstanceID(fmt.Sprintf("i-%017d", i)))
		}, true},
	} {
		b.Run(bench.says, func(b *testing.B) {
			c := newServer(b, Options{}).Client("operator")
			if err := c.Apply(b.Context(), webOf("web"), client.FieldOwner("a")); err != nil {
				b.Fatal(err)
			}
			i := 0
			for b.Loop() {
				i++
				var err error
				if bench.status {
					err = c.Status().Apply(b.Context(), bench.config(i), client.FieldOwner("a"))
				} else {
					err = c.Apply(b.Context(), bench.config(i), client.FieldOwner("a"))
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newServer(b, Options{}).Client("operator")
	}
}
