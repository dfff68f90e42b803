// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// known are the codes that EC2 documents and that a controller of instances can meet, with what we make of them and the
// status that they come with: 400 and 500 where only the class of status is documented.
var known = []struct {
	code   string
	status int
	class  Class
}{
	{"RequestLimitExceeded", 503, ClassThrottled},
	{"InternalError", 500, ClassTransient},
	{"InternalFailure", 500, ClassTransient},
	{"ServerInternal", 500, ClassTransient},
	{"Unavailable", 503, ClassTransient},
	{"ServiceUnavailable", 503, ClassTransient},
	{"InsufficientInstanceCapacity", 500, ClassCapacity},
	{"InsufficientCapacityOnHost", 400, ClassCapacity},
	{"InsufficientHostCapacity", 500, ClassCapacity},
	{"InsufficientReservedInstanceCapacity", 500, ClassCapacity},
	{"InsufficientAddressCapacity", 500, ClassCapacity},
	{"InsufficientVolumeCapacity", 500, ClassCapacity},
	{"ReservationCapacityExceeded", 400, ClassCapacity},
	{"UnfulfillableCapacity", 400, ClassCapacity},
	{"IncompatibleHostRequirements", 400, ClassCapacity},
	{"InsufficientFreeAddressesInSubnet", 400, ClassCapacity},
	{"Unsupported", 400, ClassInvalid},
	{"InstanceLimitExceeded", 400, ClassQuota},
	{"VcpuLimitExceeded", 400, ClassQuota},
	{"MaxSpotInstanceCountExceeded", 400, ClassQuota},
	{"VolumeLimitExceeded", 400, ClassQuota},
	{"NetworkInterfaceLimitExceeded", 400, ClassQuota},
	{"ResourceCountExceeded", 400, ClassQuota},
	{"ResourceLimitExceeded", 400, ClassQuota},
	{"MaxIOPSLimitExceeded", 400, ClassQuota},
	{"VolumeModificationRateExceeded", 400, ClassQuota},
	{"SpotMaxPriceTooLow", 400, ClassCapacity},
	{"PendingVerification", 400, ClassUnauthorized},
	{"OptInRequired", 401, ClassUnauthorized},
	{"Blocked", 400, ClassUnauthorized},
	{"UnauthorizedOperation", 403, ClassUnauthorized},
	{"AuthFailure", 401, ClassCredentials},
	{"AuthFailure.ServiceLinkedRoleCreationNotPermitted", 400, ClassUnauthorized},
	{"RequestExpired", 400, ClassCredentials},
	{"InvalidClientTokenId", 403, ClassCredentials},
	{"SignatureDoesNotMatch", 403, ClassCredentials},
	{"IncompleteSignature", 400, ClassCredentials},
	{"MissingAuthenticationToken", 403, ClassCredentials},
	{"DryRunOperation", 412, ClassInvalid},
	{"IdempotentParameterMismatch", 400, ClassNotYetVisible},
	{"IdempotentInstanceTerminated", 400, ClassWrongState},
	{"InvalidClientToken", 400, ClassInvalid},
	{"InvalidInstanceID.NotFound", 400, ClassNotYetVisible},
	{"InvalidInstanceID.NotLinkable", 400, ClassNotYetVisible},
	{"InvalidAssociationID.NotFound", 400, ClassNotYetVisible},
	{"InvalidNetworkInterfaceID.NotFound", 400, ClassDependency},
	{"InvalidVolume.NotFound", 400, ClassDependency},
	{"InstanceCreditSpecification.NotSupported", 400, ClassInvalid},
	{"InvalidInstanceID.Malformed", 400, ClassInvalid},
	{"InvalidInstanceID", 400, ClassInvalid},
	{"IncorrectInstanceState", 400, ClassWrongState},
	{"InvalidInstanceState", 400, ClassWrongState},
	{"IncorrectState", 400, ClassWrongState},
	{"InvalidState", 400, ClassWrongState},
	{"IncorrectSpotRequestState", 400, ClassWrongState},
	{"IncorrectModificationState", 400, ClassWrongState},
	{"ConcurrentTagAccess", 400, ClassTransient},
	{"OperationNotPermitted", 400, ClassProtected},
	{"UnsupportedOperation", 400, ClassInvalid},
	{"InvalidAMIID.NotFound", 400, ClassInvalid},
	{"InvalidAMIID.Malformed", 400, ClassInvalid},
	{"InvalidAMIID.Unavailable", 400, ClassInvalid},
	{"InvalidSubnetID.NotFound", 400, ClassDependency},
	{"InvalidSubnetId.NotFound", 400, ClassDependency},
	{"InvalidSubnet", 400, ClassDependency},
	{"InvalidGroup.NotFound", 400, ClassDependency},
	{"InvalidGroupId.Malformed", 400, ClassInvalid},
	{"InvalidSecurityGroupID.NotFound", 400, ClassDependency},
	{"InvalidKeyPair.NotFound", 400, ClassDependency},
	{"InvalidSnapshot.NotFound", 400, ClassDependency},
	{"InvalidPlacementGroup.Unknown", 400, ClassDependency},
	{"InvalidLaunchTemplateId.NotFound", 400, ClassDependency},
	{"InvalidLaunchTemplateName.NotFoundException", 400, ClassDependency},
	{"InvalidCapacityReservationId.NotFound", 400, ClassDependency},
	{"InvalidHostID.NotFound", 400, ClassDependency},
	{"InvalidParameterValue", 400, ClassInvalid},
	{"InvalidUserData.Malformed", 400, ClassInvalid},
	{"InvalidParameter", 400, ClassInvalid},
	{"InvalidParameterCombination", 400, ClassInvalid},
	{"MissingParameter", 400, ClassInvalid},
	{"InvalidInput", 400, ClassInvalid},
	{"ValidationError", 400, ClassInvalid},
	{"UnknownParameter", 400, ClassInvalid},
	{"InvalidBlockDeviceMapping", 400, ClassInvalid},
	{"InvalidInstanceAttributeValue", 400, ClassInvalid},
	{"InvalidInstanceType", 400, ClassInvalid},
	{"UnsupportedInstanceAttribute", 400, ClassInvalid},
	{"InvalidRequest", 400, ClassInvalid},
	{"VPCIdNotSpecified", 400, ClassInvalid},
	{"DefaultVpcDoesNotExist", 400, ClassInvalid},
	{"TagPolicyViolation", 400, ClassInvalid},
	{"TagLimitExceeded", 400, ClassInvalid},
	{"InvalidTagKey.Malformed", 400, ClassInvalid},
	{"FilterLimitExceeded", 400, ClassInvalid},
	{"InvalidMaxResults", 400, ClassInvalid},
	{"InvalidNextToken", 400, ClassTransient},
	{"InvalidPaginationToken", 400, ClassTransient},
	{"BandwidthLimitExceeded", 503, ClassThrottled},
}

