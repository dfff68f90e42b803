// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
	"github.com/fieldowner/ec2-operator/controller/instance/children"
)

// parent is what the children are built from. Of the instance it is what the status tells, so that both say the
// same, and the children, too, stay as they are while EC2 shows nothing.
func (p *pass) parent(plan Plan) children.Parent {
	obj := p.in.Object
	parent := children.Parent{
		Namespace: obj.Namespace, Name: obj.Name, UID: obj.UID,
		Expose: obj.Spec.Expose, Connection: obj.Spec.Connection,
		Deleting: obj.DeletionTimestamp != nil,
	}
	if parent.Expose != nil || parent.Connection != nil {
		status := buildStatus(obj, p.Cluster, plan, p.began)
		parent.Instance = instanceOf(status, plan.Verdict.Reachable.Status == metav1.ConditionTrue)
	}
	return parent
}

// instanceOf is the instance that a status tells of. One that is terminated is none.
func instanceOf(s *ec2v1ac.EC2InstanceStatusApplyConfiguration, reachable bool) children.Instance {
	state := cloud.State(textOf(s.State))
	if textOf(s.InstanceID) == "" || state == cloud.StateTerminated {
		return children.Instance{}
	}
	return children.Instance{
		ID:          textOf(s.InstanceID),
		Region:      regionIn(textOf(s.ARN)),
		Zone:        textOf(s.AvailabilityZone),
		PrivateIPv4: textOf(s.PrivateIPAddress),
		PublicIPv4:  textOf(s.PublicIPAddress),
		PrivateDNS:  textOf(s.PrivateDNSName),
		PublicDNS:   textOf(s.PublicDNSName),
		IPv6:        s.IPv6Addresses,
		Serving:     state == cloud.StateRunning && reachable,
		Ending:      state == cloud.StateShuttingDown,
	}
}

func textOf(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// regionIn is the Region in an instance's ARN, arn:PARTITION:ec2:REGION:ACCOUNT:instance/ID.
func regionIn(arn string) string {
	const region = 3
	parts := strings.Split(arn, ":")
	if len(parts) <= region {
		return ""
	}
	return parts[region]
}
