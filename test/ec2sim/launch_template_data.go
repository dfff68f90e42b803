// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// templateData are parameters of a launch. They are answered under the names of parameters with a small initial; a list
// is a set of items.
type templateData wire.Params

// MarshalXML implements xml.Marshaler.
func (d templateData) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return encodeStruct(e, start.Name.Local, wire.Params(d), "")
}

// listElement is how a list is answered.
type listElement struct{ set, item string }

// listElements are the lists that are not called as their parameter with Set, by the name of the parameter within its
// parent.
var listElements = map[string]listElement{
	"LicenseSpecification":             {"licenseSet", "item"},
	"NetworkInterface.SecurityGroupId": {"groupSet", "groupId"},
}

func element(name string) xml.StartElement { return xml.StartElement{Name: xml.Name{Local: name}} }

// encodeStruct writes the parameters as members of an element. Parent is the name of the list that it is an item of.
func encodeStruct(e *xml.Encoder, name string, params wire.Params, parent string) error {
	start := element(name)
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	for _, root := range params.Roots() {
		if err := encodeMember(e, root, params, parent); err != nil {
			return err
		}
	}
	return e.EncodeToken(start.End())
}

func encodeMember(e *xml.Encoder, root string, params wire.Params, parent string) error {
	name := strings.ToLower(root[:1]) + root[1:]
	if text, plain := params[root]; plain {
		return e.EncodeElement(text, element(name))
	}
	inner := params.Struct(root)
	if !numbered(inner) {
		return encodeStruct(e, name, inner, "")
	}
	list, ok := listElements[strings.TrimPrefix(parent+"."+root, ".")]
	if !ok {
		list = listElement{name + "Set", "item"}
	}
	set := element(list.set)
	if err := e.EncodeToken(set); err != nil {
		return err
	}
	for _, text := range params.List(root) {
		if err := e.EncodeElement(text, element(list.item)); err != nil {
			return err
		}
	}
	for _, item := range params.Structs(root) {
		if len(item) == 0 { // a plain value, written above
			continue
		}
		if err := encodeStruct(e, list.item, item, root); err != nil {
			return err
		}
	}
	return e.EncodeToken(set.End())
}

// numbered says whether the parameters are those of a list.
func numbered(params wire.Params) bool {
	return !slices.ContainsFunc(params.Roots(), func(name string) bool {
		_, err := strconv.Atoi(name)
		return err != nil
	})
}
