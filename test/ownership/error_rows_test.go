// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"strings"
)

// longest is as long as a manager's name may be, in bytes.
const longest = 128

var errorRows = theme{
	title: "Errors",
	about: "What the API server refuses for other reasons than ownership. Errors of the schema are of class 500 and have no reason: they are " +
		"not to be tried again.",
	rows: []row{
		{says: "a field that the schema does not know", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {colour: red}`), none, `b has nothing`, `500 .spec.colour: field not declared in schema`},
			{b.applies(`spec: {colour: red}`).with(map[string]string{"fieldValidation": "Ignore"}), none, none, `500 .spec.colour: field not declared in schema`},
		}},
		{says: "a value of another type", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {instanceType: 3}`), none, none, `500 .spec.instanceType: expected string`},
		}},
		{says: "a value that a rule refuses", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {keyName: ""}`), none, `b has nothing`, `422 spec.keyName in body should be at least 1 chars long`},
			{b.applies(`metadata: {finalizers: ["no slash"]}`), none, none, `422 metadata.finalizers`},
		}},
		{says: "a conflict comes before validation", given: []action{a.applies(base)}, then: []step{
			{b.applies(`spec: {instanceType: "?"}`), none, none, `.spec.instanceType: a`},
			{b.applies(`spec: {instanceType: "?"}`).forced(), none, none, `422 must be an EC2 instance type`},
		}},
		{says: "no manager", then: []step{
			{a.applies(base).with(map[string]string{"fieldManager": ""}), none, none, `422 fieldManager: Required value: is required for apply patch`},
		}},
		{says: "a manager's name of 128 bytes", then: []step{
			{a.applies(base).with(map[string]string{"fieldManager": strings.Repeat("m", longest)}), created, strings.Repeat("m", longest) + ` has ` + baseLeaves, ok},
		}},
		{says: "a manager's name of 129 bytes", then: []step{
			{a.applies(base).with(map[string]string{"fieldManager": strings.Repeat("m", longest+1)}), none, none, `422 fieldManager: Too long: may not be more than 128 bytes`},
		}},
		{says: "a manager's name that cannot be printed", then: []step{
			{a.applies(base).with(map[string]string{"fieldManager": "a\tb"}), none, none, `422 invalid character U+0009`},
		}},
		{says: "another version in the body than in the address", given: []action{a.applies(base)}, then: []step{
			{b.applies("apiVersion: ec2.fieldowner.dev/v9\n" + micro).notPredicted("it is not of the kind"), none, none, `400 invalid object type: ec2.fieldowner.dev/v9`},
		}},
		{says: "another kind in the body than in the address", given: []action{a.applies(base)}, then: []step{
			{b.applies("kind: EC2Account\n" + micro).notPredicted("it is not of the kind"), none, none, `400 EC2Account`},
		}},
		{says: "managedFields in the body", given: []action{a.applies(base)}, then: []step{
			{b.applies("metadata: {managedFields: []}\n" + micro), none, none, `400 metadata.managedFields must be nil`},
		}},
		{says: "an update without a resourceVersion", given: []action{a.applies(base)}, then: []step{
			{editor.updates("spec: {instanceType: t3.large}\nmetadata: {resourceVersion: null}"), none, none, `422 metadata.resourceVersion: Invalid value: 0: must be specified for an update`},
		}},
		{says: "an object too large for its owners", of: configMaps, then: []step{
			{a.applies(manyKeys), none, none, `500 request is too large`},
			{editor.creates(manyKeys), created, `editor (Update) has nothing`, ok},
			{a.applies(`data: {more: ""}`), none, none, `500 request is too large`},
		}},
		{says: "no right to create", then: []step{
			{a.applies(base).asUser(mayPatch), none, none, `403 cannot create resource`},
		}},
		{says: "the right to patch is enough for what exists", given: []action{a.applies(base)}, then: []step{
			{b.applies(micro).asUser(mayPatch), onlyOwners, `.spec.instanceType: a, b`, ok},
		}},
		{says: "no right at all", given: []action{a.applies(base)}, then: []step{
			{b.applies(micro).asUser("nothing"), none, none, `403 cannot patch resource`},
		}},
	},
}

// mayPatch is a user who may patch EC2Instances and not create them.
const mayPatch = "patch EC2Instances"

func init() { named[manyKeys] = "60000 keys" }
