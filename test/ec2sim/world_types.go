// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

// Architectures of images and instance types.
const (
	x86 = "x86_64"
	arm = "arm64"
)

// defaultTypes are the instance types of the default world. Numbers of cores and threads are those of EC2's table
// "Supported CPU options for Amazon EC2 instance types".
func defaultTypes(onlyZone string) []InstanceType {
	intel := func(name string, vcpus int, cores ...int) InstanceType {
		return InstanceType{Name: name, Architecture: x86, VCPUs: vcpus, Cores: cores, Threads: []int{1, 2}}
	}
	graviton := func(name string) InstanceType {
		return InstanceType{Name: name, Architecture: arm, VCPUs: 2, Cores: []int{1, 2}, Threads: []int{1}}
	}
	types := []InstanceType{
		{Name: defaultInstanceType, Architecture: x86, VCPUs: 1}, // what EC2 launches when no type is given
		intel("t3.micro", 2, 1), intel("t3.small", 2, 1), intel("t3.medium", 2, 1), intel("t3.large", 2, 1),
		intel("m5.large", 2, 1), intel("m5.xlarge", 4, 2), intel(TypeWithCores, 8, 2, 4),
		intel("m6i.large", 2, 1), intel("c5.large", 2, 1), intel("r5.large", 2, 1),
		graviton("t4g.micro"), graviton("t4g.small"), graviton("m7g.large"),
	}
	amd, nesting, big := intel("m6a.large", 2, 1), intel("m8i.large", 2, 1), intel(TypeInOneZone, 96, 24, 48)
	amd.SEVSNP, nesting.NestedVirtualization, big.Zones = true, true, []string{onlyZone}
	return append(types, amd, nesting, big)
}
