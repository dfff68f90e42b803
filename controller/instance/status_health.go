// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/cloud/observer"
)

// statusChecks are the results of EC2's status checks, once there are any; nil before, and while the instance does not run.
func statusChecks(obj *ec2v1.EC2Instance, told *observer.Entry) *ec2v1ac.StatusChecksApplyConfiguration {
	out := ec2v1ac.StatusChecks()
	switch healthOf(obj, told) {
	case healthShown:
		if !told.Status.HasResults() {
			return nil
		}
		setText(string(told.Status.System.Result), out.WithSystem)
		setText(string(told.Status.Instance.Result), out.WithInstance)
		if ebs := told.Status.AttachedEBS.Result; ebs != cloud.CheckInitializing {
			setText(string(ebs), out.WithAttachedEBS)
		}
	case healthRecorded:
		recorded := obj.Status.StatusChecks
		setText(recorded.System, out.WithSystem)
		setText(recorded.Instance, out.WithInstance)
		setText(recorded.AttachedEBS, out.WithAttachedEBS)
	default:
		return nil
	}
	return out
}

// scheduledEvents are what EC2 has scheduled for the instance while it runs, by code. The list is keyed by code, which says
// what users have to be ready for; of several events with one code cloud leaves the earliest, and the next one follows when
// that is over.
func scheduledEvents(obj *ec2v1.EC2Instance, told *observer.Entry) []*ec2v1ac.ScheduledEventApplyConfiguration {
	var out []*ec2v1ac.ScheduledEventApplyConfiguration
	switch healthOf(obj, told) {
	case healthShown:
		for _, e := range told.Status.Events {
			out = append(out, scheduledEvent(e.Code, e.Description, e.NotBefore, e.NotAfter))
		}
	case healthRecorded:
		for _, e := range obj.Status.ScheduledEvents {
			out = append(out, scheduledEvent(e.Code, e.Description, timeOf(e.NotBefore), timeOf(e.NotAfter)))
		}
	default:
	}
	return out
}

func scheduledEvent(code, description string, notBefore, notAfter time.Time) *ec2v1ac.ScheduledEventApplyConfiguration {
	out := ec2v1ac.ScheduledEvent().WithCode(code)
	setText(description, out.WithDescription)
	if !notBefore.IsZero() {
		out.WithNotBefore(metav1.NewTime(notBefore))
	}
	if !notAfter.IsZero() {
		out.WithNotAfter(metav1.NewTime(notAfter))
	}
	return out
}

func timeOf(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}
