// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "strconv"

// LaunchTemplate is a launch template with its versions.
type LaunchTemplate struct {
	ID, Name string
	// Default is the number of the version that $Default names.
	Default  int
	Versions []LaunchTemplateVersion // by number, the greatest last
}

// LaunchTemplateVersion is what one version of a launch template says.
type LaunchTemplateVersion struct {
	Number      int
	Description string
	// Data are parameters of RunInstances under their names in the Query protocol, such as InstanceType or
	// SecurityGroupId.1.
	Data map[string]string
}

// Names that launch templates have for versions.
const (
	versionDefault = "$Default"
	versionLatest  = "$Latest"
)

func (t LaunchTemplate) latest() int {
	if len(t.Versions) == 0 {
		return 0
	}
	return t.Versions[len(t.Versions)-1].Number
}

// version finds a version by its number or by one of the two names.
func (t LaunchTemplate) version(name string) (LaunchTemplateVersion, bool) {
	number, err := strconv.Atoi(name)
	switch {
	case name == versionDefault:
		number = t.Default
	case name == versionLatest:
		number = t.latest()
	case err != nil:
		return LaunchTemplateVersion{}, false
	}
	return find(t.Versions, func(v LaunchTemplateVersion) bool { return v.Number == number })
}
