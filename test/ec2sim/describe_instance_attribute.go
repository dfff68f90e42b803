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
}

// xmlText leaves its value out where it is empty.
type xmlText struct {
	Value string `xml:"value,omitempty"`
}

type xmlFlag struct {
	Value bool `xml:"value"`
}

// instanceAttributes fill what was asked for, by the name that it is asked for by.
var instanceAttributes = map[string]func(*instanceAttribute, launchSpec){
	"disableApiStop":                    func(a *instanceAttribute, s launchSpec) { a.DisableAPIStop = &xmlFlag{s.disableAPIStop} },
	"disableApiTermination":             func(a *instanceAttribute, s launchSpec) { a.DisableAPITermination = &xmlFlag{s.disableAPITermination} },
	"ebsOptimized":                      func(a *instanceAttribute, s launchSpec) { a.EBSOptimized = &xmlFlag{s.ebsOptimized} },
	"groupSet":                          func(a *instanceAttribute, s launchSpec) { a.Groups = groupsXML(s.groups) },
	"instanceInitiatedShutdownBehavior": func(a *instanceAttribute, s launchSpec) { a.ShutdownBehavior = &xmlText{s.shutdownBehavior} },
	"instanceType":                      func(a *instanceAttribute, s launchSpec) { a.InstanceType = &xmlText{s.instanceType.Name} },
	"rootDeviceName":                    func(a *instanceAttribute, s launchSpec) { a.RootDeviceName = &xmlText{s.image.RootDeviceName} },
	"sourceDestCheck":                   func(a *instanceAttribute, s launchSpec) { a.SourceDestCheck = &xmlFlag{s.sourceDestCheck} },
	"userData": func(a *instanceAttribute, s launchSpec) {
		a.UserData = &xmlText{base64.StdEncoding.EncodeToString(s.userData)}
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
	fill(answer, c.view(found[0]).spec)
	return answer, nil
}
