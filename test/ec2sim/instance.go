// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/lifecycle"
)

// instance is the record of one instance. What can change after the launch is in spec, history and health.
type instance struct {
	id, reservationID string
	sequence          int // position among all launches of the region
	launchIndex       int // position within the reservation
	account, region   string
	zone              Zone
	subnet            Subnet
	clientToken       string
	spec              launchSpec
	request           *spotRequest // of a Spot Instance
	revisions         []revision   // of spec, the oldest first
	reboots           []time.Time
	history           lifecycle.History
	health            health
}

// launchSpec is what a launch asked for, checked and resolved, with what was changed since.
type launchSpec struct {
	launchOptions

	image                 Image
	instanceType          InstanceType
	interfaces            []networkInterface // the primary first
	keyName               string
	profile               *InstanceProfile
	associationID         string // of the profile
	userData              []byte
	tags                  map[string][]tag // by resource type
	metadata              metadataOptions
	monitoring            bool
	ebsOptimized          bool
	disableAPITermination bool
	disableAPIStop        bool
	shutdownBehavior      string
	publicIP              *bool         // nil: as the subnet says
	reservedIn            string        // the capacity reservation that it runs in
	typeSetAt             time.Time     // when the type was changed last
	devices               []blockDevice // the root device first
}

type metadataOptions struct {
	httpTokens, httpEndpoint, httpProtocolIPv6, instanceMetadataTags string
	hopLimit                                                         int
}

func (i *instance) state(now time.Time) lifecycle.State { return i.history.At(now).State }

// ended says whether the instance is terminated in truth.
func (i *instance) ended(now time.Time) bool { return i.state(now) == lifecycle.Terminated }

// purged says whether EC2 has forgotten the instance.
func (i *instance) purged(now time.Time, s *Settings) bool {
	end, ends := i.history.Ended()
	return ends && !now.Before(end.Add(s.TerminatedVisibility))
}

// wantsPublicIP is also false for an instance with several network interfaces: EC2 gives none by itself then.
func (i *instance) wantsPublicIP() bool {
	if i.spec.publicIP != nil {
		return *i.spec.publicIP
	}
	return i.subnet.PublicIP && len(i.spec.interfaces) == 1
}

// State reasons that EC2 documents (API reference, StateReason).
const (
	reasonUserShutdown      = "Client.UserInitiatedShutdown"
	reasonInstanceShutdown  = "Client.InstanceInitiatedShutdown"
	reasonUserShutdownText  = "User initiated shutdown"
	reasonInstanceDownText  = "Instance initiated shutdown"
	reasonTransitionTimeFmt = "2006-01-02 15:04:05 MST"
)

// userReason is what a stop or termination by API call leaves behind.
func userReason(now time.Time) lifecycle.Reason {
	return lifecycle.Reason{
		Code: reasonUserShutdown, Message: reasonUserShutdown + ": " + reasonUserShutdownText,
		Transition: fmt.Sprintf("User initiated (%s)", now.In(gmt).Format(reasonTransitionTimeFmt)),
	}
}

// guestReason is what a shutdown from inside the instance leaves behind.
func guestReason() lifecycle.Reason {
	return lifecycle.Reason{Code: reasonInstanceShutdown, Message: reasonInstanceShutdown + ": " + reasonInstanceDownText}
}

var gmt = time.FixedZone("GMT", 0)

func (i *instance) start(now time.Time, s *Settings, publicIP netip.Addr) {
	i.history = i.history.Record(lifecycle.Transition{
		At: now, Settles: now.Add(s.PendingDelay), Via: lifecycle.Pending, To: lifecycle.Running, PublicIP: publicIP,
	})
}

// startDoomed is a launch that EC2 accepts and that ends terminated without ever running.
func (i *instance) startDoomed(now time.Time, s *Settings, why StateReason) {
	end := now.Add(s.PendingDelay)
	i.history = i.history.
		Record(lifecycle.Transition{At: now, Settles: end, Via: lifecycle.Pending, To: lifecycle.Pending}).
		Schedule(lifecycle.Transition{
			At: end, Settles: end, Via: lifecycle.Terminated, To: lifecycle.Terminated,
			Reason: lifecycle.Reason{Code: why.Code, Message: why.Message, Transition: why.Code},
		})
}

func (i *instance) stop(now time.Time, s *Settings, why lifecycle.Reason) {
	i.history = i.history.Record(lifecycle.Transition{
		At: now, Settles: now.Add(s.StoppingDelay), Via: lifecycle.Stopping, To: lifecycle.Stopped, Reason: why,
	})
}

func (i *instance) terminate(now time.Time, s *Settings, why lifecycle.Reason) {
	i.history = i.history.Record(lifecycle.Transition{
		At: now, Settles: now.Add(s.ShuttingDownDelay), Via: lifecycle.ShuttingDown, To: lifecycle.Terminated, Reason: why,
	})
}

// privateDNSName is made of the address or of the id, as the options of the hostname say.
func (v view) privateDNSName(n *networkInterface) string {
	domain := v.region + ".compute.internal"
	if v.region == "us-east-1" {
		domain = "ec2.internal"
	}
	if v.spec.dnsNames.hostnameType == hostnameByID {
		return v.id + "." + domain
	}
	a := n.privateIP.As4()
	return fmt.Sprintf("ip-%d-%d-%d-%d.%s", a[0], a[1], a[2], a[3], domain)
}

func (i *instance) publicDNSName(ip netip.Addr) string {
	a := ip.As4()
	domain := i.region + ".compute.amazonaws.com"
	if i.region == "us-east-1" {
		domain = "compute-1.amazonaws.com"
	}
	return fmt.Sprintf("ec2-%d-%d-%d-%d.%s", a[0], a[1], a[2], a[3], domain)
}
