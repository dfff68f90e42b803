// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"encoding/base64"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// instanceAttribute is the answer of DescribeInstanceAttribute: only what was asked for is filled.
type instanceAttribute struct {
	wire.Head
	InstanceID            string     `xml:"instanceId"`
	InstanceType          *xmlText   `xml:"instanceType"`
	UserData              *xmlText   `xml:"userData"`
	DisableAPITermination *xmlFlag   `xml:"disableApiTermination"`
	DisableAPIStop        *xmlFlag   `xml:"disableApiStop"`
	ShutdownBehavior      *xmlText   `xml:"instanceInitiatedShutdownBehavior"`
	EBSOptimized          *xmlFlag   `xml:"ebsOptimized"`
	SourceDestCheck       *xmlFlag   `xml:"sourceDestCheck"`
	Groups                []xmlGroup `xml:"groupSet>item"`
	RootDeviceName        *xmlText   `xml:"rootDeviceName"`

	BlockDevices   []xmlBlockDevice   `xml:"blockDeviceMapping>item"`
	EnclaveOptions *xmlEnclaveOptions `xml:"enclaveOptions"`
}

// xmlText leaves its value out where it is empty.
type xmlText struct {
	Value string `xml:"value,omitempty"`
}

type xmlFlag struct {
	Value bool `xml:"value"`
}

// instanceAttributes fill what was asked for, by the name that it is asked for by.
var instanceAttributes = map[string]func(*instanceAttribute, view){
	"blockDeviceMapping": func(a *instanceAttribute, v view) {
		for _, d := range v.spec.devices {
			a.BlockDevices = append(a.BlockDevices, v.deviceXML(d))
		}
	},
	"disableApiStop":                    func(a *instanceAttribute, v view) { a.DisableAPIStop = &xmlFlag{v.spec.disableAPIStop} },
	"disableApiTermination":             func(a *instanceAttribute, v view) { a.DisableAPITermination = &xmlFlag{v.spec.disableAPITermination} },
	"ebsOptimized":                      func(a *instanceAttribute, v view) { a.EBSOptimized = &xmlFlag{v.spec.ebsOptimized} },
	"enclaveOptions":                    func(a *instanceAttribute, v view) { a.EnclaveOptions = &xmlEnclaveOptions{v.spec.enclave} },
	"groupSet":                          func(a *instanceAttribute, v view) { a.Groups = groupsXML(v.spec.primary().groups) },
	"instanceInitiatedShutdownBehavior": func(a *instanceAttribute, v view) { a.ShutdownBehavior = &xmlText{v.spec.shutdownBehavior} },
	"instanceType":                      func(a *instanceAttribute, v view) { a.InstanceType = &xmlText{v.spec.instanceType.Name} },
	"rootDeviceName":                    func(a *instanceAttribute, v view) { a.RootDeviceName = &xmlText{v.spec.image.RootDeviceName} },
	"sourceDestCheck":                   func(a *instanceAttribute, v view) { a.SourceDestCheck = &xmlFlag{v.spec.primary().sourceDestCheck} },
	"userData": func(a *instanceAttribute, v view) {
		a.UserData = &xmlText{base64.StdEncoding.EncodeToString(v.spec.userData)}
	},
}

// describeInstanceAttribute reads one attribute of one instance, as late as descriptions are.
func describeInstanceAttribute(c *call) (any, error) {
	id, name := c.params["InstanceId"], c.params["Attribute"]
	switch {
	case id == "":
		return nil, missingParameter("InstanceId")
	case name == "":
		return nil, missingParameter("Attribute")
	}
	fill, ok := instanceAttributes[name]
	if !ok {
		return nil, invalidValue("attribute", name, "Unknown attribute.")
	}
	if err := checkInstanceIDs([]string{id}); err != nil {
		return nil, err
	}
	found, err := c.byID([]string{id}, c.settings.DescribeByIDLag)
	if err != nil {
		return nil, err
	}
	if err := c.dryRun(); err != nil {
		return nil, err
	}
	answer := &instanceAttribute{InstanceID: id}
	fill(answer, c.view(found[0]))
	return answer, nil
}
