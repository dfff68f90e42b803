// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"strconv"
	"strings"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// Bounds and default of DurationSeconds (STS API reference, AssumeRole).
const (
	minSessionSeconds     = 900
	maxSessionSeconds     = 43200
	defaultSessionSeconds = 3600
)

func getCallerIdentity(c *call) (any, error) {
	return callerIdentity{c.caller.account, c.caller.arn(), c.caller.userID()}, nil
}

type callerIdentity struct {
	Account string `xml:"Account"`
	ARN     string `xml:"Arn"`
	UserID  string `xml:"UserId"`
}

type assumeRoleResult struct {
	User        assumedRoleUser    `xml:"AssumedRoleUser"`
	Credentials sessionCredentials `xml:"Credentials"`
}

type assumedRoleUser struct {
	ARN string `xml:"Arn"`
	ID  string `xml:"AssumedRoleId"`
}

type sessionCredentials struct {
	AccessKeyID     string `xml:"AccessKeyId"`
	SecretAccessKey string `xml:"SecretAccessKey"`
	SessionToken    string `xml:"SessionToken"`
	Expiration      string `xml:"Expiration"`
}

// assumeRole issues keys of the role's account. Every role exists and trusts every
// caller; a fault can refuse.
func assumeRole(c *call) (any, error) {
	account, name, err := readRoleARN(c.params["RoleArn"])
	if err != nil {
		return nil, err
	}
	sessionName := c.params["RoleSessionName"]
	if sessionName == "" {
		return nil, fail("ValidationError", "Value null at 'roleSessionName' failed to satisfy constraint: Member must not be null")
	}
	seconds, given, err := c.params.Int("DurationSeconds")
	switch {
	case err != nil:
		return nil, err
	case !given:
		seconds = defaultSessionSeconds
	case seconds < minSessionSeconds || seconds > maxSessionSeconds:
		return nil, fail("ValidationError", "Value '%d' at 'durationSeconds' failed to satisfy constraint: Member must be from %d to %d",
			seconds, minSessionSeconds, maxSessionSeconds)
	}
	issued := &session{
		account: account, roleARN: c.params["RoleArn"], roleName: name, name: sessionName,
		roleID: "AROA" + strings.ToUpper(strconv.FormatUint(hash(0, c.params["RoleArn"]), 36)), expires: c.now.Add(time.Duration(seconds) * time.Second),
	}
	unique := strings.ToUpper(c.sim.ids.hex())
	key := "ASIA" + unique[:16]
	c.sim.sessions[key] = issued
	them := caller{account: account, session: issued}
	return assumeRoleResult{
		User:        assumedRoleUser{them.arn(), them.userID()},
		Credentials: sessionCredentials{key, unique[16:56], "ec2sim-" + key, wire.Timestamp(issued.expires)},
	}, nil
}

// readRoleARN takes account and role name out of arn:aws:iam::ACCOUNT:role/PATH/NAME.
func readRoleARN(arn string) (account, name string, err error) {
	const fields = 6
	parts := strings.SplitN(arn, ":", fields)
	if len(parts) != fields || parts[0] != "arn" || parts[2] != "iam" || !strings.HasPrefix(parts[5], "role/") {
		return "", "", fail("ValidationError", "%s is invalid", arn)
	}
	return parts[4], parts[5][strings.LastIndex(parts[5], "/")+1:], nil
}
