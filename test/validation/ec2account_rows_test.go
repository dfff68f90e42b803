// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"slices"
	"testing"
)

var accountKind = kind{
	name: "EC2Account",
	base: `
apiVersion: ec2.fieldowner.dev/v1
kind: EC2Account
spec: {region: eu-central-1}
`,
	rows: slices.Concat(
		accountEssentials, accountCredentials, sessionTags,
		accountEndpoint("ec2"), accountEndpoint("sts"), accountEndpoint("ssm"), accountEndpoint("sqs"),
		accountNamespaces, accountStatusRows,
	),
	moves: []move{
		{says: "the same region again", before: ``, after: `{region: eu-central-1}`},
		{says: "another region", before: ``, after: `{region: eu-west-1}`, refused: []string{
			"spec.region: must not change after creation: instances launched there could no longer be found; create another EC2Account instead"}},
		{says: "other credentials, endpoints and namespaces", before: `{credentials: {default: {}}}`, after: `{
			credentials: {assumeRole: {roleARN: "arn:aws:iam::123456789012:role/ec2"}},
			endpoints: {ec2: "http://localhost:4566"}, allowedNamespaces: {}, pollIntervalSeconds: 30}`},
		{says: "credentials taken away", before: `{credentials: {default: {}}}`, after: ``},
	},
}

func TestEC2Account(t *testing.T) { accountKind.check(t) }

var accountEssentials = slices.Concat([]row{
	spec.accepts("a region and nothing else", ``),
	spec.refuses("no spec", `null`, "spec: Required value"),
	spec.refuses("an account without a region", `{region: null}`, spec.required("region")),
	spec.refuses("an empty region", `{region: ""}`, region, spec.tooShort("region", 1)),
	spec.refuses("a region of 33 characters", put("region", letters(33)), spec.tooLong("region", 32)),
	spec.refuses("an availability zone as region", `{region: eu-central-1a}`, region),
}, spec.number("pollIntervalSeconds", 10, 3600))

const (
	credentialsOneOf = "spec.credentials: must set exactly one of default and assumeRole"
	roleARN          = "spec.credentials.assumeRole.roleARN: must be the ARN of a role: arn:PARTITION:iam::ACCOUNT:role/NAME"
	externalID       = "spec.credentials.assumeRole.externalID: must be of letters, digits and _ + = , . @ : / -"
)

// assumeRole is the patch that assumes a role, with more members of assumeRole, such as ", externalID: x".
func assumeRole(arn, more string) string {
	return `{credentials: {assumeRole: {roleARN: "` + arn + `"` + more + `}}}`
}

const someRole = "arn:aws:iam::123456789012:role/team/ec2"

var accountCredentials = []row{
	spec.accepts("the default credentials", `{credentials: {default: {}}}`),
	spec.accepts("a role", assumeRole(someRole, "")),
	spec.accepts("a role in China", assumeRole("arn:aws-cn:iam::123456789012:role/ec2", "")),
	spec.refuses("credentials of no kind", `{credentials: {}}`, credentialsOneOf),
	spec.refuses("credentials of two kinds", `{credentials: {default: {}, assumeRole: {roleARN: "`+someRole+`"}}}`, credentialsOneOf),
	spec.refuses("a role without its ARN", `{credentials: {assumeRole: {}}}`, spec.required("credentials.assumeRole.roleARN")),
	spec.refuses("the ARN of a user", assumeRole("arn:aws:iam::123456789012:user/ec2", ""), roleARN),
	spec.refuses("a role's ARN of an account of 11 digits", assumeRole("arn:aws:iam::12345678901:role/ec2", ""), roleARN),
	spec.refuses("a role's ARN of 19 characters", assumeRole(letters(19), ""), roleARN, spec.tooShort("credentials.assumeRole.roleARN", 20)),
	spec.accepts("a role's ARN of 2048 characters", assumeRole(someRole+letters(2048-len(someRole)), "")),
	spec.refuses("a role's ARN of 2049 characters", assumeRole(letters(2049), ""), spec.tooLong("credentials.assumeRole.roleARN", 2048)),
	spec.accepts("an external id of every character that IAM takes", assumeRole(someRole, `, externalID: "aZ09_+=,.@:/-"`)),
	spec.accepts("an external id of 1224 characters", assumeRole(someRole, `, externalID: `+letters(1224))),
	spec.refuses("an external id of 1225 characters", assumeRole(someRole, `, externalID: `+letters(1225)), spec.tooLong("credentials.assumeRole.externalID", 1224)),
	spec.refuses("an external id of 1 character", assumeRole(someRole, `, externalID: a`), spec.tooShort("credentials.assumeRole.externalID", 2)),
	spec.refuses("an external id with a space", assumeRole(someRole, `, externalID: a b`), externalID),
}

