// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, body string) Params {
	t.Helper()
	p, err := ParseForm([]byte(body), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestListsAndStructures(t *testing.T) {
	p := parse(t, "InstanceId.2=i-2&InstanceId.1=i-1&InstanceId.10=i-10&Filter.1.Name=tag%3AName&Filter.1.Value.1=a&Filter.1.Value.2=b&Filter.2.Name=vpc-id&Ebs.VolumeSize=8")
	if diff := cmp.Diff([]string{"i-1", "i-2", "i-10"}, p.List("InstanceId")); diff != "" {
		t.Errorf("list in order of its numbers:\n%s", diff)
	}
	filters := p.Structs("Filter")
	if len(filters) != 2 || filters[0]["Name"] != "tag:Name" || filters[1]["Name"] != "vpc-id" {
		t.Fatalf("filters: %v", filters)
	}
	if diff := cmp.Diff([]string{"a", "b"}, filters[0].List("Value")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Ebs", "Filter", "InstanceId"}, p.Roots()); diff != "" {
		t.Error(diff)
	}
	if !p.Has("Ebs") || !p.Has("Ebs.VolumeSize") || p.Has("Eb") {
		t.Error("Has goes by whole names")
	}
}

func TestScalars(t *testing.T) {
	p := parse(t, "N=7&Bad=x&T=true&Data=aGk%3D")
	if n, given, err := p.Int("N"); n != 7 || !given || err != nil {
		t.Errorf("Int = %d %v %v", n, given, err)
	}
	if _, given, err := p.Int("Absent"); given || err != nil {
		t.Errorf("absent Int = %v %v", given, err)
	}
	if _, _, err := p.Int("Bad"); err == nil || err.Error() != "InvalidParameterValue: Value ( x ) for parameter bad is invalid. Expecting an integer." {
		t.Errorf("bad Int: %v", err)
	}
	if b, err := p.Bool("T"); !b || err != nil {
		t.Errorf("Bool = %v %v", b, err)
	}
	if _, err := p.Bool("Bad"); err == nil {
		t.Error("a bad Bool was accepted")
	}
	if data, err := p.Bytes("Data"); string(data) != "hi" || err != nil {
		t.Errorf("Bytes = %q %v", data, err)
	}
}

func TestParseForm(t *testing.T) {
	p, err := ParseForm([]byte("Action=A"), url.Values{"Version": {"1"}, "X-Amz-Credential": {"secret"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Params{"Action": "A", "Version": "1"}, p); diff != "" {
		t.Error(diff)
	}
	for _, body := range []string{"A=%zz", "A=1&A=2"} {
		if _, err := ParseForm([]byte(body), nil); err == nil {
			t.Errorf("%q was accepted", body)
		}
	}
}
