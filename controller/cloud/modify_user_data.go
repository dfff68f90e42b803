// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"context"
	"unique"

	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
)

// UserDataBytes replaces the user data of a stopped instance; see [NewUserData]. The system on it does not take it in again by
// itself: most run user data once, at the first start.
type UserDataBytes struct {
	// bytes are behind a handle, which compares as they do and which fmt cannot see through, however deep inside of something
	// it comes upon it: they may be a secret.
	bytes unique.Handle[string]
}

// NewUserData is the change of an instance's user data to these bytes, before any encoding. None take the user data away.
func NewUserData(bytes []byte) UserDataBytes { return UserDataBytes{unique.Make(string(bytes))} }

var _ Modification = UserDataBytes{}

// Action implements [Modification].
func (UserDataBytes) Action() string { return opModifyAttribute }

// Bytes are the user data.
func (m UserDataBytes) Bytes() []byte {
	if m == (UserDataBytes{}) {
		return []byte{}
	}
	return []byte(m.bytes.Value())
}

// String says what it is, and nothing of the bytes.
func (UserDataBytes) String() string { return "user data" }

// GoString is String.
func (m UserDataBytes) GoString() string { return m.String() }

func (m UserDataBytes) send(ctx context.Context, s *session, id string) error {
	// The SDK encodes them.
	return s.modifyAttribute(ctx, id, m, ec2.ModifyInstanceAttributeInput{UserData: &ec2types.SecureBlobAttributeValue{Value: m.Bytes()}})
}
