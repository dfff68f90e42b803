// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

const (
	testCluster = "0b6b5b0e-6b43-4f42-a0e5-2f8b6b5b7f10"
	testRegion  = "eu-central-1"
	testID      = "i-0123456789abcdef0"
)

// request is one request as it went over the wire.
type request struct {
	Action   string
	Host     string
	Form     url.Values
	Header   http.Header
	Deadline time.Time
}

// answer is what the fake says.
type answer struct {
	status int
	body   string
	err    error
}

// fakeAWS is an HTTP client that answers instead of AWS, in memory.
type fakeAWS struct {
	answer func(request) answer

	mu       sync.Mutex
	requests []request
}

func (f *fakeAWS) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	got := request{Host: r.URL.Host, Header: r.Header}
	if target := r.Header.Get("X-Amz-Target"); target != "" {
		_, got.Action, _ = strings.Cut(target, ".")
		got.Form = url.Values{"": {string(body)}}
	} else {
		if got.Form, err = url.ParseQuery(string(body)); err != nil {
			return nil, err
		}
		got.Action = got.Form.Get("Action")
	}
	got.Deadline, _ = r.Context().Deadline()
	f.mu.Lock()
	f.requests = append(f.requests, got)
	f.mu.Unlock()
	a := f.answer(got)
	if a.err != nil {
		return nil, a.err
	}
	return &http.Response{
		StatusCode: a.status,
		Header:     http.Header{"Date": {time.Now().UTC().Format(http.TimeFormat)}},
		Body:       io.NopCloser(strings.NewReader(a.body)),
		Request:    r,
	}, nil
}

// actions are the actions of all requests, in their order.
func (f *fakeAWS) actions() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var actions []string
	for _, r := range f.requests {
		actions = append(actions, r.Action)
	}
	return actions
}

func (f *fakeAWS) last(t *testing.T) request {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.requests) == 0 {
		t.Fatal("nothing was sent")
	}
	return f.requests[len(f.requests)-1]
}

func ok(body string) answer { return answer{status: http.StatusOK, body: body} }

// failure is an error as EC2 sends it.
func failure(status int, code, message string) answer {
	return answer{status: status, body: fmt.Sprintf(
		"<Response><Errors><Error><Code>%s</Code><Message>%s</Message></Error></Errors><RequestID>%s</RequestID></Response>",
		code, message, "0e8f3a1c-1111-4a2b-8c3d-0123456789ab")}
}

// always answers every request alike.
func always(a answer) func(request) answer { return func(request) answer { return a } }

// standardEnvironment has keys and nothing else of the machine that the tests run on.
func standardEnvironment(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_EC2", "AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL_SSM", "AWS_PROFILE", "AWS_REGION",
		"AWS_DEFAULT_REGION", "AWS_SESSION_TOKEN", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_MAX_ATTEMPTS",
		"AWS_RETRY_MODE", "AWS_CA_BUNDLE", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", "/dev/null")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
}

func testAccount(name string) *ec2v1.EC2Account {
	account := &ec2v1.EC2Account{}
	account.Name = name
	account.UID = "e4c8b1b8-0000-4000-8000-000000000001"
	account.Spec.Region = testRegion
	return account
}

// newTestSession is a session of an account in the standard environment.
func newTestSession(t *testing.T, f *fakeAWS) Session {
	t.Helper()
	standardEnvironment(t)
	return sessionOf(t, NewProvider(testCluster, Options{HTTPClient: f}), testAccount("default"))
}

func sessionOf(t *testing.T, p *Provider, account *ec2v1.EC2Account) Session {
	t.Helper()
	s, err := p.Session(t.Context(), account, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustError(t *testing.T, err error) *Error {
	t.Helper()
	e, ok := AsError(err)
	if !ok {
		t.Fatalf("got %v, want an *Error", err)
	}
	return e
}

// wire is a request's parameters, one a line, sorted.
func wire(r request) string {
	var lines []string
	for name, values := range r.Form {
		for _, value := range values {
			lines = append(lines, name+"="+value)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// lines are parameters as [wire] shows them, and EC2's version.
func lines(parameters ...string) string {
	sorted := slices.Sorted(slices.Values(append(slices.Clone(parameters), "Version=2016-11-15")))
	return strings.Join(sorted, "\n") + "\n"
}