func TestEveryKnownCode(t *testing.T) {
	standardEnvironment(t)
	definiteTransients := []string{"ConcurrentTagAccess", "InvalidNextToken", "InvalidPaginationToken"}
	for _, k := range known {
		t.Run(k.code, func(t *testing.T) {
			if _, ok := codeClasses[k.code]; !ok {
				t.Error("not in the table")
			}
			f := &fakeAWS{answer: always(failure(k.status, k.code, "EC2's words."))}
			// A session of its own, so that the rate limits are not yet used.
			s := sessionOf(t, NewProvider(testCluster, Options{HTTPClient: f}), testAccount("default"))
			_, err := s.Launch(t.Context(), "token", fullLaunch())
			want := &Error{
				Op: "RunInstances", Class: k.class, Code: k.code, Message: "EC2's words.",
				Definite: k.class != ClassTransient || slices.Contains(definiteTransients, k.code),
			}
			got := mustError(t, err)
			got.Err = nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCodesWhoseMessageDecides(t *testing.T) {
	tests := []struct {
		code, message string
		class         Class
	}{
		{
			"InvalidParameterValue",
			"Value (web) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name",
			ClassDependency,
		},
		{"InvalidParameterValue", "IAM Instance Profile \"arn:…\" has no associated IAM Roles", ClassDependency},
		{"InvalidParameterValue", "LaunchPlan instance type does not match attribute value", ClassWrongState},
		{"InvalidParameterValue", "User data is limited to 16384 bytes", ClassInvalid},
		{"InvalidParameter", "Security group sg-1 and subnet subnet-1 belong to different networks.", ClassInvalid},
		{"AuthFailure", "AWS was not able to validate the provided access credentials", ClassCredentials},
		{"AuthFailure", "Not authorized for images: [ami-1]", ClassInvalid},
	}
	for _, test := range tests {
		if got := classOfCode(test.code, test.message, 400); got != test.class {
			t.Errorf("%s %q: got %s, want %s", test.code, test.message, got, test.class)
		}
	}
}

func TestUnknownCodes(t *testing.T) {
	tests := []struct {
		code     string
		status   int
		class    Class
		definite bool
	}{
		{"InvalidNovelty.NotFound", 400, ClassDependency, true},
		{"SomethingLimitExceeded", 400, ClassQuota, true},
		{"Novel", 400, ClassInvalid, true},
		{"Novel", 401, ClassCredentials, true},
		{"Novel", 403, ClassUnauthorized, true},
		{"Novel", 408, ClassTransient, false},
		{"Novel", 429, ClassThrottled, true},
		{"Novel", 500, ClassTransient, false},
		{"Novel", 503, ClassTransient, false},
	}
	for _, test := range tests {
		f := &fakeAWS{answer: always(failure(test.status, test.code, "m"))}
		_, err := newTestSession(t, f).Launch(t.Context(), "token", fullLaunch())
		if e := mustError(t, err); e.Class != test.class || e.Definite != test.definite {
			t.Errorf("%s %d: got %s, definite %v", test.code, test.status, e.Class, e.Definite)
		}
	}
}

func TestAnswersThatAreNotAWS(t *testing.T) {
	tests := []struct {
		status   int
		class    Class
		definite bool
	}{{403, ClassUnauthorized, true}, {407, ClassInvalid, true}, {408, ClassTransient, false}, {413, ClassInvalid, true}, {502, ClassTransient, false}}
	for _, test := range tests {
		f := &fakeAWS{answer: always(answer{status: test.status, body: "<html><p>Proxy<br></html>"})}
		_, err := newTestSession(t, f).Launch(t.Context(), "token", fullLaunch())
		e := mustError(t, err)
		if e.Class != test.class || e.Definite != test.definite {
			t.Errorf("%d: got %s, definite %v", test.status, e.Class, e.Definite)
		}
		if !strings.Contains(e.Message, fmt.Sprint(test.status)) {
			t.Errorf("%d: says %q", test.status, e.Message)
		}
	}
}

func TestLostAnswers(t *testing.T) {
	to := func(err error) error {
		return &url.Error{Op: "Post", URL: "https://ec2.eu-central-1.amazonaws.com/", Err: err}
	}
	tests := map[string]struct {
		err  error
		want string
	}{
		"refused": {
			to(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}),
			"RunInstances: connection (ec2.eu-central-1.amazonaws.com) refused",
		},
		"reset": {
			to(&net.OpError{Op: "read", Net: "tcp", Source: &net.TCPAddr{Port: 41234}, Err: syscall.ECONNRESET}),
			"RunInstances: connection (ec2.eu-central-1.amazonaws.com) lost before the answer",
		},
		"closed": {to(io.EOF), "RunInstances: connection (ec2.eu-central-1.amazonaws.com) lost before the answer"},
		"no such host": {
			to(&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "ec2.eu-central-1.amazonaws.com", Server: "10.0.0.2:53"}}),
			"RunInstances: cannot resolve the name of the endpoint (ec2.eu-central-1.amazonaws.com)",
		},
		"other": {to(errors.New("http: server gave HTTP response to HTTPS client")), "RunInstances: http: server gave HTTP response to HTTPS client"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: always(answer{err: test.err})}
			_, err := newTestSession(t, f).Launch(t.Context(), "token", fullLaunch())
			e := mustError(t, err)
			if e.Class != ClassTransient || e.Definite {
				t.Errorf("got %s, definite %v", e.Class, e.Definite)
			}
			if e.Error() != test.want {
				t.Errorf("says %q, want %q", e, test.want)
			}
			if !errors.Is(err, test.err) {
				t.Error("the cause is lost")
			}
		})
	}
}

