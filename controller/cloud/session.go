// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
)

// Session is one account in one Region: the only way to call AWS. Every error is an *[Error]. Every call passes the
// account's rate limits and has a deadline of its own. The SDK repeats what only reads, a few times; what changes something
// is sent once, so that an error can say whether it had an effect. A Session may be used by many goroutines at once.
type Session interface {
	// Launch asks for exactly one instance. Calling again with the same token and parameters never makes a second instance; see
	// [ClientToken]. The instance has p's tags where EC2's answer lacks them.
	Launch(ctx context.Context, token string, p LaunchParameters) (Instance, error)

	// Terminate, Stop, Hibernate and Start return the state that EC2 answers with. Terminating again succeeds.
	Terminate(ctx context.Context, id string) (State, error)
	// Stop is StopInstances.
	Stop(ctx context.Context, id string) (State, error)
	// Hibernate is StopInstances for an instance whose memory is to survive. It must have been launched for that; where EC2 cannot
	// hibernate it, it stops it.
	Hibernate(ctx context.Context, id string) (State, error)
	// Start is StartInstances.
	Start(ctx context.Context, id string) (State, error)
	// Reboot is RebootInstances. The state stays running, so nothing that EC2 shows tells that it happened; repeating it reboots
	// again. For a terminated instance it does nothing.
	Reboot(ctx context.Context, id string) error

	// CancelSpotRequest is CancelSpotInstanceRequests. A running instance of the request runs on; EC2 terminates one that is stopped.
	// Cancelling again succeeds.
	CancelSpotRequest(ctx context.Context, requestID string) error

	// Modify carries out one modification of an instance. It is sent once; repeating it is safe, since each says what is to be and
	// not what is to be added.
	Modify(ctx context.Context, id string, m Modification) error

	// SetTags adds or overwrites the given tags and leaves all others. With no tags it does nothing.
	SetTags(ctx context.Context, id string, tags map[string]string) error
	// RemoveTags removes the tags with the given keys, whatever their values. With no keys it does nothing and calls nobody:
	// DeleteTags without tags would remove all of them.
	RemoveTags(ctx context.Context, id string, keys []string) error

	// FindByID asks for one instance alone, by id, and returns false when EC2 says that there is none. For a young instance
	// that can be wrong: EC2 is eventually consistent.
	FindByID(ctx context.Context, id string) (Instance, bool, error)
	// FindByToken returns the instances that a token launched: none, one, or one for each zone that it was used in.
	FindByToken(ctx context.Context, token string) ([]Instance, error)
	// List yields, page by page, all instances that bear this cluster's tag, and stops at yield's first error, which it
	// returns as it is. Terminated instances that have lost their tags are not among them.
	List(ctx context.Context, yield func([]Instance) error) error
	// Look returns those of the given instances that EC2 shows. An unknown id is left out and fails nothing.
	Look(ctx context.Context, ids []string) ([]Instance, error)
	// ListStatuses yields, page by page, the status of all running instances in the account and Region, also of those that are
	// not this cluster's: EC2 does not list statuses by tag. It costs one call for each thousand running instances, and stops at
	// yield's first error, which it returns as it is. IAM's word for it is ec2:DescribeInstanceStatus.
	ListStatuses(ctx context.Context, yield func([]InstanceStatus) error) error

	// ReadAttribute reads one attribute of an instance that no list tells.
	ReadAttribute(ctx context.Context, id string, a Attribute) (AttributeValue, error)
	// Volumes returns, by id, those of the given EBS volumes that EC2 shows. An unknown id is left out and fails nothing. What
	// several ask for at nearly the same time is one call.
	Volumes(ctx context.Context, ids []string) (map[string]VolumeDetail, error)
	// Credits returns, by instance, the credit options of those of the given instances for which EC2 tells one: standard or
	// unlimited. An unknown id is left out and fails nothing. So may be an instance with the standard option, because without
	// naming ids, one of which could fail all, EC2 promises those with the unlimited one only: what is missing here is standard.
	// What several ask for at nearly the same time is one call.
	Credits(ctx context.Context, ids []string) (map[string]string, error)

	// ResolveImage reads the image id that a Systems Manager parameter holds.
	ResolveImage(ctx context.Context, ssmParameter string) (string, error)
	// ResolveTemplate reads a version of a launch template: the number that $Default or $Latest stands for now, and what it
	// names that matters before a launch. IAM's word for it is ec2:DescribeLaunchTemplateVersions.
	ResolveTemplate(ctx context.Context, t TemplateRef) (Template, error)
	// AccountID is the AWS account that the credentials belong to, 12 digits.
	AccountID(ctx context.Context) (string, error)
}
