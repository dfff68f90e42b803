// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// volumeKey is the key of an item, as managedFields have it.
const volumeKey = `k:{\"deviceName\":\"/dev/sdb\"}`

func applied(manager, subresource, fields string) metav1.ManagedFieldsEntry {
	return entry(manager, metav1.ManagedFieldsOperationApply, subresource, fields)
}

func TestForeignFields(t *testing.T) {
	for name, test := range map[string]struct {
		entries []metav1.ManagedFieldsEntry
		want    []string
	}{
		"nobody's":           {nil, nil},
		"ours alone":         {[]metav1.ManagedFieldsEntry{applied("ec2-instance", "status", `{"f:status":{"f:vpcID":{}}}`)}, nil},
		"theirs alone":       {[]metav1.ManagedFieldsEntry{applied("thief", "status", `{"f:status":{"f:vpcID":{}}}`)}, []string{".status.vpcID"}},
		"before first apply": {[]metav1.ManagedFieldsEntry{applied(beforeFirstApply, "status", `{"f:status":{"f:vpcID":{}}}`)}, nil},
		"shared": {[]metav1.ManagedFieldsEntry{
			applied("ec2-instance", "status", `{"f:status":{"f:vpcID":{}}}`), applied("thief", "status", `{"f:status":{"f:vpcID":{},"f:arn":{}}}`),
		}, []string{".status.arn"}},
		"our name through the object's own endpoint": {
			[]metav1.ManagedFieldsEntry{applied("ec2-instance", "", `{"f:status":{"f:vpcID":{}}}`)}, []string{".status.vpcID"},
		},
		"a whole item": {[]metav1.ManagedFieldsEntry{
			applied("ec2-instance", "status", `{"f:status":{"f:volumes":{}}}`),
			applied("thief", "status", `{"f:status":{"f:volumes":{"`+volumeKey+`":{".":{},"f:deviceName":{},"f:volumeID":{}}}}}`),
		}, []string{`.status.volumes[deviceName="/dev/sdb"]`}},
		"a member of an item of ours": {[]metav1.ManagedFieldsEntry{
			applied("ec2-instance", "status", `{"f:status":{"f:volumes":{"`+volumeKey+`":{".":{},"f:deviceName":{}}}}}`),
			applied("thief", "status", `{"f:status":{"f:volumes":{"`+volumeKey+`":{".":{},"f:deviceName":{},"f:volumeID":{}}}}}`),
		}, []string{`.status.volumes[deviceName="/dev/sdb"].volumeID`}},
		"one of a set": {[]metav1.ManagedFieldsEntry{
			applied("ec2-instance", "status", `{"f:status":{"f:securityGroupIDs":{"v:\"sg-1\"":{}}}}`),
			applied("thief", "status", `{"f:status":{"f:securityGroupIDs":{"v:\"sg-1\"":{},"v:\"sg-2\"":{}}}}`),
		}, []string{`.status.securityGroupIDs[="sg-2"]`}},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{ManagedFields: test.entries}}
			paths, err := Foreign(obj, ManagerInstance, SubresourceStatus)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range paths {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("foreign (-want +got):\n%s", diff)
			}
		})
	}
}

func TestForeignOfUnreadableFields(t *testing.T) {
	obj := &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{applied("thief", "status", `{"x":1}`)}}}
	if paths, err := Foreign(obj, ManagerInstance, SubresourceStatus); err == nil {
		t.Errorf("no error, but %v", paths)
	}
}

func TestWithoutForeignFields(t *testing.T) {
	entries := []metav1.ManagedFieldsEntry{
		applied("thief", "status", `{"f:status":{"f:vpcID":{},"f:volumes":{"`+volumeKey+`":{".":{},"f:deviceName":{}}}}}`),
	}
	obj := &ec2v1.EC2Instance{
		ObjectMeta: metav1.ObjectMeta{Name: "a", ManagedFields: entries},
		Status: ec2v1.EC2InstanceStatus{
			InstanceID: "i-1", VPCID: "vpc-1", Volumes: []ec2v1.VolumeStatus{{DeviceName: "/dev/sda"}, {DeviceName: "/dev/sdb", VolumeID: "vol-1"}},
		},
	}
	paths, err := Foreign(obj, ManagerInstance, SubresourceStatus)
	if err != nil {
		t.Fatal(err)
	}
	before, got := obj.DeepCopy(), &ec2v1.EC2Instance{}
	if err := Without(obj, paths, got); err != nil {
		t.Fatal(err)
	}
	want := obj.DeepCopy()
	want.Status.VPCID, want.Status.Volumes = "", want.Status.Volumes[:1]
	if diff := cmp.Diff(want.Status, got.Status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before.Status, obj.Status); diff != "" {
		t.Errorf("the object was changed (-before +after):\n%s", diff)
	}
}
