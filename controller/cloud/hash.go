// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
)

// Hash is SHA-256, in 64 hexadecimal digits, over a canonical text of p: the same for every order of sets and tags,
// another for every other difference. Where UserDataIdentity is set it stands for the bytes, so that the hash, which is
// kept on the object, gives away nothing of a secret.
//
// A member that is not set leaves no trace in the text. A later version that adds members therefore computes the same hash
// for a launch that was under way when it took over.
func (p LaunchParameters) Hash() string {
	sum := sha256.New()
	c := canonical{sum}
	c.text("imageID", p.ImageID)
	c.text("instanceType", p.InstanceType)
	c.text("subnetID", p.SubnetID)
	for _, id := range sortedSet(p.SecurityGroupIDs) {
		c.text("securityGroupID", id)
	}
	c.text("keyName", p.KeyName)
	c.text("profileName", p.ProfileName)
	c.text("profileARN", p.ProfileARN)
	if p.UserDataIdentity != "" {
		c.text("userDataIdentity", p.UserDataIdentity)
	} else {
		c.text("userData", string(p.UserData))
	}
	for _, key := range sortedKeys(p.Tags) {
		c.pair("tag", key, p.Tags[key])
	}
	c.metadataOptions(p.MetadataOptions)
	c.template(p)
	c.network(p)
	c.blockDevices(p.BlockDevices)
	c.privateDNSNameOptions(p.PrivateDNSNameOptions)
	c.placement(p.Placement)
	c.capacity(p)
	c.cpu(p)
	c.switches(p)
	c.yes("propagateTags", p.PropagateTags)
	return hex.EncodeToString(sum.Sum(nil))
}

// canonical writes one line for each thing that is set, with every value quoted, so that no two texts are the same by
// accident.
type canonical struct{ io.Writer }

func (c canonical) text(name, value string) {
	if value != "" {
		fmt.Fprintf(c, "%s %q\n", name, value)
	}
}

func (c canonical) number(name string, value int32) {
	if value != 0 {
		c.text(name, strconv.Itoa(int(value)))
	}
}

func (c canonical) yes(name string, value bool) {
	if value {
		c.text(name, "true")
	}
}

func (c canonical) pair(name, key, value string) {
	fmt.Fprintf(c, "%s %q %q\n", name, key, value)
}

func (c canonical) metadataOptions(o MetadataOptions) {
	c.text("httpTokens", o.HTTPTokens)
	c.text("httpEndpoint", o.HTTPEndpoint)
	c.number("httpPutResponseHopLimit", o.HTTPPutResponseHopLimit)
	c.text("httpProtocolIPv6", o.HTTPProtocolIPv6)
	c.text("instanceMetadataTags", o.InstanceMetadataTags)
}
