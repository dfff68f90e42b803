// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "strings"

// CPU credit options of burstable instance types.
const (
	creditsStandard  = "standard"
	creditsUnlimited = "unlimited"
)

var creditOptions = []string{creditsStandard, creditsUnlimited}

// defaultCredits is the option that EC2 gives to instances of the type, and nothing for types that are not burstable
// (EC2 User Guide, "Burstable performance instances": T2 launches as standard, later ones as unlimited).
func (t InstanceType) defaultCredits() string {
	family, _, _ := strings.Cut(t.Name, ".")
	switch family {
	case "t2":
		return creditsStandard
	case "t3", "t3a", "t4g":
		return creditsUnlimited
	}
	return ""
}

func (t InstanceType) creditsFor(asked string) (string, error) {
	byType := t.defaultCredits()
	switch {
	case asked == "":
		return byType, nil
	case byType == "":
		return "", fail(codeInvalidParameterCombination, "The parameter creditSpecification is not supported by instance type %s", t.Name)
	}
	return asked, nil
}
