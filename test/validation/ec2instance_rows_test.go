// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"testing"
)

// What is said of names of objects, in more than one place.
const objectName = "must be an object's name: lower case letters, digits, - and . , with a letter or digit at each end"

var instanceKind = kind{
	name: "EC2Instance",
	base: `
apiVersion: ec2.fieldowner.dev/v1
kind: EC2Instance
metadata: {namespace: default}
spec:
  image: {id: ami-0123456789abcdef0}
  instanceType: t3.micro
`,
	rows: slices.Concat(
		instanceEssentials, instanceNetwork, instanceProfile, instanceUserData, instanceTags, instanceMetadata, instancePolicies,
		instanceTemplate, instanceLaunchInterfaces, instancePlacement, instanceMarket, instanceOptions, instanceDevices, instanceUpdates, instanceBehavior,
		instanceChildren, instanceStatusRows,
	),
	moves: slices.Concat(instanceMoves, deviceMoves, adoptMoves, childrenMoves),
}

func TestEC2Instance(t *testing.T) { instanceKind.check(t) }

const (
	needsImage   = "spec.image: must set image unless launchTemplate or adopt is set"
	needsType    = "spec.instanceType: must set instanceType unless launchTemplate or adopt is set"
	imageID      = "spec.image.id: must be an image id: ami- and 8 to 17 hexadecimal digits"
	imageSSM     = "spec.image.ssmParameter: must be the name of a Systems Manager parameter: letters, digits and _ . - / :"
	imageOneOf   = "spec.image: must set exactly one of id and ssmParameter"
	instanceType = "spec.instanceType: must be an EC2 instance type such as t3.micro"
	accountName  = "spec.accountRef.name: " + objectName
	region       = "spec.region: must be an AWS Region such as eu-central-1"
	subnetID     = "spec.subnetID: must be a subnet id: subnet- and 8 to 17 hexadecimal digits"
	groupID      = "spec.securityGroupIDs[0]: must be a security group id: sg- and 8 to 17 hexadecimal digits"
)

