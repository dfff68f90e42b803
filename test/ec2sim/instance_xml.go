// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"maps"
	"slices"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// The elements of an instance as the EC2 API writes them. Names are EC2's; empty
// numbers, booleans and times must be left out, since the SDK cannot parse them.

type xmlReservation struct {
	ReservationID string        `xml:"reservationId"`
	OwnerID       string        `xml:"ownerId"`
	Groups        []xmlGroup    `xml:"groupSet>item"`
	Instances     []xmlInstance `xml:"instancesSet>item"`
}

type xmlState struct {
	Code int    `xml:"code"`
	Name string `xml:"name"`
}

type xmlGroup struct {
	ID   string `xml:"groupId"`
	Name string `xml:"groupName"`
}

type xmlTag struct {
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

type xmlStateReason struct {
	Code    string `xml:"code"`
	Message string `xml:"message"`
}

type xmlMonitoring struct {
	State string `xml:"state"`
}

type xmlProfile struct {
	ARN string `xml:"arn"`
	ID  string `xml:"id"`
}

type xmlMetadataOptions struct {
	State                string `xml:"state"`
	HTTPTokens           string `xml:"httpTokens"`
	HopLimit             int    `xml:"httpPutResponseHopLimit"`
	HTTPEndpoint         string `xml:"httpEndpoint"`
	HTTPProtocolIPv6     string `xml:"httpProtocolIpv6"`
	InstanceMetadataTags string `xml:"instanceMetadataTags"`
}

type xmlBlockDevice struct {
	DeviceName string `xml:"deviceName"`
	EBS        xmlEBS `xml:"ebs"`
}

type xmlEBS struct {
	VolumeID            string `xml:"volumeId"`
	Status              string `xml:"status"`
	AttachTime          string `xml:"attachTime"`
	DeleteOnTermination bool   `xml:"deleteOnTermination"`
}

type xmlInstance struct {
	ID                 string             `xml:"instanceId"`
	ImageID            string             `xml:"imageId"`
	State              xmlState           `xml:"instanceState"`
	PrivateDNSName     string             `xml:"privateDnsName"`
	PublicDNSName      string             `xml:"dnsName"`
	Reason             string             `xml:"reason"`
	KeyName            string             `xml:"keyName,omitempty"`
	LaunchIndex        int                `xml:"amiLaunchIndex"`
	InstanceType       string             `xml:"instanceType"`
	LaunchTime         string             `xml:"launchTime"`
	Placement          xmlPlacement       `xml:"placement"`
	Monitoring         xmlMonitoring      `xml:"monitoring"`
	SubnetID           string             `xml:"subnetId,omitempty"`
	VPCID              string             `xml:"vpcId,omitempty"`
	PrivateIP          string             `xml:"privateIpAddress,omitempty"`
	PublicIP           string             `xml:"ipAddress,omitempty"`
	IPv6               string             `xml:"ipv6Address,omitempty"`
	SourceDestCheck    *bool              `xml:"sourceDestCheck"`
	Groups             []xmlGroup         `xml:"groupSet>item"`
	StateReason        *xmlStateReason    `xml:"stateReason"`
	Architecture       string             `xml:"architecture"`
	RootDeviceType     string             `xml:"rootDeviceType"`
	RootDeviceName     string             `xml:"rootDeviceName"`
	BlockDevices       []xmlBlockDevice   `xml:"blockDeviceMapping>item"`
	VirtualizationType string             `xml:"virtualizationType"`
	ClientToken        string             `xml:"clientToken"`
	Tags               []xmlTag           `xml:"tagSet>item"`
	Hypervisor         string             `xml:"hypervisor"`
	Interfaces         []xmlInterface     `xml:"networkInterfaceSet>item"`
	Profile            *xmlProfile        `xml:"iamInstanceProfile"`
	EBSOptimized       bool               `xml:"ebsOptimized"`
	ENASupport         bool               `xml:"enaSupport"`
	MetadataOptions    xmlMetadataOptions `xml:"metadataOptions"`
	PlatformDetails    string             `xml:"platformDetails"`
	UsageOperation     string             `xml:"usageOperation"`
	Lifecycle          string             `xml:"instanceLifecycle,omitempty"`
	SpotRequestID      string             `xml:"spotInstanceRequestId,omitempty"`

	xmlOptions
}

func stateXML(s lifecycle.State) xmlState { return xmlState{s.Code(), string(s)} }

func (v view) xml() xmlInstance {
	out := xmlInstance{
		ID: v.id, ImageID: v.spec.image.ID, State: stateXML(v.status.State), Reason: v.status.Reason.Transition,
		KeyName: v.spec.keyName, LaunchIndex: v.launchIndex, InstanceType: v.spec.instanceType.Name,
		LaunchTime:   wire.Timestamp(v.launchTime),
		Placement:    v.placementXML(),
		Monitoring:   xmlMonitoring{v.monitoringState()},
		Architecture: v.spec.image.Architecture, RootDeviceType: "ebs", RootDeviceName: v.spec.image.RootDeviceName,
		VirtualizationType: "hvm", ClientToken: v.clientToken, Tags: tagsXML(v.tags), Hypervisor: "xen",
		EBSOptimized: v.spec.ebsOptimized, ENASupport: true, MetadataOptions: v.metadataXML(),
		PlatformDetails: "Linux/UNIX", UsageOperation: "RunInstances", xmlOptions: v.optionsXML(),
	}
	if reason := v.status.Reason; reason.Code != "" {
		out.StateReason = &xmlStateReason{reason.Code, reason.Message}
	}
	if q := v.request; q != nil {
		out.Lifecycle, out.SpotRequestID = marketSpot, q.id
	}
	if p := v.spec.profile; p != nil {
		out.Profile = &xmlProfile{profileARN(v.account, p.Name), p.ID}
	}
	if !v.detached() {
		v.addAttachments(&out)
	}
	return out
}

// addAttachments fills what a terminated instance no longer has.
func (v view) addAttachments(out *xmlInstance) {
	v.addNetwork(out)
	for _, d := range v.spec.devices {
		out.BlockDevices = append(out.BlockDevices, v.deviceXML(d))
	}
}

func (v view) deviceXML(d blockDevice) xmlBlockDevice {
	return xmlBlockDevice{d.device, xmlEBS{d.volume.id, "attached", wire.Timestamp(v.history.Launched()), d.deleteOnTermination}}
}

func (v view) metadataXML() xmlMetadataOptions {
	m := v.spec.metadata
	state := "applied"
	if v.status.State == lifecycle.Pending {
		state = "pending"
	}
	return xmlMetadataOptions{state, m.httpTokens, m.hopLimit, m.httpEndpoint, m.httpProtocolIPv6, m.instanceMetadataTags}
}

func groupsXML(groups []SecurityGroup) []xmlGroup {
	var out []xmlGroup
	for _, g := range groups {
		out = append(out, xmlGroup{g.ID, g.Name})
	}
	return out
}

func tagsXML(tags map[string]string) []xmlTag {
	var out []xmlTag
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		out = append(out, xmlTag{key, tags[key]})
	}
	return out
}
