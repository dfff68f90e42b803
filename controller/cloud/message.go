// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"
	"unicode/utf8"
)

// maxMessage bounds a message, in bytes: enough for EC2's longest useful sentences, and half of what a condition's message
// or a stateReason of the API may hold, so that words of ours fit around it.
const maxMessage = 512

// volatile is what AWS's and Go's error texts contain that changes from call to call. A message goes into conditions: were
// it to change, every pass would write.
var volatile = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	// A kilobyte that only sts:DecodeAuthorizationMessage can read.
	{regexp.MustCompile(`(?s)\s*Encoded authorization failure message:.*`), ""},
	// The request as AWS read it, with its time.
	{regexp.MustCompile(`(?s)\s*The Canonical String for this request should have been.*`), ""},
	{regexp.MustCompile(`(?i)[,;]?\s*\(?\brequest[ -]?id\b:?\s*([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?\)?`), ""},
	// Times of the signature and of the server, as in RequestExpired.
	{regexp.MustCompile(`\d{8}T\d{6}Z`), "(time)"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| ?[+-]\d\d:?\d\d)?`), "(time)"},
	// The local end of a connection has another port each time.
	{regexp.MustCompile(`\S+:\d+->`), ""},
}

// stable is text without what changes from call to call, at most maxMessage bytes long.
func stable(text string) string {
	for _, v := range volatile {
		text = v.pattern.ReplaceAllLiteralString(text, v.replacement)
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	return shorten(text)
}

// shorten cuts text at maxMessage bytes, between characters.
func shorten(text string) string {
	const ellipsis = "…"
	if len(text) <= maxMessage {
		return text
	}
	cut := maxMessage - len(ellipsis)
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + ellipsis
}

// transportMessage says why there is no answer. Go's texts for it hold addresses and ports that change.
func transportMessage(err error) string {
	host := hostOf(err)
	switch {
	case isTimeout(err):
		return "no answer" + host + " in time"
	case isUnresolved(err):
		return "cannot resolve the name of the endpoint" + host
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection" + host + " refused"
	case isLost(err):
		return "connection" + host + " lost before the answer"
	case isUntrusted(err):
		return "the certificate of the endpoint" + host + " is not trusted"
	default:
		return stable(innermost(err).Error())
	}
}

// hostOf is " (host)" where the request's address is known, else "".
func hostOf(err error) string {
	request, ok := errors.AsType[*url.Error](err)
	if !ok {
		return ""
	}
	address, parseErr := url.Parse(request.URL)
	if parseErr != nil || address.Host == "" {
		return ""
	}
	return " (" + address.Host + ")"
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

func isUnresolved(err error) bool {
	_, ok := errors.AsType[*net.DNSError](err)
	return ok
}

func isLost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func isUntrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// innermost is the last error in err's chain of single causes.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// statusText is an HTTP status in digits and words.
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
