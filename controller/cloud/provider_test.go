// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

func TestSessionsAreKeptWhileNothingOfTheirsChanges(t *testing.T) {
	standardEnvironment(t)
	assume := func(role string) func(*ec2v1.EC2Account) {
		return func(a *ec2v1.EC2Account) {
			a.Spec.Credentials = &ec2v1.Credentials{AssumeRole: &ec2v1.AssumeRoleCredentials{RoleARN: role}}
		}
	}
	tests := map[string]struct {
		change func(*ec2v1.EC2Account)
		region string
		same   bool
	}{
		"nothing":              {func(*ec2v1.EC2Account) {}, "", true},
		"its own region":       {func(*ec2v1.EC2Account) {}, testRegion, true},
		"poll interval":        {func(a *ec2v1.EC2Account) { a.Spec.PollIntervalSeconds, a.Generation = 30, 2 }, "", true},
		"another region":       {func(*ec2v1.EC2Account) {}, "us-east-1", false},
		"another account":      {func(a *ec2v1.EC2Account) { a.Name = "other" }, "", false},
		"recreated account":    {func(a *ec2v1.EC2Account) { a.UID = "other" }, "", false},
		"another role":         {assume("arn:aws:iam::123456789012:role/a"), "", false},
		"another EC2 endpoint": {func(a *ec2v1.EC2Account) { a.Spec.Endpoints = &ec2v1.Endpoints{EC2: "http://a"} }, "", false},
	}
	for name, test := range tests {
		p := NewProvider(testCluster, Options{})
		before := sessionOf(t, p, testAccount("default"))
		changed := testAccount("default")
		test.change(changed)
		after, err := p.Session(t.Context(), changed, test.region)
		if err != nil {
			t.Fatal(err)
		}
		if (before == after) != test.same {
			t.Errorf("%s: same session is %v", name, before == after)
		}
	}
}

func TestForgottenAccountsGetNewSessions(t *testing.T) {
	standardEnvironment(t)
	p := NewProvider(testCluster, Options{})
	one, other := sessionOf(t, p, testAccount("one")), sessionOf(t, p, testAccount("other"))
	p.Forget("one")
	if sessionOf(t, p, testAccount("one")) == one {
		t.Error("the forgotten account's session is kept")
	}
	if sessionOf(t, p, testAccount("other")) != other {
		t.Error("the other account's session is not kept")
	}
}

func TestAnAccountWithoutRegionIsRefused(t *testing.T) {
	account := testAccount("default")
	account.Spec.Region = ""
	_, err := NewProvider(testCluster, Options{}).Session(t.Context(), account, "")
	if e := mustError(t, err); e.Class != ClassInvalid || !strings.Contains(e.Error(), "default") {
		t.Errorf("got %v", e)
	}
}

func TestABrokenEnvironmentIsACredentialsError(t *testing.T) {
	standardEnvironment(t)
	t.Setenv("AWS_PROFILE", "nobody")
	_, err := NewProvider(testCluster, Options{}).Session(t.Context(), testAccount("default"), "")
	if e := mustError(t, err); e.Class != ClassCredentials || !e.Definite || !strings.Contains(e.Error(), "nobody") {
		t.Errorf("got %v", e)
	}
}

func TestEndpoints(t *testing.T) {
	tests := map[string]struct {
		environment map[string]string
		account     *ec2v1.Endpoints
		want        map[string]string
	}{
		"AWS's own": {nil, nil, map[string]string{
			"DescribeInstances": "ec2.eu-central-1.amazonaws.com",
			"GetCallerIdentity": "sts.eu-central-1.amazonaws.com",
			"GetParameter":      "ssm.eu-central-1.amazonaws.com",
		}},
		"the environment's": {
			map[string]string{"AWS_ENDPOINT_URL": "http://all:1", "AWS_ENDPOINT_URL_STS": "http://sts:2"}, nil,
			map[string]string{"DescribeInstances": "all:1", "GetCallerIdentity": "sts:2", "GetParameter": "all:1"},
		},
		"the account's": {
			map[string]string{"AWS_ENDPOINT_URL": "http://all:1", "AWS_ENDPOINT_URL_EC2": "http://ec2:2"},
			&ec2v1.Endpoints{EC2: "http://mine:3", SSM: "http://mine:4"},
			map[string]string{"DescribeInstances": "mine:3", "GetCallerIdentity": "all:1", "GetParameter": "mine:4"},
		},
		"the account's STS": {
			nil, &ec2v1.Endpoints{STS: "https://mine"},
			map[string]string{
				"DescribeInstances": "ec2.eu-central-1.amazonaws.com", "GetCallerIdentity": "mine",
				"GetParameter": "ssm.eu-central-1.amazonaws.com",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			standardEnvironment(t)
			for key, value := range test.environment {
				t.Setenv(key, value)
			}
			f := &fakeAWS{answer: always(ok("<R/>"))}
			account := testAccount("default")
			account.Spec.Endpoints = test.account
			s := sessionOf(t, NewProvider(testCluster, Options{HTTPClient: f}), account)
			_, _, _ = s.FindByID(t.Context(), "i-1")
			_, _ = s.AccountID(t.Context())
			f.answer = always(ok("{}"))
			_, _ = s.ResolveImage(t.Context(), "/a")
			got := map[string]string{}
			for _, r := range f.requests {
				got[r.Action] = r.Host
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("hosts (-want +got):\n%s", diff)
			}
		})
	}
}

