// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"net/url"
	"slices"
)

// ec2Changes are the EC2 actions that change something, of those that the operator calls.
var ec2Changes = []string{"CreateTags", "DeleteTags", "RunInstances", "StartInstances", "StopInstances", "TerminateInstances"}

// EC2Changes is what a request to EC2 changes: the name of its action, such as "RunInstances".
func EC2Changes(r Request) string {
	form, err := url.ParseQuery(string(r.Content))
	if err != nil || !slices.Contains(ec2Changes, form.Get("Action")) {
		return ""
	}
	return form.Get("Action")
}