var sessionTagList = listField{spec, "credentials.assumeRole.sessionTags", assumeRole(someRole, ", sessionTags: %s")}

var sessionTags = slices.Concat(
	sessionTagList.upTo(50, `{key: "k%[1]d", value: ""}`),
	sessionTagList.keyed("key", "{value: a}"),
	sessionTagList.member(map[string]any{"value": ""}, "key", 1, 128),
	sessionTagList.member(map[string]any{"key": "k"}, "value", 0, 256),
	[]row{
		spec.refuses("an empty list of session tags", sessionTagList.patch("[]"), spec.tooFew("credentials.assumeRole.sessionTags", 1)),
		spec.refuses("a session tag without a value", sessionTagList.patch("[{key: a}]"), spec.required("credentials.assumeRole.sessionTags[0].value")),
	},
)

// accountEndpoint are the rows of one service's endpoint.
func accountEndpoint(service string) []row {
	field := "endpoints." + service
	refusal := spec.path(field) + ": must be an http or https URL with a host, such as https://ec2.eu-central-1.amazonaws.com"
	url := func(length int) string {
		const host = "https://localhost/"
		return host + letters(length-len(host))
	}
	return []row{
		spec.accepts(service+" over https", put(field, "https://vpce-0123.ec2.eu-central-1.vpce.amazonaws.com")),
		spec.accepts(service+" over http with a port and a path", put(field, "http://localhost:4566/aws")),
		spec.accepts(service+" at an IPv6 address", put(field, "http://[::1]:4566")),
		spec.accepts(service+" of 1024 characters", put(field, url(1024))),
		spec.refuses(service+" of 1025 characters", put(field, url(1025)), spec.tooLong(field, 1024)),
		spec.refuses(service+" empty", put(field, ""), refusal, spec.tooShort(field, 1)),
		spec.refuses(service+" without a scheme", put(field, "localhost:4566"), refusal),
		spec.refuses(service+" over ftp", put(field, "ftp://localhost"), refusal),
		spec.refuses(service+" without a host", put(field, "https:///path"), refusal),
		spec.refuses(service+" that is no URL", put(field, "not a url"), refusal),
	}
}

const (
	selectorOperator = "spec.allowedNamespaces.matchExpressions: must use the operators In, NotIn, Exists and DoesNotExist"
	selectorValues   = "spec.allowedNamespaces.matchExpressions: must give values with In and NotIn, and none with Exists and DoesNotExist"
)

// expression is the patch that selects namespaces by one expression.
func expression(of string) string {
	return `{allowedNamespaces: {matchExpressions: [{key: env, ` + of + `}]}}`
}

var accountNamespaces = []row{
	spec.accepts("all namespaces", `{allowedNamespaces: {}}`),
	spec.accepts("namespaces with a label", `{allowedNamespaces: {matchLabels: {team: shop}}}`),
	spec.accepts("namespaces with one of some values", expression(`operator: In, values: [prod, test]`)),
	spec.accepts("namespaces with none of some values", expression(`operator: NotIn, values: [prod]`)),
	spec.accepts("namespaces that have a label", expression(`operator: Exists`)),
	spec.accepts("namespaces that do not have a label", expression(`operator: DoesNotExist`)),
	spec.refuses("namespaces by another operator", expression(`operator: Like`), selectorOperator),
	spec.refuses("namespaces with one of no values", expression(`operator: In`), selectorValues),
	spec.refuses("namespaces with one of an empty list", expression(`operator: NotIn, values: []`), selectorValues),
	spec.refuses("namespaces that have a label with a value", expression(`operator: Exists, values: [prod]`), selectorValues),
}

var instanceCounts = plainList(status, "instances")

var accountStatusRows = slices.Concat(
	status.text("accountID", 0, 12),
	conditions,
	instanceCounts.upTo(8, `{state: "s%[1]d", count: 0}`),
	instanceCounts.keyed("state", "{count: 1}"),
	instanceCounts.member(map[string]any{"count": 1}, "state", 1, 32),
	[]row{
		status.refuses("a state without a count", `{instances: [{state: running}]}`, status.required("instances[0].count")),
		status.refuses("a count below none", `{instances: [{state: running, count: -1}]}`,
			status.inBody("instances[0].count", "should be greater than or equal to %d", 0)),
	},
)
