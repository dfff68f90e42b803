// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	_ "github.com/aws/aws-sdk-go-v2/aws" // want "depguard: .*apply knows nothing of AWS" "depguard: .*only door to AWS"

	_ "github.com/fieldowner/ec2-operator/controller/account" // want "depguard: .*apply knows no reconciler and nothing of AWS"
)