var instanceEssentials = slices.Concat([]row{
	spec.accepts("an image and an instance type and nothing else", ``),
	spec.refuses("no spec", `null`, "spec: Required value"),
	spec.refuses("a spec without an image", `{image: null}`, needsImage),
	spec.refuses("a spec without an instance type", `{instanceType: null}`, needsType),
	spec.refuses("an empty spec", `{image: null, instanceType: null}`, needsImage, needsType),

	spec.accepts("an image id of 8 digits", `{image: {id: ami-01234567}}`),
	spec.accepts("an image id of 17 digits", `{image: {id: ami-0123456789abcdef0}}`),
	spec.refuses("an empty image id", `{image: {id: ""}}`, imageID, spec.tooShort("image.id", 1)),
	spec.refuses("an image id of 7 digits", `{image: {id: ami-0123456}}`, imageID),
	spec.refuses("an image id in capital letters", `{image: {id: AMI-01234567}}`, imageID),
	spec.refuses("an image id with more after it", `{image: {id: ami-01234567/x}}`, imageID),
	spec.refuses("an image id of 33 characters", put("image.id", "ami-"+letters(29)), spec.tooLong("image.id", 32)),
	spec.accepts("an image by its SSM parameter", `{image: {id: null, ssmParameter: /aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64}}`),
	spec.accepts("an SSM parameter with a version", `{image: {id: null, ssmParameter: "/golden/base:42"}}`),
	spec.accepts("an SSM parameter by its ARN", `{image: {id: null, ssmParameter: "arn:aws:ssm:eu-central-1:123456789012:parameter/golden/base"}}`),
	spec.accepts("an SSM parameter of 1024 characters", `{image: {id: null, ssmParameter: `+letters(1024)+`}}`),
	spec.refuses("an SSM parameter of 1025 characters", `{image: {id: null, ssmParameter: `+letters(1025)+`}}`, spec.tooLong("image.ssmParameter", 1024)),
	spec.refuses("an empty SSM parameter", `{image: {id: null, ssmParameter: ""}}`, imageSSM, spec.tooShort("image.ssmParameter", 1)),
	spec.refuses("an SSM parameter with a space", `{image: {id: null, ssmParameter: "/golden/base image"}}`,
		imageSSM),
	spec.refuses("an image by id and by SSM parameter", `{image: {ssmParameter: /golden/base}}`, imageOneOf),
	spec.refuses("an image by nothing", `{image: {id: null}}`, imageOneOf),

	spec.accepts("an instance type with digits in its size", `{instanceType: u-6tb1.112xlarge}`),
	spec.accepts("an instance type of bare metal", `{instanceType: mac2-m2.metal}`),
	spec.accepts("an instance type of 64 characters", put("instanceType", "t."+letters(62))),
	spec.refuses("an instance type of 65 characters", put("instanceType", "t."+letters(63)), spec.tooLong("instanceType", 64)),
	spec.refuses("an empty instance type", `{instanceType: ""}`, instanceType, spec.tooShort("instanceType", 1)),
	spec.refuses("an instance type without a size", `{instanceType: t3}`, instanceType),
	spec.refuses("an instance type in capital letters", `{instanceType: T3.Micro}`, instanceType),

	spec.accepts("an account by name", `{accountRef: {name: prod.eu-1}}`),
	spec.accepts("an account reference without a name", `{accountRef: {}}`),
	spec.accepts("an account's name of 253 characters", put("accountRef.name", letters(253))),
	spec.refuses("an account's name of 254 characters", put("accountRef.name", letters(254)), spec.tooLong("accountRef.name", 253)),
	spec.refuses("an account's empty name", `{accountRef: {name: ""}}`, accountName, spec.tooShort("accountRef.name", 1)),
	spec.refuses("an account's name that no object can have", `{accountRef: {name: Prod_1}}`, "spec.accountRef.name: "+objectName),
	spec.refuses("an account's name that leads elsewhere", `{accountRef: {name: ../../secrets}}`, "spec.accountRef.name: "+objectName),

	spec.accepts("a region", `{region: eu-central-1}`),
	spec.accepts("a region of AWS GovCloud", `{region: us-gov-west-1}`),
	spec.accepts("a region of the European Sovereign Cloud", `{region: eusc-de-east-1}`),
	spec.refuses("an empty region", `{region: ""}`, region, spec.tooShort("region", 1)),
	spec.refuses("a region of 33 characters", put("region", letters(33)), spec.tooLong("region", 32)),
	spec.refuses("a region's name in words", `{region: Frankfurt}`, region),
	spec.refuses("an availability zone as region", `{region: eu-central-1a}`, region),

	spec.accepts("suspend true", `{suspend: true}`),
	spec.accepts("suspend false", `{suspend: false}`),
}, spec.text("keyName", 1, 255))

var instanceNetwork = []row{
	spec.accepts("a subnet", `{subnetID: subnet-0aaaaaaaaaaaaaaaa}`),
	spec.accepts("a subnet id of 8 digits", `{subnetID: subnet-01234567}`),
	spec.refuses("an empty subnet id", `{subnetID: ""}`, subnetID, spec.tooShort("subnetID", 1)),
	spec.refuses("a subnet's name", `{subnetID: private-a}`, subnetID),
	spec.refuses("a subnet id of 33 characters", put("subnetID", "subnet-"+letters(26)), spec.tooLong("subnetID", 32)),

	spec.accepts("one security group", `{securityGroupIDs: [sg-01234567]}`),
	spec.accepts("16 security groups", `{securityGroupIDs: `+list(16, "sg-0123456789abcd%03d")+`}`),
	spec.refuses("17 security groups", `{securityGroupIDs: `+list(17, "sg-0123456789abcd%03d")+`}`, spec.tooMany("securityGroupIDs", 17, 16)),
	spec.refuses("an empty list of security groups", `{securityGroupIDs: []}`, spec.tooFew("securityGroupIDs", 1)),
	spec.refuses("an empty security group id", `{securityGroupIDs: [""]}`, groupID, spec.tooShort("securityGroupIDs[0]", 1)),
	spec.refuses("a security group's name", `{securityGroupIDs: [web]}`,
		groupID),
	spec.refuses("a security group id of 33 characters", `{securityGroupIDs: [sg-`+letters(30)+`]}`, spec.tooLong("securityGroupIDs[0]", 32)),
	spec.refusesToCreate("a security group twice", `{securityGroupIDs: [sg-01234567, sg-01234567]}`, `spec.securityGroupIDs[1]: Duplicate value: "sg-01234567"`),
	spec.refuses("a security group twice", `{securityGroupIDs: [sg-01234567, sg-01234567]}`, spec.duplicate("securityGroupIDs", "", "sg-01234567")),
}

