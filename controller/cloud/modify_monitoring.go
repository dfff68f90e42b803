// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
)

// Monitoring turns detailed monitoring on or off.
type Monitoring struct {
	// On has CloudWatch get the instance's metrics each minute instead of every five.
	On bool
}

var _ Modification = Monitoring{}

// Action implements [Modification].
func (m Monitoring) Action() string {
	if m.On {
		return "MonitorInstances"
	}
	return "UnmonitorInstances"
}

func (m Monitoring) send(ctx context.Context, s *session, id string) error {
	if m.On {
		return accepted(ctx, m, func(ctx context.Context) (*ec2.MonitorInstancesOutput, error) {
			return s.ec2.MonitorInstances(ctx, &ec2.MonitorInstancesInput{InstanceIds: []string{id}}, once)
		})
	}
	return accepted(ctx, m, func(ctx context.Context) (*ec2.UnmonitorInstancesOutput, error) {
		return s.ec2.UnmonitorInstances(ctx, &ec2.UnmonitorInstancesInput{InstanceIds: []string{id}}, once)
	})
}
