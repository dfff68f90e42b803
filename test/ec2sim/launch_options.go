// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"slices"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// launchOptions are what a launch says about an instance besides its image, network, volumes and access.
type launchOptions struct {
	position    position
	reservation reservationTarget
	cpu         cpuOptions
	credits     string // of a burstable type; empty for others
	hibernation bool
	enclave     bool
	maintenance maintenanceOptions
	dnsNames    dnsNameOptions
	licenses    []string // ARNs of licence configurations
	spot        *spotOptions
}

// maintenanceOptions are what EC2 does when hardware fails or is to be replaced.
type maintenanceOptions struct{ autoRecovery, rebootMigration string }

// dnsNameOptions are the names that an instance has in its VPC.
type dnsNameOptions struct {
	hostnameType        string
	aRecord, aaaaRecord bool
}

const (
	hostnameByAddress = "ip-name"
	hostnameByID      = "resource-name"

	// byDefault is the word that leaves a choice to EC2.
	byDefault = "default"
)

// optionMembers are the members of the structures of RunInstances that are modelled.
var optionMembers = map[string][]string{
	"CapacityReservationSpecification": {"CapacityReservationPreference", "CapacityReservationTarget"},
	"CpuOptions":                       {"AmdSevSnp", "CoreCount", "NestedVirtualization", "ThreadsPerCore"},
	"CreditSpecification":              {"CpuCredits"},
	"EnclaveOptions":                   {"Enabled"},
	"HibernationOptions":               {"Configured"},
	"MaintenanceOptions":               {"AutoRecovery"},
	"Placement": {
		"Affinity", "AvailabilityZone", "AvailabilityZoneId", "GroupId", "GroupName", "HostId", "PartitionNumber", "Tenancy",
	},
	"PrivateDnsNameOptions": {"EnableResourceNameDnsAAAARecord", "EnableResourceNameDnsARecord", "HostnameType"},
}

// readLaunchOptions reads and checks what needs no look at the world.
func readLaunchOptions(params wire.Params) (launchOptions, error) {
	o := launchOptions{
		maintenance: maintenanceOptions{byDefault, byDefault},
		dnsNames:    dnsNameOptions{hostnameType: hostnameByAddress},
	}
	for structure, members := range optionMembers {
		for _, name := range params.Struct(structure).Roots() {
			if !slices.Contains(members, name) {
				return o, notModelled(structure + "." + name)
			}
		}
	}
	for _, step := range []func(wire.Params) error{
		o.readHardware, o.readFlags, o.readNames, o.readLicenses,
	} {
		if err := step(params); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (o *launchOptions) readHardware(params wire.Params) error {
	var err error
	if o.position, err = readPosition(params, "Placement."); err != nil {
		return err
	}
	if o.reservation, err = readReservationTarget(params); err != nil {
		return err
	}
	if o.cpu, err = readCPUOptions(params, "CpuOptions."); err != nil {
		return err
	}
	return choice{"CreditSpecification.CpuCredits", &o.credits, creditOptions}.read(params)
}

// readFlags also holds that hibernation and enclaves exclude each other (EC2 User Guide, "Hibernation prerequisites").
func (o *launchOptions) readFlags(params wire.Params) error {
	var err error
	if o.hibernation, err = params.Bool("HibernationOptions.Configured"); err != nil {
		return err
	}
	if o.enclave, err = params.Bool("EnclaveOptions.Enabled"); err != nil {
		return err
	}
	if o.hibernation && o.enclave {
		return noEnclave()
	}
	o.spot, err = readSpotOptions(params, o.hibernation)
	return err
}

func noEnclave() error {
	return fail(codeInvalidParameterCombination, "Hibernation and Nitro Enclaves cannot be enabled on the same instance.")
}

func (o *launchOptions) readNames(params wire.Params) error {
	if err := o.maintenance.read(params, "MaintenanceOptions."); err != nil {
		return err
	}
	return o.dnsNames.read(params, "PrivateDnsNameOptions.", "HostnameType")
}

func (o *launchOptions) readLicenses(params wire.Params) error {
	for _, p := range params.Structs("LicenseSpecification") {
		arn := p["LicenseConfigurationArn"]
		if arn == "" {
			return missingParameter("LicenseSpecification.LicenseConfigurationArn")
		}
		o.licenses = append(o.licenses, arn)
	}
	return nil
}

// read changes the options that are given.
func (o *maintenanceOptions) read(params wire.Params, prefix string) error {
	onOff := []string{byDefault, disabled}
	if err := (choice{prefix + "AutoRecovery", &o.autoRecovery, onOff}).read(params); err != nil {
		return err
	}
	return choice{prefix + "RebootMigration", &o.rebootMigration, onOff}.read(params)
}

// read changes the options that are given. The type of the hostname has one name in launches and another in changes.
func (o *dnsNameOptions) read(params wire.Params, prefix, hostnameType string) error {
	for name, target := range map[string]*bool{
		prefix + "EnableResourceNameDnsARecord":    &o.aRecord,
		prefix + "EnableResourceNameDnsAAAARecord": &o.aaaaRecord,
	} {
		if !params.Has(name) {
			continue
		}
		value, err := params.Bool(name)
		if err != nil {
			return err
		}
		*target = value
	}
	return choice{prefix + hostnameType, &o.hostnameType, []string{hostnameByAddress, hostnameByID}}.read(params)
}

// resolveOptions checks the options of a launch against the world and fills in what it leaves to EC2.
func (r *region) resolveOptions(o launchOptions, typ InstanceType) (launchOptions, error) {
	var err error
	if o.position, err = r.world.settle(o.position); err != nil {
		return o, err
	}
	if err := r.world.checkReservation(o.reservation); err != nil {
		return o, err
	}
	if (o.cpu.cores == 0) != (o.cpu.threads == 0) {
		return o, fail(codeInvalidParameterCombination, "CpuOptions must give both CoreCount and ThreadsPerCore.")
	}
	if err := typ.checkCPU(o.cpu); err != nil {
		return o, err
	}
	if o.credits, err = typ.creditsFor(o.credits); err != nil {
		return o, err
	}
	for _, arn := range o.licenses {
		if !slices.Contains(r.world.Licenses, arn) {
			return o, invalidValue("licenseConfigurationArn", arn, "The license configuration does not exist.")
		}
	}
	return o, nil
}