const (
	profileOneOf = "spec.iamInstanceProfile: must set exactly one of name and arn"
	profileName  = "spec.iamInstanceProfile.name: must be the name of an instance profile: letters, digits and + = , . @ _ -"
	profileARN   = "spec.iamInstanceProfile.arn: must be the ARN of an instance profile: arn:PARTITION:iam::ACCOUNT:instance-profile/NAME"
)

var instanceProfile = slices.Concat([]row{
	spec.accepts("an instance profile by name", `{iamInstanceProfile: {name: "web+db=1,a.b@c_d-e"}}`),
	spec.accepts("an instance profile by ARN", `{iamInstanceProfile: {arn: "arn:aws:iam::123456789012:instance-profile/team/web"}}`),
	spec.accepts("an instance profile of another partition", `{iamInstanceProfile: {arn: "arn:aws-us-gov:iam::123456789012:instance-profile/web"}}`),
	spec.refuses("an instance profile by name and ARN", `{iamInstanceProfile: {name: web, arn: "arn:aws:iam::123456789012:instance-profile/web"}}`, profileOneOf),
	spec.refuses("an instance profile by nothing", `{iamInstanceProfile: {}}`, profileOneOf),
	spec.refuses("an instance profile's name with a slash", `{iamInstanceProfile: {name: team/web}}`, profileName),
	spec.refuses("the ARN of a role", `{iamInstanceProfile: {arn: "arn:aws:iam::123456789012:role/web"}}`, profileARN),
	spec.refuses("an instance profile's ARN without an account", `{iamInstanceProfile: {arn: "arn:aws:iam:::instance-profile/web"}}`, profileARN),
	spec.refuses("an instance profile's ARN of 19 characters", put("iamInstanceProfile.arn", letters(19)), profileARN, spec.tooShort("iamInstanceProfile.arn", 20)),
	spec.refuses("an instance profile's ARN of 2049 characters", put("iamInstanceProfile.arn", letters(2049)), spec.tooLong("iamInstanceProfile.arn", 2048)),
	spec.accepts("an instance profile's ARN of 2048 characters",
		put("iamInstanceProfile.arn", "arn:aws:iam::123456789012:instance-profile/"+letters(2048-len("arn:aws:iam::123456789012:instance-profile/")))),
}, spec.text("iamInstanceProfile.name", 1, 128, profileName))

const (
	userDataOneOf = "spec.userData: must set exactly one of inline, secretKeyRef and configMapKeyRef"
	userDataKey   = "must be a key of a Secret or ConfigMap: letters, digits and - . _"
)

var instanceUserData = slices.Concat([]row{
	spec.accepts("user data of several lines", put("userData.inline", "#!/bin/sh\necho ü\n")),
	spec.refuses("user data of 16384 characters in 16385 bytes", put("userData.inline", letters(16383)+"ü"), "spec.userData.inline: must be at most 16384 bytes: EC2's limit"),
	spec.refuses("user data from nowhere", `{userData: {}}`, userDataOneOf),
	spec.refuses("user data as text and from a Secret", `{userData: {inline: a, secretKeyRef: {name: boot, key: script}}}`, userDataOneOf),
	spec.refuses("user data from a Secret and a ConfigMap", `{userData: {secretKeyRef: {name: boot, key: script}, configMapKeyRef: {name: boot, key: script}}}`, userDataOneOf),
	spec.refuses("user data from everywhere", `{userData: {inline: a, secretKeyRef: {name: boot, key: script}, configMapKeyRef: {name: boot, key: script}}}`, userDataOneOf),
}, spec.text("userData.inline", 1, 16384), userDataFrom("secretKeyRef"), userDataFrom("configMapKeyRef"))

