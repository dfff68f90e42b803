// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import "fmt"

// Error is an error answer of an AWS service.
type Error struct {
	Status  int // HTTP status
	Code    string
	Message string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }
