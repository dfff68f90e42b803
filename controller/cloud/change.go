// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// Launch implements [Session].
func (s *session) Launch(ctx context.Context, token string, p LaunchParameters) (Instance, error) {
	const op = "RunInstances"
	if token == "" {
		// The SDK would make up a token, and each call would launch.
		return Instance{}, refuse(op, "a launch must have a client token")
	}
	out, err := call(ctx, op, LaunchTimeout, func(ctx context.Context) (*ec2.RunInstancesOutput, error) {
		return s.ec2.RunInstances(ctx, runInstancesInput(token, p), once)
	})
	if err != nil {
		return Instance{}, err
	}
	if len(out.Instances) != 1 {
		return Instance{}, lacking(op, "the answer does not hold exactly one instance")
	}
	i := s.instance(out.Instances[0], aws.ToString(out.OwnerId))
	if len(i.Tags) == 0 {
		// EC2 may answer a repeated call without the tags.
		i.Tags = p.Tags
	}
	if i.ClientToken == "" {
		i.ClientToken = token
	}
	return i, nil
}

// once turns the SDK's retries off, for every call that changes something. InsufficientInstanceCapacity is HTTP 500, which
// the SDK would repeat within milliseconds, and RunInstances has 5 tokens only. And of a call that was sent several times
// nobody could say that it had no effect: the last refusal says nothing of the answer that was lost before it.
func once(o *ec2.Options) {
	o.Retryer = aws.NopRetryer{}
	o.RetryMaxAttempts = 0
}

// Terminate implements [Session].
func (s *session) Terminate(ctx context.Context, id string) (State, error) {
	const op = "TerminateInstances"
	return change(ctx, op, id, func(ctx context.Context, ids []string) ([]ec2types.InstanceStateChange, error) {
		out, err := s.ec2.TerminateInstances(ctx, &ec2.TerminateInstancesInput{InstanceIds: ids}, once)
		if err != nil {
			return nil, err //nolint:wrapcheck // Classified by change.
		}
		return out.TerminatingInstances, nil
	})
}

// Stop implements [Session].
func (s *session) Stop(ctx context.Context, id string) (State, error) { return s.stop(ctx, id, nil) }

// Hibernate implements [Session].
func (s *session) Hibernate(ctx context.Context, id string) (State, error) {
	return s.stop(ctx, id, aws.Bool(true))
}

func (s *session) stop(ctx context.Context, id string, hibernate *bool) (State, error) {
	const op = "StopInstances"
	return change(ctx, op, id, func(ctx context.Context, ids []string) ([]ec2types.InstanceStateChange, error) {
		out, err := s.ec2.StopInstances(ctx, &ec2.StopInstancesInput{InstanceIds: ids, Hibernate: hibernate}, once)
		if err != nil {
			return nil, err //nolint:wrapcheck // Classified by change.
		}
		return out.StoppingInstances, nil
	})
}

// Start implements [Session].
func (s *session) Start(ctx context.Context, id string) (State, error) {
	const op = "StartInstances"
	return change(ctx, op, id, func(ctx context.Context, ids []string) ([]ec2types.InstanceStateChange, error) {
		out, err := s.ec2.StartInstances(ctx, &ec2.StartInstancesInput{InstanceIds: ids}, once)
		if err != nil {
			return nil, err //nolint:wrapcheck // Classified by change.
		}
		return out.StartingInstances, nil
	})
}

// Reboot implements [Session].
func (s *session) Reboot(ctx context.Context, id string) error {
	const op = "RebootInstances"
	if id == "" {
		return refuse(op, noID)
	}
	_, err := call(ctx, op, changeTimeout, func(ctx context.Context) (*ec2.RebootInstancesOutput, error) {
		return s.ec2.RebootInstances(ctx, &ec2.RebootInstancesInput{InstanceIds: []string{id}}, once)
	})
	return err
}

// CancelSpotRequest implements [Session].
func (s *session) CancelSpotRequest(ctx context.Context, requestID string) error {
	const op = "CancelSpotInstanceRequests"
	if requestID == "" {
		return refuse(op, "the id of a Spot request is needed")
	}
	_, err := call(ctx, op, changeTimeout, func(ctx context.Context) (*ec2.CancelSpotInstanceRequestsOutput, error) {
		return s.ec2.CancelSpotInstanceRequests(ctx, &ec2.CancelSpotInstanceRequestsInput{SpotInstanceRequestIds: []string{requestID}}, once)
	})
	return err
}

// change makes a call that changes the state of one instance, and returns the state that EC2 answers with.
func change(
	ctx context.Context, op, id string, send func(context.Context, []string) ([]ec2types.InstanceStateChange, error),
) (State, error) {
	if id == "" {
		return "", refuse(op, noID)
	}
	changes, err := call(ctx, op, changeTimeout, func(ctx context.Context) ([]ec2types.InstanceStateChange, error) {
		return send(ctx, []string{id})
	})
	if err != nil {
		return "", err
	}
	for _, c := range changes {
		if aws.ToString(c.InstanceId) == id && c.CurrentState != nil {
			return State(c.CurrentState.Name), nil
		}
	}
	return "", lacking(op, "the answer does not hold the instance's state")
}

// noID says why a call without an id is not sent: to EC2 no id can mean every instance.
const noID = "an instance id is needed"

// SetTags implements [Session].
func (s *session) SetTags(ctx context.Context, id string, tags map[string]string) error {
	const op = "CreateTags"
	if len(tags) == 0 {
		return nil
	}
	if id == "" {
		return refuse(op, noID)
	}
	_, err := call(ctx, op, changeTimeout, func(ctx context.Context) (*ec2.CreateTagsOutput, error) {
		return s.ec2.CreateTags(ctx, &ec2.CreateTagsInput{Resources: []string{id}, Tags: tagList(tags)}, once)
	})
	return err
}

// RemoveTags implements [Session].
func (s *session) RemoveTags(ctx context.Context, id string, keys []string) error {
	const op = "DeleteTags"
	keys = sortedSet(keys)
	if len(keys) == 0 {
		// DeleteTags without tags removes every tag.
		return nil
	}
	if id == "" {
		return refuse(op, noID)
	}
	tags := make([]ec2types.Tag, 0, len(keys))
	for _, key := range keys {
		// Without a value the tag goes whatever its value; with an empty one only if its value is empty.
		tags = append(tags, ec2types.Tag{Key: aws.String(key)})
	}
	_, err := call(ctx, op, changeTimeout, func(ctx context.Context) (*ec2.DeleteTagsOutput, error) {
		return s.ec2.DeleteTags(ctx, &ec2.DeleteTagsInput{Resources: []string{id}, Tags: tags}, once)
	})
	return err
}
