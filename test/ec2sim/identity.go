// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/fieldowner/ec2-operator/test/ec2sim/internal/wire"
)

// caller is who sent a request and where to, read from its SigV4 credential scope.
// Signatures are not verified.
type caller struct {
	accessKeyID string
	account     string
	region      string
	service     string
	session     *session // for keys that AssumeRole issued
}

// session is what AssumeRole issued.
type session struct {
	account, roleARN, roleName, roleID, name string
	expires                                  time.Time
}

const (
	signatureScheme = "AWS4-HMAC-SHA256"
	// scopeParts are key id, date, region, service and the literal aws4_request.
	scopeParts = 5
)

// readScope finds key id, region and service in a signed or presigned request.
func readScope(r *http.Request) (caller, error) {
	scope := r.URL.Query().Get("X-Amz-Credential")
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, fields, _ := strings.Cut(header, " ")
		if scheme != signatureScheme {
			return caller{}, fail(codeIncompleteSignature, "Authorization scheme %q: ec2sim reads %s only", scheme, signatureScheme)
		}
		for field := range strings.SplitSeq(fields, ",") {
			if value, ok := strings.CutPrefix(strings.TrimSpace(field), "Credential="); ok {
				scope = value
			}
		}
	}
	if scope == "" {
		return caller{}, fail(codeMissingAuthenticationToken, "Request is missing Authentication Token")
	}
	parts := strings.Split(scope, "/")
	if len(parts) != scopeParts || parts[0] == "" || parts[2] == "" {
		return caller{}, fail(codeIncompleteSignature, "Credential scope %q: want key/date/region/service/aws4_request", scope)
	}
	return caller{accessKeyID: parts[0], region: parts[2], service: parts[3]}, nil
}

// identify adds the account. The caller must hold s.mu.
func (s *Sim) identify(who caller, now time.Time) (caller, error) {
	if found, ok := s.sessions[who.accessKeyID]; ok {
		who.session, who.account = found, found.account
		if !now.Before(found.expires) {
			return who, expired(who.service)
		}
		return who, nil
	}
	who.account = DefaultAccount
	if account, ok := s.options.Accounts[who.accessKeyID]; ok {
		who.account = account
	}
	return who, nil
}

// expired words the end of temporary credentials as the service does.
func expired(service string) *wire.Error {
	if service == serviceEC2 {
		return fail(codeRequestExpired, "Request has expired.")
	}
	return fail(codeExpiredToken, "The security token included in the request is expired")
}

// arn is the caller as STS names it.
func (c caller) arn() string {
	if c.session != nil {
		return fmt.Sprintf("arn:aws:sts::%s:assumed-role/%s/%s", c.account, c.session.roleName, c.session.name)
	}
	return fmt.Sprintf("arn:aws:iam::%s:user/ec2sim", c.account)
}

// userID is the unique id of the caller as STS gives it.
func (c caller) userID() string {
	if c.session != nil {
		return c.session.roleID + ":" + c.session.name
	}
	return "AIDAEC2SIMUSER0000000"
}
