// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"cmp"
	"fmt"
	"strings"
)

// defaultKey is the id of the key aws/ebs, with which EBS encrypts when the request names none.
const defaultKey = "0eb50eb5-0123-4567-89ab-0123456789ab"

// keyARN is a KMS key as EBS reports it. That the key exists is not checked.
func (r *region) keyARN(id string) string {
	if strings.HasPrefix(id, "arn:") {
		return id
	}
	return fmt.Sprintf("arn:aws:kms:%s:%s:key/%s", r.name, r.account, cmp.Or(id, defaultKey))
}
