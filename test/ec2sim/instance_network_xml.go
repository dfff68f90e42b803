// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import "github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"

type xmlInterface struct {
	ID               string          `xml:"networkInterfaceId"`
	SubnetID         string          `xml:"subnetId"`
	VPCID            string          `xml:"vpcId"`
	Description      string          `xml:"description"`
	OwnerID          string          `xml:"ownerId"`
	Status           string          `xml:"status"`
	PrivateIP        string          `xml:"privateIpAddress"`
	PrivateDNSName   string          `xml:"privateDnsName"`
	SourceDestCheck  bool            `xml:"sourceDestCheck"`
	Groups           []xmlGroup      `xml:"groupSet>item"`
	Attachment       xmlAttachment   `xml:"attachment"`
	Association      *xmlAssociation `xml:"association"`
	PrivateAddresses []xmlPrivateIP  `xml:"privateIpAddressesSet>item"`
	IPv6Addresses    []xmlIPv6       `xml:"ipv6AddressesSet>item"`
	InterfaceType    string          `xml:"interfaceType"`
}

type xmlAttachment struct {
	ID                  string `xml:"attachmentId"`
	DeviceIndex         int    `xml:"deviceIndex"`
	NetworkCardIndex    int    `xml:"networkCardIndex"`
	Status              string `xml:"status"`
	AttachTime          string `xml:"attachTime"`
	DeleteOnTermination bool   `xml:"deleteOnTermination"`
}

type xmlAssociation struct {
	PublicIP      string `xml:"publicIp"`
	PublicDNSName string `xml:"publicDnsName"`
	IPOwnerID     string `xml:"ipOwnerId"`
}

type xmlPrivateIP struct {
	Address     string          `xml:"privateIpAddress"`
	DNSName     string          `xml:"privateDnsName"`
	Primary     bool            `xml:"primary"`
	Association *xmlAssociation `xml:"association"`
}

type xmlIPv6 struct {
	Address string `xml:"ipv6Address"`
}

// addNetwork fills the elements that tell the primary interface, and the set of all.
func (v view) addNetwork(out *xmlInstance) {
	primary := v.spec.primary()
	out.SubnetID, out.VPCID = primary.subnet.ID, primary.subnet.VPCID
	out.PrivateIP, out.PrivateDNSName = primary.privateIP.String(), v.privateDNSName(primary)
	out.SourceDestCheck = new(primary.sourceDestCheck)
	out.Groups = groupsXML(primary.groups)
	if len(primary.ipv6) > 0 {
		out.IPv6 = primary.ipv6[0].String()
	}
	if ip := v.status.PublicIP; ip.IsValid() {
		out.PublicIP, out.PublicDNSName = ip.String(), v.publicDNSName(ip)
	}
	for n := range v.spec.interfaces {
		out.Interfaces = append(out.Interfaces, v.interfaceXML(&v.spec.interfaces[n]))
	}
}

func (v view) interfaceXML(n *networkInterface) xmlInterface {
	var association *xmlAssociation
	if ip := v.status.PublicIP; ip.IsValid() && n.deviceIndex == 0 {
		association = &xmlAssociation{ip.String(), v.publicDNSName(ip), "amazon"}
	}
	name := v.privateDNSName(n)
	out := xmlInterface{
		ID: n.id, SubnetID: n.subnet.ID, VPCID: n.subnet.VPCID, Description: n.description, OwnerID: v.account, Status: "in-use",
		PrivateIP: n.privateIP.String(), PrivateDNSName: name, SourceDestCheck: n.sourceDestCheck, Groups: groupsXML(n.groups),
		Attachment: xmlAttachment{
			n.attachmentID, n.deviceIndex, n.cardIndex, "attached", wire.Timestamp(v.history.Launched()), n.deleteOnTermination,
		},
		Association:      association,
		PrivateAddresses: []xmlPrivateIP{{n.privateIP.String(), name, true, association}},
		InterfaceType:    "interface",
	}
	for _, address := range n.ipv6 {
		out.IPv6Addresses = append(out.IPv6Addresses, xmlIPv6{address.String()})
	}
	return out
}
