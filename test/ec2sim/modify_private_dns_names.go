// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

const modifyPrivateDNSNameParameters = "EnableResourceNameDnsAAAARecord EnableResourceNameDnsARecord InstanceId PrivateDnsHostnameType"

// modifyPrivateDNSNameOptions changes what is given. The type of the hostname needs the instance stopped, the records do
// not (EC2 User Guide, "Amazon EC2 instance hostname types").
func modifyPrivateDNSNameOptions(c *call) (any, error) {
	i, err := c.target()
	if err != nil {
		return nil, err
	}
	return c.reconfigure(i, changeDNSNames)
}

func changeDNSNames(c *call, i *instance) (change, error) {
	if len(c.params) == 1 { // the instance's id
		return nil, missingParameter("PrivateDnsHostnameType, EnableResourceNameDnsARecord or EnableResourceNameDnsAAAARecord")
	}
	wanted := i.spec.dnsNames
	if err := wanted.read(c.params, "", "PrivateDnsHostnameType"); err != nil {
		return nil, err
	}
	if wanted.hostnameType != i.spec.dnsNames.hostnameType {
		if err := c.stopped(i); err != nil {
			return nil, err
		}
	}
	return func(s *launchSpec) { s.dnsNames = wanted }, nil
}
