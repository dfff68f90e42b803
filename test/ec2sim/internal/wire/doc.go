// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package wire is what goes over the line: the EC2 Query and AWS Query protocols
// (form-encoded in, XML out) and AWS JSON 1.1, with their forms of an error.
// It knows nothing about what the actions mean.
package wire
