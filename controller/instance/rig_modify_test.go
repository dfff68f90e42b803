// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

func (f *fakeEC2) Reboot(_ context.Context, id string) error {
	err := f.call("Reboot %s", id)
	f.mu.Unlock()
	return err
}

func (f *fakeEC2) CancelSpotRequest(_ context.Context, id string) error {
	err := f.call("CancelSpotRequest %s", id)
	f.mu.Unlock()
	return err
}

// Modify takes effect at once. What it does not know it takes in and forgets.
func (f *fakeEC2) Modify(_ context.Context, id string, m cloud.Modification) error {
	err := f.call("Modify %s %s", id, strings.TrimPrefix(fmt.Sprintf("%T%+v", m, m), "cloud."))
	defer f.mu.Unlock()
	if err != nil {
		return err
	}
	i, ok := f.instances[id]
	if !ok {
		return &cloud.Error{Op: m.Action(), Class: cloud.ClassNotYetVisible, Code: "InvalidInstanceID.NotFound", Definite: true}
	}
	f.instances[id] = modified(i, m)
	f.unlisted.modify(id, m)
	return nil
}

// modified is the instance after a modification of what lists show.
func modified(i cloud.Instance, m cloud.Modification) cloud.Instance {
	i.NetworkInterfaces = slices.Clone(i.NetworkInterfaces)
	switch m := m.(type) {
	case cloud.InstanceType:
		i.Type = m.Type
	case cloud.EBSOptimized:
		i.EBSOptimized = m.On
	case cloud.Monitoring:
		i.Monitoring = "disabled"
		if m.On {
			i.Monitoring = "enabled"
		}
	case cloud.InstanceProfile:
		i.IAMInstanceProfileARN = m.ARN
		if m.ARN == "" {
			i.IAMInstanceProfileARN = "arn:aws:iam::123456789012:instance-profile/" + m.Name
		}
	case cloud.SecurityGroups:
		for n := range i.NetworkInterfaces {
			if i.NetworkInterfaces[n].ID == m.InterfaceID {
				i.NetworkInterfaces[n].SecurityGroupIDs = m.IDs()
			}
		}
	case cloud.SourceDestCheck:
		for n := range i.NetworkInterfaces {
			if i.NetworkInterfaces[n].ID == m.InterfaceID {
				i.NetworkInterfaces[n].SourceDestCheck = m.On
			}
		}
	}
	return i
}

// modify keeps a modification of what lists do not show.
func (u unlisted) modify(id string, m cloud.Modification) {
	set := func(a cloud.Attribute, v cloud.AttributeValue) {
		if u.attributes[id] == nil {
			u.attributes[id] = map[cloud.Attribute]cloud.AttributeValue{}
		}
		u.attributes[id][a] = v
	}
	switch m := m.(type) {
	case cloud.UserDataBytes:
		set(cloud.AttributeUserData, cloud.AttributeValue{Bytes: m.Bytes()})
	case cloud.DisableAPITermination:
		set(cloud.AttributeDisableAPITermination, cloud.AttributeValue{Flag: m.On})
	case cloud.DisableAPIStop:
		set(cloud.AttributeDisableAPIStop, cloud.AttributeValue{Flag: m.On})
	case cloud.ShutdownBehavior:
		set(cloud.AttributeShutdownBehavior, cloud.AttributeValue{Text: m.Behavior})
	case cloud.Credits:
		u.credits[id] = m.CPUCredits
	}
}
