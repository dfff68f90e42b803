// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// samples is the namespace that the samples are applied to: they name none.
const samples = "samples"

func TestSamplesApply(t *testing.T) {
	c := newClient(t)
	if err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: samples}}); err != nil {
		t.Fatal(err)
	}
	applyFolder(t, "samples", "--namespace="+samples)

	account := &ec2v1.EC2Account{}
	if err := c.Get(t.Context(), client.ObjectKey{Name: ec2v1.DefaultAccountName}, account); err != nil {
		t.Fatal(err)
	}
	if namespaces := account.Spec.AllowedNamespaces; namespaces == nil || len(namespaces.MatchLabels)+len(namespaces.MatchExpressions) > 0 {
		t.Errorf("the sample account does not allow every namespace: %v", namespaces)
	}
	instances := &ec2v1.EC2InstanceList{}
	if err := c.List(t.Context(), instances, client.InNamespace(samples)); err != nil {
		t.Fatal(err)
	}
	const want = 3
	if len(instances.Items) != want {
		t.Errorf("there are %d sample instances instead of %d", len(instances.Items), want)
	}
	world := ec2sim.DefaultWorld("", account.Spec.Region)
	for _, instance := range instances.Items {
		t.Run(instance.Name, func(t *testing.T) {
			if got := instance.Spec.AccountRef.Name; got != account.Name {
				t.Errorf("it uses the account %s, which is no sample", got)
			}
			if got := instance.Spec.PowerState; got != ec2v1.PowerStateRunning {
				t.Errorf("it will not run but be %s", got)
			}
			existsInWorld(t, world, instance.Spec)
			userDataExists(t, c, instance)
		})
	}
}

// existsInWorld checks that a sample can be launched in the simulator as it is.
func existsInWorld(t *testing.T, world ec2sim.World, spec ec2v1.EC2InstanceSpec) {
	t.Helper()
	imageID := spec.Image.ID
	if name := spec.Image.SSMParameter; name != "" {
		parameter := find(t, "SSM parameter", world.Parameters, func(p ec2sim.Parameter) bool { return p.Name == name })
		imageID = parameter.Value
	}
	image := find(t, "image", world.Images, func(i ec2sim.Image) bool { return i.ID == imageID })
	kind := find(t, "instance type", world.InstanceTypes, func(i ec2sim.InstanceType) bool { return i.Name == spec.InstanceType })
	if image.Architecture != kind.Architecture {
		t.Errorf("the image is for %s and the instance type is %s", image.Architecture, kind.Architecture)
	}
	var vpc string
	if id := spec.SubnetID; id != "" {
		vpc = find(t, "subnet", world.Subnets, func(s ec2sim.Subnet) bool { return s.ID == id }).VPCID
	}
	for _, id := range spec.SecurityGroupIDs {
		group := find(t, "security group", world.SecurityGroups, func(g ec2sim.SecurityGroup) bool { return g.ID == id })
		if group.VPCID != vpc {
			t.Errorf("security group %s is in another VPC than the subnet", id)
		}
	}
	if spec.KeyName != "" && !slices.Contains(world.KeyPairs, spec.KeyName) {
		t.Errorf("there is no key pair %s", spec.KeyName)
	}
	if profile := spec.IAMInstanceProfile; profile != nil {
		find(t, "instance profile", world.InstanceProfiles, func(p ec2sim.InstanceProfile) bool { return p.Name == profile.Name })
	}
}

func find[T any](t *testing.T, what string, list []T, match func(T) bool) T {
	t.Helper()
	i := slices.IndexFunc(list, match)
	if i < 0 {
		t.Fatalf("the simulator's world does not have its %s", what)
	}
	return list[i]
}

// userDataExists checks that the Secret of a sample is a sample, too.
func userDataExists(t *testing.T, c client.Client, instance ec2v1.EC2Instance) {
	t.Helper()
	if instance.Spec.UserData == nil || instance.Spec.UserData.SecretKeyRef == nil {
		return
	}
	reference := instance.Spec.UserData.SecretKeyRef
	secret := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: instance.Namespace, Name: reference.Name}, secret); err != nil {
		t.Fatal(err)
	}
	if len(secret.Data[reference.Key]) == 0 {
		t.Errorf("Secret %s has no %s", reference.Name, reference.Key)
	}
}