// userDataFrom are the rows of a reference to a key.
func userDataFrom(source string) []row {
	field := "userData." + source
	reference := func(name, key string) string {
		return put(field, map[string]any{"name": name, "key": key})
	}
	return []row{
		spec.accepts(source, reference("boot.scripts", "User_Data-1.sh")),
		spec.refuses(source+" without a name", put(field, map[string]any{"key": "script"}), spec.required(field+".name")),
		spec.refuses(source+" without a key", put(field, map[string]any{"name": "boot"}), spec.required(field+".key")),
		spec.refuses(source+" with an empty name", reference("", "script"), spec.path(field)+".name: "+objectName, spec.tooShort(field+".name", 1)),
		spec.refuses(source+" with an empty key", reference("boot", ""), spec.path(field)+".key: "+userDataKey, spec.tooShort(field+".key", 1)),
		spec.accepts(source+" with name and key of 253 characters", reference(letters(253), letters(253))),
		spec.refuses(source+" with a name of 254 characters", reference(letters(254), "script"), spec.tooLong(field+".name", 253)),
		spec.refuses(source+" with a key of 254 characters", reference("boot", letters(254)), spec.tooLong(field+".key", 253)),
		spec.refuses(source+" in another namespace", reference("other/boot", "script"), spec.path(field)+".name: "+objectName),
		spec.refuses(source+" with a key that none can have", reference("boot", "a/b"), spec.path(field)+".key: "+userDataKey),
	}
}

const (
	tagCount     = "spec.tags: must hold at most 45 tags, or 46 with Name among them: EC2 allows 50 and the operator adds its own"
	tagAWS       = "spec.tags[0].key: must not begin with aws: which AWS keeps for itself"
	tagOperator  = "spec.tags[0].key: must not begin with ec2.fieldowner.dev/ which the operator keeps for the instance's identity"
	metadataTags = "spec.metadataOptions.instanceMetadataTags: must be disabled: EC2 refuses keys with a slash, which the tags of the instance's identity have, while its tags are in its metadata"
)

var instanceTags = []row{
	spec.accepts("a tag", `{tags: [{key: team, value: shop}]}`),
	spec.accepts("a tag with an empty value", `{tags: [{key: spot, value: ""}]}`),
	spec.accepts("a tag in any script", `{tags: [{key: größe, value: 大}]}`),
	spec.accepts("tags whose keys differ in case only", `{tags: [{key: team, value: a}, {key: Team, value: b}]}`),
	spec.accepts("a tag whose key and value are as long as EC2 allows", `{tags: [{key: `+letters(128)+`, value: `+letters(256)+`}]}`),
	spec.refuses("a tag's key of 129 characters", `{tags: [{key: `+letters(129)+`, value: a}]}`, spec.tooLong("tags[0].key", 128)),
	spec.refuses("a tag's value of 257 characters", `{tags: [{key: a, value: `+letters(257)+`}]}`, spec.tooLong("tags[0].value", 256)),
	spec.refuses("a tag's empty key", `{tags: [{key: "", value: a}]}`, spec.tooShort("tags[0].key", 1)),
	spec.refuses("a tag without a value", `{tags: [{key: a}]}`, spec.required("tags[0].value")),
	spec.refuses("a tag without a key", `{tags: [{value: a}]}`, spec.keyless("tags", "key")),
	spec.refusesToCreate("a tag without a key", `{tags: [{value: a}]}`, spec.required("tags[0].key")),
	spec.refuses("a tag twice", `{tags: [{key: a, value: b}, {key: a, value: c}]}`, spec.duplicate("tags", "key", "a")),
	spec.refusesToCreate("a tag twice", `{tags: [{key: a, value: b}, {key: a, value: c}]}`, `spec.tags[1]: Duplicate value: {"key":"a"}`),
	spec.refuses("an empty list of tags", `{tags: []}`, spec.tooFew("tags", 1)),
	spec.accepts("45 tags", `{tags: `+list(45, `{key: "k%[1]d", value: v}`)+`}`),
	spec.refuses("46 tags", `{tags: `+list(46, `{key: "k%[1]d", value: v}`)+`}`, tagCount),
	spec.accepts("46 tags with Name among them", `{tags: [{key: Name, value: web}, `+list(45, `{key: "k%[1]d", value: v}`)[1:]+`}`),
	spec.refuses("47 tags", `{tags: `+list(47, `{key: "k%[1]d", value: v}`)+`}`, spec.tooMany("tags", 47, 46)),
	spec.refuses("a tag of AWS's", `{tags: [{key: "aws:cloudformation:stack-name", value: a}]}`, tagAWS),
	spec.refuses("a tag of AWS's in capital letters", `{tags: [{key: "AWS:x", value: a}]}`, tagAWS),
	spec.accepts("a tag that only looks like AWS's", `{tags: [{key: "awsome", value: a}]}`),
	spec.refuses("a tag of the operator's", `{tags: [{key: ec2.fieldowner.dev/uid, value: a}]}`, tagOperator),

	spec.accepts("a tag's key with a slash", `{tags: [{key: a/b, value: c}], metadataOptions: {instanceMetadataTags: disabled}}`),
}

