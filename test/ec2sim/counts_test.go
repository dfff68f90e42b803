// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ec2sim_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/google/go-cmp/cmp"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

func TestCountsAndLog(t *testing.T) {
	r := newRig(t)
	out, err := r.run(withToken("t"), userData(100), counted(2, 2))
	r.must(err)
	_, err = r.run(withToken("t"), userData(100), counted(2, 2))
	r.must(err)
	_, err = r.run(withToken("t"), userData(99), counted(2, 2))
	wantError(t, err, "IdempotentParameterMismatch", badRequest, "")
	r.list()

	c := r.sim.Counts()
	if c.Calls["RunInstances"] != 3 || c.Calls["DescribeInstances"] != 1 || c.Launches != 1 || c.Launched != 2 || c.Replays != 1 ||
		c.Outcome("RunInstances", ec2sim.OutcomeOK) != 2 || c.Outcome("RunInstances", "IdempotentParameterMismatch") != 1 {
		t.Errorf("counts: %+v", c)
	}
	log := r.sim.Requests()
	if len(log) != 4 {
		t.Fatalf("%d requests logged", len(log))
	}
	first := log[0]
	if first.Account != ec2sim.DefaultAccount || first.Region != "us-east-1" || first.Service != "ec2" || first.AccessKeyID != "AKIDEXAMPLE" ||
		first.Params["ClientToken"] != "t" || first.Outcome != ec2sim.OutcomeOK || first.Status != http.StatusOK || !first.Time.Equal(epoch) ||
		len(first.Instances) != 2 || first.Instances[0] != *out.Instances[0].InstanceId || first.Replayed {
		t.Errorf("first entry: %+v", first)
	}
	if !log[1].Replayed || len(log[1].Instances) != 2 || log[2].Status != badRequest {
		t.Errorf("entries: %+v %+v", log[1], log[2])
	}
	if got := first.Params["UserData"]; !strings.HasPrefix(got, "100 bytes, sha256 ") || strings.Contains(got, "eHh4") {
		t.Errorf("user data in the log: %q", got)
	}
	r.sim.ResetCounts()
	r.sim.ClearRequests()
	if c, log := r.sim.Counts(), r.sim.Requests(); len(c.Calls) != 0 || len(log) != 0 {
		t.Errorf("after the reset: %+v, %d entries", c, len(log))
	}
}

func TestLogIsBounded(t *testing.T) {
	sim := ec2sim.New(ec2sim.Options{Settings: new(calm()), LogSize: 3})
	client := inProcess(sim)
	for calls := range 20 {
		_, err := client.DescribeInstances(t.Context(), &ec2.DescribeInstancesInput{
			Filters: []ec2types.Filter{filter("client-token", strconv.Itoa(calls))},
		})
		if err != nil {
			t.Fatal(err)
		}
		var logged []string
		for _, entry := range sim.Requests() {
			logged = append(logged, entry.Params["Filter.1.Value.1"])
		}
		var want []string
		for n := max(0, calls-2); n <= calls; n++ {
			want = append(want, strconv.Itoa(n))
		}
		if diff := cmp.Diff(want, logged); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestLogTellsRetriesOfTheSDK(t *testing.T) {
	r := newRig(t)
	r.inject(ec2sim.Fault{Action: "RunInstances", Times: 1, Drop: ec2sim.DropAfter})
	config := r.config("AKIDEXAMPLE", "us-east-1")
	config.Retryer = func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	}
	_, err := ec2.NewFromConfig(config).RunInstances(t.Context(), launchInput())
	r.must(err)
	log := r.sim.Requests()
	if len(log) != 2 || log[0].Attempt != "attempt=1; max=3" || log[1].Attempt != "attempt=2; max=3" || !log[0].ResponseLost || !log[1].Replayed {
		t.Errorf("log: %+v", log)
	}
	if n := len(r.sim.Live()); n != 1 {
		t.Errorf("%d instances: the SDK's retry launched again", n)
	}
}

func TestWire(t *testing.T) {
	r := newRig(t)
	post := func(form url.Values, change func(*http.Request)) *http.Response {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url, strings.NewReader(form.Encode()))
		r.must(err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKID/20260102/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0")
		if change != nil {
			change(request)
		}
		response, err := http.DefaultClient.Do(request)
		r.must(err)
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	form := func(pairs ...string) url.Values {
		out := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			out.Set(pairs[i], pairs[i+1])
		}
		return out
	}
	ok := post(form("Action", "DescribeInstances"), nil)
	for name, want := range map[string]string{"Content-Type": "text/xml;charset=UTF-8", "Server": "AmazonEC2"} {
		if got := ok.Header.Get(name); got != want {
			t.Errorf("header %s: %q", name, got)
		}
	}
	if id := ok.Header.Get("X-Amzn-Requestid"); len(id) != 36 || ok.Header.Get("Date") == "" {
		t.Errorf("request id %q, date %q", id, ok.Header.Get("Date"))
	}
	for name, tc := range map[string]struct {
		form   url.Values
		change func(*http.Request)
		status int
		body   string
	}{
		"unknown action":    {form("Action", "LaunchRockets"), nil, 400, "<Code>InvalidAction</Code><Message>The action LaunchRockets is not valid for this web service.</Message>"},
		"no action":         {form("Version", "2016-11-15"), nil, 400, "<Code>MissingAction</Code>"},
		"unknown parameter": {form("Action", "DescribeInstances", "Instance.1", "x"), nil, 400, "<Code>UnknownParameter</Code>"},
		"not a number":      {form("Action", "DescribeInstances", "MaxResults", "x"), nil, 400, "<Code>InvalidParameterValue</Code>"},
		"no signature":      {form("Action", "DescribeInstances"), func(r *http.Request) { r.Header.Del("Authorization") }, 403, "<Code>MissingAuthenticationToken</Code>"},
		"other signature":   {form("Action", "DescribeInstances"), func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, 403, "<Code>IncompleteSignature</Code>"},
		"bad scope":         {form("Action", "DescribeInstances"), func(r *http.Request) { r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=x") }, 403, "<Code>IncompleteSignature</Code>"},
		"other service": {form("Action", "DescribeInstances"), func(r *http.Request) {
			r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=AKID/20260102/us-east-1/s3/aws4_request")
		}, 400, "<Code>InvalidAction</Code>"},
	} {
		t.Run(name, func(t *testing.T) {
			response := post(tc.form, tc.change)
			body := new(strings.Builder)
			if err := response.Write(body); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != tc.status || !strings.Contains(body.String(), tc.body) {
				t.Errorf("got %d %s", response.StatusCode, body)
			}
		})
	}
}
