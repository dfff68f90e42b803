// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package cloud is the only door to AWS: a narrow client for what the operator does to EC2 instances, with the
// account's rate limits, classified errors, and the mapping between the API's types and EC2's.
//
// Nothing of the AWS SDK shows in its exported API, so that callers decide by [Class] and [State] and tests need no SDK.
// It knows no Kubernetes but the types of the API.
package cloud
