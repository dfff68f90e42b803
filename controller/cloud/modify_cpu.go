// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// CPU changes the CPU options of a stopped instance. Those that are not set are not sent; AMDSEVSNP cannot be changed and never
// is.
type CPU struct {
	CPUOptions
}

var _ Modification = CPU{}

// Action implements [Modification].
func (CPU) Action() string { return "ModifyInstanceCpuOptions" }

func (m CPU) send(ctx context.Context, s *session, id string) error {
	m.AMDSEVSNP = ""
	if m == (CPU{}) {
		return refuse(m.Action(), noChange)
	}
	return accepted(ctx, m, func(ctx context.Context) (*ec2.ModifyInstanceCpuOptionsOutput, error) {
		return s.ec2.ModifyInstanceCpuOptions(ctx, &ec2.ModifyInstanceCpuOptionsInput{
			InstanceId:           aws.String(id),
			CoreCount:            count(m.CoreCount),
			ThreadsPerCore:       count(m.ThreadsPerCore),
			NestedVirtualization: ec2types.NestedVirtualizationSpecification(m.NestedVirtualization),
		}, once)
	})
}

// Credits changes the credit option of an instance of a burstable type.
type Credits struct {
	// CPUCredits is standard or unlimited.
	CPUCredits string
}

var _ Modification = Credits{}

// Action implements [Modification].
func (Credits) Action() string { return "ModifyInstanceCreditSpecification" }

func (m Credits) send(ctx context.Context, s *session, id string) error {
	if m.CPUCredits == "" {
		return refuse(m.Action(), noChange)
	}
	out, err := call(ctx, m.Action(), changeTimeout, func(ctx context.Context) (*ec2.ModifyInstanceCreditSpecificationOutput, error) {
		return s.ec2.ModifyInstanceCreditSpecification(ctx, &ec2.ModifyInstanceCreditSpecificationInput{
			InstanceCreditSpecifications: []ec2types.InstanceCreditSpecificationRequest{
				{InstanceId: aws.String(id), CpuCredits: aws.String(m.CPUCredits)},
			},
		}, once)
	})
	if err != nil {
		return err
	}
	return m.outcome(id, out)
}

// outcome is the error of the instance's own part of the answer: of this call EC2 says success when it refuses every instance.
func (m Credits) outcome(id string, out *ec2.ModifyInstanceCreditSpecificationOutput) error {
	for _, item := range out.UnsuccessfulInstanceCreditSpecifications {
		if aws.ToString(item.InstanceId) == id && item.Error != nil {
			return refusedItem(m.Action(), string(item.Error.Code), aws.ToString(item.Error.Message))
		}
	}
	for _, item := range out.SuccessfulInstanceCreditSpecifications {
		if aws.ToString(item.InstanceId) == id {
			return nil
		}
	}
	return lacking(m.Action(), "the answer does not name the instance")
}

// refusedItem is the error of one item of an answer that succeeded as a whole. It is AWS's word, as if it were the whole answer:
// each of them is a client error.
func refusedItem(op, code, message string) *Error {
	class := classOfCode(code, message, http.StatusBadRequest)
	return &Error{Op: op, Class: class, Code: code, Message: stable(message), Definite: true}
}
