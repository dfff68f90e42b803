// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"errors"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// codeCreditsNotSupported is what EC2 says of an instance whose type is not burstable (API reference,
// UnsuccessfulInstanceCreditSpecificationItemError).
const codeCreditsNotSupported = "InstanceCreditSpecification.NotSupported"

type creditChangesResponse struct {
	wire.Head
	Successful   []xmlInstanceID    `xml:"successfulInstanceCreditSpecificationSet>item"`
	Unsuccessful []xmlInstanceError `xml:"unsuccessfulInstanceCreditSpecificationSet>item"`
}

type xmlInstanceID struct {
	ID string `xml:"instanceId"`
}

type xmlInstanceError struct {
	ID    string   `xml:"instanceId"`
	Error xmlError `xml:"error"`
}

type xmlError struct {
	Code    string `xml:"code"`
	Message string `xml:"message"`
}

// modifyInstanceCreditSpecification answers item by item: one instance that fails does not fail the others.
func modifyInstanceCreditSpecification(c *call) (any, error) {
	items := c.params.Structs("InstanceCreditSpecification")
	if len(items) == 0 {
		return nil, missingParameter("InstanceCreditSpecification")
	}
	for _, item := range items {
		credits := ""
		if err := (choice{"CpuCredits", &credits, creditOptions}).read(item); err != nil {
			return nil, err
		}
		if credits == "" || item["InstanceId"] == "" {
			return nil, missingParameter("InstanceCreditSpecification.InstanceId and .CpuCredits")
		}
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	answer := &creditChangesResponse{}
	for _, item := range items {
		id := item["InstanceId"]
		if failure, ok := errors.AsType[*wire.Error](c.changeCredits(id, item["CpuCredits"])); ok {
			answer.Unsuccessful = append(answer.Unsuccessful, xmlInstanceError{id, xmlError{failure.Code, failure.Message}})
			continue
		}
		answer.Successful = append(answer.Successful, xmlInstanceID{id})
	}
	return answer, nil
}

func (c *call) changeCredits(id, credits string) error {
	if err := checkInstanceIDs([]string{id}); err != nil {
		return err
	}
	found, err := c.byID([]string{id}, c.settings.ActByIDLag)
	if err != nil {
		return err
	}
	i := found[0]
	switch {
	case !c.in(i, lifecycle.Running, lifecycle.Stopped):
		return fail(codeIncorrectInstanceState, "The instance '%s' is in the '%s' state.", id, i.state(c.now))
	case i.spec.instanceType.defaultCredits() == "":
		return fail(codeCreditsNotSupported, "The instance '%s' does not support credit specification.", id)
	}
	i.reconfigure(c.now, func(s *launchSpec) { s.credits = credits })
	return nil
}
