// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"strings"
	"testing"
	"time"
)

func TestEC2Query(t *testing.T) {
	type item struct {
		ID string `xml:"id"`
	}
	type answer struct {
		Head
		Items []item `xml:"itemSet>item"`
	}
	p := EC2Query{Namespace: "urn:x"}
	got, err := p.Encode("ListThings", "req-1", &answer{Items: []item{{"a"}, {"b"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `<ListThingsResponse xmlns="urn:x"><requestId>req-1</requestId><itemSet><item><id>a</id></item><item><id>b</id></item></itemSet></ListThingsResponse>`
	if body := string(got.Body); !strings.HasSuffix(body, want) || !strings.HasPrefix(body, "<?xml") {
		t.Errorf("got %s", body)
	}
	if _, err := p.Encode("ListThings", "req-1", &item{}); err == nil {
		t.Error("an answer without Head was accepted")
	}
	bad := p.EncodeError("req-2", &Error{Status: 503, Code: "RequestLimitExceeded", Message: "a < b"})
	if want := `<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>a &lt; b</Message></Error></Errors><RequestID>req-2</RequestID></Response>`; bad.Status != 503 || !strings.HasSuffix(string(bad.Body), want) {
		t.Errorf("got %d %s", bad.Status, bad.Body)
	}
}

func TestAWSQuery(t *testing.T) {
	p := AWSQuery{Namespace: "urn:y"}
	got, err := p.Encode("WhoAmI", "req-1", struct{ Account string }{"1"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `<WhoAmIResponse xmlns="urn:y"><WhoAmIResult><Account>1</Account></WhoAmIResult><ResponseMetadata><RequestId>req-1</RequestId></ResponseMetadata></WhoAmIResponse>`; string(got.Body) != want {
		t.Errorf("got %s", got.Body)
	}
	for status, want := range map[int]string{400: "<Type>Sender</Type>", 500: "<Type>Receiver</Type>"} {
		if bad := p.EncodeError("r", &Error{Status: status, Code: "C", Message: "M"}); !strings.Contains(string(bad.Body), want) {
			t.Errorf("%d: got %s", status, bad.Body)
		}
	}
}

func TestAWSJSON(t *testing.T) {
	bad := AWSJSON{}.EncodeError("r", &Error{Status: 400, Code: "ParameterNotFound", Message: "gone"})
	if want := `{"__type":"ParameterNotFound","message":"gone"}`; string(bad.Body) != want {
		t.Errorf("got %s", bad.Body)
	}
}

func TestTimestamp(t *testing.T) {
	zone := time.FixedZone("x", 3600)
	if got := Timestamp(time.Date(2026, 1, 7, 13, 19, 54, 9_000_000, zone)); got != "2026-01-07T12:19:54.009Z" {
		t.Error(got)
	}
}
