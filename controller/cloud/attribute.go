// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"encoding/base64"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// Attribute is EC2's word for an attribute of an instance that only DescribeInstanceAttribute tells.
type Attribute string

// The attributes that can be read.
const (
	// AttributeUserData: the user data, as Bytes.
	AttributeUserData Attribute = "userData"
	// AttributeDisableAPITermination: the protection from TerminateInstances, as Flag.
	AttributeDisableAPITermination Attribute = "disableApiTermination"
	// AttributeDisableAPIStop: the protection from StopInstances, as Flag.
	AttributeDisableAPIStop Attribute = "disableApiStop"
	// AttributeShutdownBehavior: stop or terminate, as Text.
	AttributeShutdownBehavior Attribute = "instanceInitiatedShutdownBehavior"
)

// AttributeValue is what an attribute is. Which member holds it depends on the [Attribute].
type AttributeValue struct {
	// Flag of an attribute that is on or off.
	Flag bool
	// Text of an attribute that is a word.
	Text string
	// Bytes of the user data, decoded; nil when there is none.
	Bytes []byte
}

const opReadAttribute = "DescribeInstanceAttribute"

// ReadAttribute implements [Session].
func (s *session) ReadAttribute(ctx context.Context, id string, a Attribute) (AttributeValue, error) {
	if id == "" {
		return AttributeValue{}, refuse(opReadAttribute, noID)
	}
	out, err := call(ctx, opReadAttribute, readTimeout, func(ctx context.Context) (*ec2.DescribeInstanceAttributeOutput, error) {
		return s.ec2.DescribeInstanceAttribute(ctx, &ec2.DescribeInstanceAttributeInput{
			InstanceId: aws.String(id), Attribute: ec2types.InstanceAttributeName(a),
		})
	})
	if err != nil {
		return AttributeValue{}, err
	}
	return attributeValue(a, out)
}

func attributeValue(a Attribute, out *ec2.DescribeInstanceAttributeOutput) (AttributeValue, error) {
	switch a {
	case AttributeUserData:
		return userDataValue(out.UserData)
	case AttributeDisableAPITermination:
		return flagOfAttribute(out.DisableApiTermination)
	case AttributeDisableAPIStop:
		return flagOfAttribute(out.DisableApiStop)
	case AttributeShutdownBehavior:
		if out.InstanceInitiatedShutdownBehavior != nil {
			return AttributeValue{Text: aws.ToString(out.InstanceInitiatedShutdownBehavior.Value)}, nil
		}
	}
	return AttributeValue{}, lackingAttribute()
}

// userDataValue decodes. EC2 leaves the value out when there is none.
func userDataValue(v *ec2types.AttributeValue) (AttributeValue, error) {
	if v == nil || aws.ToString(v.Value) == "" {
		return AttributeValue{}, nil
	}
	decoded, err := base64.StdEncoding.DecodeString(*v.Value)
	if err != nil {
		// Without the cause, which quotes.
		return AttributeValue{}, lacking(opReadAttribute, "the user data in the answer is not base64")
	}
	return AttributeValue{Bytes: decoded}, nil
}

func flagOfAttribute(v *ec2types.AttributeBooleanValue) (AttributeValue, error) {
	if v == nil || v.Value == nil {
		return AttributeValue{}, lackingAttribute()
	}
	return AttributeValue{Flag: *v.Value}, nil
}

func lackingAttribute() *Error {
	return lacking(opReadAttribute, "the answer does not hold the attribute")
}
