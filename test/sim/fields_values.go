// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"crypto/sha256"
	"encoding/hex"

	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// The values of the rows.

const reservationName = "capacityReservationSpecification."

func shutsDown(behavior string) func(*specOf) {
	return func(s *specOf) { s.WithShutdownBehavior(behavior) }
}

func maintained(recovery, migration string) func(*specOf) {
	return func(s *specOf) {
		s.WithMaintenance(ec2v1ac.Maintenance().WithAutoRecovery(recovery).WithRebootMigration(migration))
	}
}

func withCredits(option string) func(*specOf) {
	return func(s *specOf) { s.WithCreditSpecification(ec2v1ac.CreditSpecification().WithCPUCredits(option)) }
}

func hostnames(kind string) func(*specOf) {
	return func(s *specOf) { s.WithPrivateDNSNameOptions(ec2v1ac.PrivateDNSNameOptions().WithHostnameType(kind)) }
}

// bareNetwork leaves the network to networkInterfaces.
func bareNetwork(s *specOf) { s.SubnetID, s.SecurityGroupIDs = nil, nil }

func anInterface(index int32) *ec2v1ac.NetworkInterfaceApplyConfiguration {
	return ec2v1ac.NetworkInterface().WithDeviceIndex(index)
}

func onlyInterface() *ec2v1ac.NetworkInterfaceApplyConfiguration {
	return anInterface(0).WithSubnetID(ec2sim.SubnetA)
}

func interfaces(list ...*ec2v1ac.NetworkInterfaceApplyConfiguration) func(*specOf) {
	return func(s *specOf) { s.WithNetworkInterfaces(list...) }
}

// dataVolume is a volume beside the root's.
func dataVolume(sizeGiB int32) *ec2v1ac.BlockDeviceApplyConfiguration {
	return ec2v1ac.BlockDevice().WithDeviceName(dataDevice).WithSizeGiB(sizeGiB)
}

func devices(list ...*ec2v1ac.BlockDeviceApplyConfiguration) func(*specOf) {
	return func(s *specOf) { s.WithBlockDevices(list...) }
}

func cores(count, threads int32) func(*specOf) {
	return func(s *specOf) {
		s.WithCPUOptions(ec2v1ac.CPUOptions().WithCoreCount(count).WithThreadsPerCore(threads))
	}
}

func nested(value string) func(*specOf) {
	return func(s *specOf) { s.WithCPUOptions(ec2v1ac.CPUOptions().WithNestedVirtualization(value)) }
}

func confidential(value string) func(*specOf) {
	return func(s *specOf) { s.WithCPUOptions(ec2v1ac.CPUOptions().WithAMDSEVSNP(value)) }
}

func placed(where *ec2v1ac.PlacementApplyConfiguration) func(*specOf) {
	return func(s *specOf) { s.WithPlacement(where) }
}

func reserved(in *ec2v1ac.CapacityReservationApplyConfiguration) func(*specOf) {
	return func(s *specOf) { s.WithCapacityReservation(in) }
}

func inline(text string) func(*specOf) {
	return func(s *specOf) { s.WithUserData(ec2v1ac.UserData().WithInline(text)) }
}

// sha256Of is how EC2's truth tells user data.
func sha256Of(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func template(version string) func(*specOf) {
	return func(s *specOf) {
		s.WithLaunchTemplate(ec2v1ac.LaunchTemplate().WithName(ec2sim.TemplateName).WithVersion(version))
	}
}

func subnetted(id string) func(*specOf) { return func(s *specOf) { s.WithSubnetID(id) } }

func addressed(address string) func(*specOf) {
	return func(s *specOf) { s.WithPrivateIPAddress(address) }
}

func keyed(name string) func(*specOf) { return func(s *specOf) { s.WithKeyName(name) } }

func spotFor(price string) func(*specOf) {
	return func(s *specOf) {
		s.WithMarketOptions(ec2v1ac.MarketOptions().WithMarketType("spot").WithSpotOptions(ec2v1ac.SpotOptions().WithMaxPrice(price)))
	}
}

func hibernating(on bool) func(*specOf) {
	return func(s *specOf) { s.WithHibernation(ec2v1ac.Hibernation().WithConfigured(on)) }
}

func enclaved(on bool) func(*specOf) {
	return func(s *specOf) { s.WithEnclave(ec2v1ac.Enclave().WithEnabled(on)) }
}

func licensed(arns ...string) func(*specOf) {
	return func(s *specOf) {
		for _, arn := range arns {
			s.WithLicenses(ec2v1ac.License().WithConfigurationARN(arn))
		}
	}
}
