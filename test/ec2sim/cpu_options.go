// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"
	"strconv"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// cpuOptions are what a launch or a change asks for; zero values leave it to the type.
type cpuOptions struct {
	cores, threads int
	sevSNP, nested string
}

func readCPUOptions(params wire.Params, prefix string) (cpuOptions, error) {
	var o cpuOptions
	var err error
	if o.cores, _, err = params.Int(prefix + "CoreCount"); err != nil {
		return o, err
	}
	if o.threads, _, err = params.Int(prefix + "ThreadsPerCore"); err != nil {
		return o, err
	}
	onOff := []string{enabled, disabled}
	if err := (choice{prefix + "AmdSevSnp", &o.sevSNP, onOff}).read(params); err != nil {
		return o, err
	}
	return o, choice{prefix + "NestedVirtualization", &o.nested, onOff}.read(params)
}

// checkCPU refuses what the type does not have (EC2 User Guide, "Supported CPU options").
func (t InstanceType) checkCPU(o cpuOptions) error {
	switch {
	case o.cores != 0 && !slices.Contains(t.Cores, o.cores):
		return invalidValue("coreCount", strconv.Itoa(o.cores), "It is not supported by instance type "+t.Name+".")
	case o.threads != 0 && !slices.Contains(t.Threads, o.threads):
		return invalidValue("threadsPerCore", strconv.Itoa(o.threads), "It is not supported by instance type "+t.Name+".")
	case o.sevSNP == enabled && !t.SEVSNP:
		return fail(codeInvalidParameterCombination, "AMD SEV-SNP is not supported by instance type %s", t.Name)
	case o.nested == enabled && !t.NestedVirtualization:
		return fail(codeInvalidParameterCombination, "Nested virtualization is not supported by instance type %s", t.Name)
	}
	return nil
}

// effective are the options with what the type gives by itself.
func (o cpuOptions) effective(t InstanceType) cpuOptions {
	if o.threads == 0 {
		o.threads = 1
		if len(t.Threads) > 0 {
			o.threads = slices.Max(t.Threads)
		}
	}
	if o.cores == 0 {
		o.cores = t.VCPUs
		if len(t.Cores) > 0 {
			o.cores = slices.Max(t.Cores)
		}
	}
	return o
}

// with are the options with those of asked that are set.
func (o cpuOptions) with(asked cpuOptions) cpuOptions {
	if asked.cores != 0 {
		o.cores = asked.cores
	}
	if asked.threads != 0 {
		o.threads = asked.threads
	}
	if asked.nested != "" {
		o.nested = asked.nested
	}
	return o
}
