// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsec2 "github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// launchedInConsole is an instance that nobody's object has.
func launchedInConsole(w *world) error {
	_, err := w.console().RunInstances(context.Background(), &awsec2.RunInstancesInput{
		ImageId: aws.String(ec2sim.ImageAL2023), InstanceType: ec2types.InstanceTypeT3Micro, SubnetId: aws.String(ec2sim.SubnetA),
		SecurityGroupIds: []string{ec2sim.SecurityGroupDefault}, MinCount: aws.Int32(1), MaxCount: aws.Int32(1),
	})
	if err != nil {
		return fmt.Errorf("launching in the console: %w", err)
	}
	return nil
}

// adopts: the user's object takes over the only instance that there is.
func adopts(changes ...func(*specOf)) deed { return adoptsAs(subject, changes...) }

// adoptsAs is the same of an object of some name.
func adoptsAs(name string, changes ...func(*specOf)) deed {
	return func(w *world) error {
		for _, i := range w.ec2.Instances() {
			if !i.Live() {
				continue
			}
			spec := ec2v1ac.EC2InstanceSpec().WithAdopt(ec2v1ac.Adopt().WithInstanceID(i.ID)).
				WithImage(ec2v1ac.Image().WithID(ec2sim.ImageAL2023)).WithInstanceType("t3.micro").
				WithSubnetID(ec2sim.SubnetA).WithSecurityGroupIDs(ec2sim.SecurityGroupDefault)
			for _, change := range changes {
				change(spec)
			}
			return w.applyAsUser(name, spec)
		}
		return errors.New("there is no instance to take over")
	}
}

func observed(s *specOf) { s.WithManagementPolicy(ec2v1.ManagementObserve) }
