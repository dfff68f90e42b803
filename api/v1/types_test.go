// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package v1_test

import (
	"encoding/json"
	"reflect"
	"testing"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// What is not set must not be sent: a zero value would be an intent.
func TestZeroValuesAreLeftOut(t *testing.T) {
	for _, test := range []struct {
		name   string
		object any
		want   string
	}{
		{"instance", ec2v1.EC2Instance{}, `{"metadata":{}}`},
		{"account", ec2v1.EC2Account{}, `{"metadata":{}}`},
		{"instance's spec", ec2v1.EC2InstanceSpec{}, `{}`},
		{"account's spec", ec2v1.EC2AccountSpec{}, `{}`},
		{"instance's status", ec2v1.EC2InstanceStatus{}, `{}`},
		{"account's status", ec2v1.EC2AccountStatus{}, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(test.object)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// Where the zero value means something it is sent.
func TestMeaningfulZeroValuesAreSent(t *testing.T) {
	for _, test := range []struct {
		name   string
		object any
		want   string
	}{
		{"a tag without a value", ec2v1.Tag{Key: "a", Value: new("")}, `{"key":"a","value":""}`},
		{"a session tag without a value", ec2v1.SessionTag{Key: "a", Value: new("")}, `{"key":"a","value":""}`},
		{"a count of none", ec2v1.InstanceCount{State: "stopped", Count: new(int32(0))}, `{"state":"stopped","count":0}`},
		{"the primary interface", ec2v1.NetworkInterfaceStatus{ID: "eni-1", DeviceIndex: new(int32(0))}, `{"id":"eni-1","deviceIndex":0}`},
		{"a volume that stays", ec2v1.VolumeStatus{DeviceName: "sda", DeleteOnTermination: new(false)}, `{"deviceName":"sda","deleteOnTermination":false}`},
		{"the primary interface to launch with", ec2v1.NetworkInterface{DeviceIndex: new(int32(0))}, `{"deviceIndex":0}`},
		{"a volume to launch with that stays", ec2v1.BlockDevice{DeviceName: "xvdb", DeleteOnTermination: new(false)}, `{"deviceName":"xvdb","deleteOnTermination":false}`},
		{"an instance that is not protected", ec2v1.EC2InstanceSpec{DisableAPITermination: new(false)}, `{"disableAPITermination":false}`},
		{"the default credentials", ec2v1.Credentials{Default: &ec2v1.DefaultCredentials{}}, `{"default":{}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(test.object)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestConditionsComeFirstInStatus(t *testing.T) {
	for _, status := range []any{ec2v1.EC2InstanceStatus{}, ec2v1.EC2AccountStatus{}} {
		kind := reflect.TypeOf(status)
		if first := kind.Field(0).Name; first != "Conditions" {
			t.Errorf("the first field of %s is %s instead of Conditions", kind, first)
		}
	}
}