var instanceMetadata = slices.Concat(
	[]row{spec.accepts("metadata options without any", `{metadataOptions: {}}`)},
	spec.words("metadataOptions.httpTokens", "required", "optional"),
	spec.words("metadataOptions.httpEndpoint", "enabled", "disabled"),
	spec.words("metadataOptions.httpProtocolIPv6", "enabled", "disabled"),
	[]row{
		spec.accepts("no tags in the metadata", `{metadataOptions: {instanceMetadataTags: disabled}}`),
		spec.refuses("tags in the metadata", `{metadataOptions: {instanceMetadataTags: enabled}}`, metadataTags),
		spec.refuses("something else for tags in the metadata", `{metadataOptions: {instanceMetadataTags: Other}}`,
			spec.unsupported("metadataOptions.instanceMetadataTags", "Other", "enabled", "disabled")),
	},
	spec.number("metadataOptions.httpPutResponseHopLimit", 1, 64),
)

var instancePolicies = slices.Concat(
	spec.wordsIn("powerState", hibernating("powerState"), "Running", "Stopped", "Hibernated"),
	spec.words("protectionPolicy", "Respect", "Lift"),
	spec.words("managementPolicy", "Manage", "Observe"),
	spec.words("recreatePolicy", "Always", "Never"),
	spec.words("deletionPolicy", "Terminate", "Stop", "Retain"),
)

const (
	accountFixed = "spec.accountRef.name: must not change after creation: create another EC2Instance instead"
	regionFixed  = "spec.region: must not set, change or remove region after creation: create another EC2Instance instead"
)

var instanceMoves = []move{
	{says: "the same account again", before: `{accountRef: {name: prod}}`, after: `{accountRef: {name: prod}}`},
	{says: "the account default named later", before: ``, after: `{accountRef: {name: default}}`},
	{says: "another account", before: `{accountRef: {name: prod}}`, after: `{accountRef: {name: test}}`, refused: []string{accountFixed}},
	{says: "an account taken away", before: `{accountRef: {name: prod}}`, after: ``, refused: []string{accountFixed}},
	{says: "an account named later", before: ``, after: `{accountRef: {name: prod}}`, refused: []string{accountFixed}},
	{says: "the same region again", before: `{region: eu-central-1}`, after: `{region: eu-central-1}`},
	{says: "another region", before: `{region: eu-central-1}`, after: `{region: eu-west-1}`, refused: []string{regionFixed}},
	{says: "a region taken away", before: `{region: eu-central-1}`, after: ``, refused: []string{regionFixed}},
	{says: "a region named later", before: ``, after: `{region: eu-central-1}`, refused: []string{regionFixed}},
	{says: "another image", before: ``, after: `{image: {id: ami-01234567}}`},
	{says: "an SSM parameter in the place of an image id", before: ``, after: `{image: {id: null, ssmParameter: /golden/base}}`},
	{says: "another instance type, subnet and key", before: `{subnetID: subnet-01234567, keyName: a}`,
		after: `{instanceType: m5.large, subnetID: subnet-89abcdef, keyName: b}`},
	{says: "user data from a Secret in the place of a text", before: `{userData: {inline: a}}`, after: `{userData: {secretKeyRef: {name: boot, key: script}}}`},
	{says: "tags and groups taken away", before: `{tags: [{key: a, value: b}], securityGroupIDs: [sg-01234567]}`, after: ``},
	{says: "other policies", before: ``, after: `{powerState: Stopped, recreatePolicy: Never, deletionPolicy: Retain, suspend: true}`},
}
