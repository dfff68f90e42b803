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

	// Terminate, Stop and Start return the state that EC2 answers with. Terminating again succeeds.
	Terminate(ctx context.Context, id string) (State, error)
	// Stop is StopInstances.
	Stop(ctx context.Context, id string) (State, error)
	// Start is StartInstances.
	Start(ctx context.Context, id string) (State, error)

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

	// ResolveImage reads the image id that a Systems Manager parameter holds.
	ResolveImage(ctx context.Context, ssmParameter string) (string, error)
	// AccountID is the AWS account that the credentials belong to, 12 digits.
	AccountID(ctx context.Context) (string, error)
}