const assumedRoleAnswer = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>ASIAROLE</AccessKeyId>
<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>
</AssumeRoleResult></AssumeRoleResponse>`

func roleAccount() *ec2v1.EC2Account {
	account := testAccount("default")
	account.Spec.Credentials = &ec2v1.Credentials{AssumeRole: &ec2v1.AssumeRoleCredentials{
		RoleARN:     "arn:aws:iam::210987654321:role/ec2",
		ExternalID:  "outside",
		SessionTags: []ec2v1.SessionTag{{Key: "team", Value: new("shop")}, {Key: "empty"}},
	}}
	return account
}

func TestAssumeRole(t *testing.T) {
	standardEnvironment(t)
	f := &fakeAWS{answer: func(r request) answer {
		if r.Action == "AssumeRole" {
			return ok(assumedRoleAnswer)
		}
		return ok("<R/>")
	}}
	s := sessionOf(t, NewProvider(testCluster, Options{HTTPClient: f}), roleAccount())
	for range 3 {
		if _, _, err := s.FindByID(t.Context(), "i-1"); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"AssumeRole", "DescribeInstances", "DescribeInstances", "DescribeInstances"}
	if diff := cmp.Diff(want, f.actions()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	wantWire := `Action=AssumeRole
DurationSeconds=900
ExternalId=outside
RoleArn=arn:aws:iam::210987654321:role/ec2
RoleSessionName=fieldowner-ec2-operator
Tags.member.1.Key=team
Tags.member.1.Value=shop
Tags.member.2.Key=empty
Tags.member.2.Value=
Version=2011-06-15
`
	if diff := cmp.Diff(wantWire, wire(f.requests[0])); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	for i, key := range []string{"AKIDEXAMPLE", "ASIAROLE"} {
		if signature := f.requests[i].Header.Get("Authorization"); !strings.Contains(signature, "Credential="+key+"/") {
			t.Errorf("%s is signed with %q", f.requests[i].Action, signature)
		}
	}
}

func TestNoCredentialsIsSaidSoAndNothingIsSent(t *testing.T) {
	denied := answer{status: http.StatusForbidden, body: `<ErrorResponse><Error><Code>AccessDenied</Code>
<Message>User: arn:aws:iam::123456789012:user/op is not authorized to perform: sts:AssumeRole</Message></Error>
<RequestId>0e8f3a1c-1111-4a2b-8c3d-0123456789ab</RequestId></ErrorResponse>`}
	tests := map[string]struct {
		account     *ec2v1.EC2Account
		environment map[string]string
		code, want  string
	}{
		"role denied": {
			roleAccount(), nil, "AccessDenied",
			"RunInstances: AccessDenied: no credentials: AssumeRole: User: arn:aws:iam::123456789012:user/op is not authorized to perform: sts:AssumeRole",
		},
		"no base for the role": {
			roleAccount(), map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "",
			"RunInstances: no credentials: ",
		},
		"none in the chain": {
			testAccount("default"), map[string]string{"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "",
			"RunInstances: no credentials: ",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			standardEnvironment(t)
			for key, value := range test.environment {
				t.Setenv(key, value)
			}
			f := &fakeAWS{answer: always(denied)}
			s := sessionOf(t, NewProvider(testCluster, Options{HTTPClient: f}), test.account)
			var texts []string
			for range 2 {
				_, err := s.Launch(t.Context(), "token", fullLaunch())
				e := mustError(t, err)
				if e.Class != ClassCredentials || !e.Definite || e.Code != test.code {
					t.Errorf("got %s, definite %v, code %q", e.Class, e.Definite, e.Code)
				}
				texts = append(texts, e.Error())
			}
			if !strings.HasPrefix(texts[0], test.want) || texts[0] != texts[1] {
				t.Errorf("says %q", texts)
			}
			for _, action := range f.actions() {
				if action == "RunInstances" {
					t.Error("the launch was sent")
				}
			}
		})
	}
}

// Credentials that the call itself is refused for are the same trouble.
func TestRefusedCredentials(t *testing.T) {
	f := &fakeAWS{answer: always(failure(http.StatusUnauthorized, "AuthFailure", "AWS was not able to validate the provided access credentials"))}
	_, err := newTestSession(t, f).AccountID(t.Context())
	if ClassOf(err) != ClassCredentials {
		t.Errorf("got %v", err)
	}
}