func TestMessagesAreStable(t *testing.T) {
	long := strings.Repeat("é", 400)
	tests := map[string]struct{ message, want string }{
		"as it is": {"The request identifies 3 things: a->b.", "The request identifies 3 things: a->b."},
		"authorization blob": {
			"You are not authorized to perform this operation. User: arn:aws:iam::1:user/x is not authorized to perform: ec2:RunInstances. " +
				"Encoded authorization failure message: AbC-123_x",
			"You are not authorized to perform this operation. User: arn:aws:iam::1:user/x is not authorized to perform: ec2:RunInstances.",
		},
		"request id": {
			"It failed (Request ID: 0e8f3a1c-1111-4a2b-8c3d-0123456789ab)", "It failed",
		},
		"SDK's request id": {
			"https response error StatusCode: 0, RequestID: , request send failed",
			"https response error StatusCode: 0, request send failed",
		},
		"times": {
			"Signature expired: 20260107T121954Z is now earlier than 20260107T123000Z (20260107T124500Z - 15 min.)",
			"Signature expired: (time) is now earlier than (time) ((time) - 15 min.)",
		},
		"time": {"Request has expired at 2026-01-07T12:19:54.123Z.", "Request has expired at (time)."},
		"canonical request": {
			"The request signature we calculated does not match. The Canonical String for this request should have been\n'POST\n/…'",
			"The request signature we calculated does not match.",
		},
		"connection": {
			"read tcp 10.0.0.4:51234->52.94.1.1:443: i/o timeout", "read tcp 52.94.1.1:443: i/o timeout",
		},
		"long":       {long, long[:508] + "…"},
		"not UTF-8":  {"a\xffb", "a\uFFFDb"},
		"only blank": {" \n", ""},
	}
	for name, test := range tests {
		got := stable(test.message)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(got) > maxMessage {
			t.Errorf("%s: %d bytes", name, len(got))
		}
		if again := stable(got); again != got {
			t.Errorf("%s: shortened again it is %q", name, again)
		}
	}
}

func TestMessagesAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringN(1, 20, -1).Draw(t, "text"), rapid.IntRange(1, 200).Draw(t, "times"))
		got := stable(text)
		if len(got) > maxMessage || !strings.HasPrefix(got, strings.TrimSuffix(got, "…")) {
			t.Fatalf("%d bytes", len(got))
		}
	})
}

func TestPredicates(t *testing.T) {
	predicates := map[string]func(error) bool{
		"IdempotentParameterMismatch":  IsIdempotentParameterMismatch,
		"IdempotentInstanceTerminated": IsIdempotentInstanceTerminated,
		"InvalidInstanceID.NotFound":   IsNotFound,
		"Unsupported":                  IsUnsupported,
	}
	for name, is := range predicates {
		for code := range predicates {
			err := fmt.Errorf("launching: %w", &Error{Code: code})
			if is(err) != (name == code) {
				t.Errorf("%s of %s: %v", name, code, is(err))
			}
		}
		if is(nil) || is(errors.New(name)) {
			t.Errorf("%s holds for what is no *Error", name)
		}
	}
}

func TestClassOf(t *testing.T) {
	tests := map[Class]error{
		"":             nil,
		ClassTransient: errors.New("anything"),
		ClassCapacity:  fmt.Errorf("launching: %w", &Error{Class: ClassCapacity}),
	}
	for want, err := range tests {
		if got := ClassOf(err); got != want {
			t.Errorf("%v: got %q, want %q", err, got, want)
		}
	}
}

func TestBackoff(t *testing.T) {
	tests := map[Class][]time.Duration{
		ClassInvalid:       {10 * time.Minute, 10 * time.Minute},
		ClassCapacity:      {30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute, 5 * time.Minute},
		ClassQuota:         {time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute},
		ClassThrottled:     {2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute},
		ClassUnauthorized:  {time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute},
		ClassCredentials:   {30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute},
		ClassNotYetVisible: {2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second},
		ClassWrongState:    {2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute},
		ClassProtected:     {time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute},
		ClassDependency:    {5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 2 * time.Minute},
		ClassTransient:     {time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second},
		"invented":         {time.Second, 2 * time.Second},
	}
	for class, want := range tests {
		for i, wait := range want {
			if got := class.Backoff(i + 1); got != wait {
				t.Errorf("%s after %d: got %v, want %v", class, i+1, got, wait)
			}
		}
	}
	for class := range maps.Keys(backoffs) {
		if _, ok := tests[class]; !ok {
			t.Errorf("%s is not tested", class)
		}
	}
}

func TestBackoffIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.SampledFrom(slices.Collect(maps.Keys(backoffs))).Draw(t, "class")
		tries := rapid.Int().Draw(t, "tries")
		wait := class.Backoff(tries)
		if wait < backoffs[class].first || wait > backoffs[class].limit {
			t.Fatalf("%v", wait)
		}
	})
}

func TestJitterSpreadsByATenth(t *testing.T) {
	for random, want := range map[float64]time.Duration{0: 90 * time.Second, 0.5: 100 * time.Second, 1: 110 * time.Second} {
		if got := Jitter(100*time.Second, random); got != want {
			t.Errorf("%v: got %v, want %v", random, got, want)
		}
	}
}

// A status that no test above names is still a class.
func TestEveryStatusHasAClass(t *testing.T) {
	for status := range 600 {
		class := classOfStatus(status)
		if _, ok := backoffs[class]; !ok {
			t.Errorf("%d: %q", status, class)
		}
		if status >= http.StatusInternalServerError && class != ClassTransient {
			t.Errorf("%d: %q", status, class)
		}
	}
}
