// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// modifications are sent by one call each, with exactly these parameters besides the version.
var modifications = map[string]struct {
	modification Modification
	want         []string
}{
	"SecurityGroups": {NewSecurityGroups("eni-1", []string{"sg-b", "sg-a", "sg-b"}), []string{
		"Action=ModifyNetworkInterfaceAttribute", "NetworkInterfaceId=eni-1", "SecurityGroupId.1=sg-a", "SecurityGroupId.2=sg-b",
	}},
	"SourceDestCheck on": {SourceDestCheck{"eni-1", true}, []string{
		"Action=ModifyNetworkInterfaceAttribute", "NetworkInterfaceId=eni-1", "SourceDestCheck.Value=true",
	}},
	"SourceDestCheck off": {SourceDestCheck{"eni-1", false}, []string{
		"Action=ModifyNetworkInterfaceAttribute", "NetworkInterfaceId=eni-1", "SourceDestCheck.Value=false",
	}},
	"InstanceMetadata": {InstanceMetadata{MetadataOptions{
		HTTPTokens: "required", HTTPEndpoint: "enabled", HTTPPutResponseHopLimit: 2, HTTPProtocolIPv6: "enabled", InstanceMetadataTags: "disabled",
	}}, []string{
		"Action=ModifyInstanceMetadataOptions", "InstanceId=" + testID, "HttpTokens=required", "HttpEndpoint=enabled",
		"HttpPutResponseHopLimit=2", "HttpProtocolIpv6=enabled", "InstanceMetadataTags=disabled",
	}},
	"InstanceMetadata of one option": {InstanceMetadata{MetadataOptions{HTTPTokens: "required"}}, []string{
		"Action=ModifyInstanceMetadataOptions", "InstanceId=" + testID, "HttpTokens=required",
	}},
	"Monitoring on":  {Monitoring{true}, []string{"Action=MonitorInstances", "InstanceId.1=" + testID}},
	"Monitoring off": {Monitoring{false}, []string{"Action=UnmonitorInstances", "InstanceId.1=" + testID}},
	"InstanceType": {InstanceType{"t3.small"}, []string{
		"Action=ModifyInstanceAttribute", "InstanceId=" + testID, "InstanceType.Value=t3.small",
	}},
	"UserDataBytes": {NewUserData([]byte("#!/bin/sh\n\x00\xff")), []string{
		"Action=ModifyInstanceAttribute", "InstanceId=" + testID, "UserData.Value=IyEvYmluL3NoCgD/",
	}},
	"UserDataBytes of none": {NewUserData(nil), []string{
		"Action=ModifyInstanceAttribute", "InstanceId=" + testID, "UserData.Value=",
	}},
	"EBSOptimized": {EBSOptimized{true}, []string{
		"Action=ModifyInstanceAttribute", "InstanceId=" + testID, "EbsOptimized.Value=true",
	}},
	"DisableAPITermination": {DisableAPITermination{true}, []string{
		"Action=ModifyInstanceAttribute", "InstanceId=" + testID, "DisableApiTermination.Value=true",
	}},
	"DisableAPIStop": {DisableAPIStop{false}, []string{
		"Action=ModifyInstanceAttribute", "InstanceId=" + testID, "DisableApiStop.Value=false",
	}},
	"ShutdownBehavior": {ShutdownBehavior{"terminate"}, []string{
		"Action=ModifyInstanceAttribute", "InstanceId=" + testID, "InstanceInitiatedShutdownBehavior.Value=terminate",
	}},
	"DeleteOnTermination": {DeleteOnTermination{"/dev/xvdb", false}, []string{
		"Action=ModifyInstanceAttribute", "InstanceId=" + testID,
		"BlockDeviceMapping.1.DeviceName=/dev/xvdb", "BlockDeviceMapping.1.Ebs.DeleteOnTermination=false",
	}},
	"CPU": {CPU{CPUOptions{CoreCount: 2, ThreadsPerCore: 1, AMDSEVSNP: "enabled", NestedVirtualization: "disabled"}}, []string{
		"Action=ModifyInstanceCpuOptions", "InstanceId=" + testID, "CoreCount=2", "ThreadsPerCore=1", "NestedVirtualization=disabled",
	}},
	"CPU of one option": {CPU{CPUOptions{NestedVirtualization: "enabled"}}, []string{
		"Action=ModifyInstanceCpuOptions", "InstanceId=" + testID, "NestedVirtualization=enabled",
	}},
	"Credits": {Credits{"unlimited"}, []string{
		"Action=ModifyInstanceCreditSpecification",
		"InstanceCreditSpecification.1.InstanceId=" + testID, "InstanceCreditSpecification.1.CpuCredits=unlimited",
	}},
	"Maintenance": {Maintenance{MaintenanceOptions{AutoRecovery: "disabled", RebootMigration: "default"}}, []string{
		"Action=ModifyInstanceMaintenanceOptions", "InstanceId=" + testID, "AutoRecovery=disabled", "RebootMigration=default",
	}},
	"Maintenance of one option": {Maintenance{MaintenanceOptions{RebootMigration: "disabled"}}, []string{
		"Action=ModifyInstanceMaintenanceOptions", "InstanceId=" + testID, "RebootMigration=disabled",
	}},
	"DNSNames": {DNSNames{PrivateDNSNameOptions{HostnameType: "resource-name", ARecord: "true", AAAARecord: "false"}}, []string{
		"Action=ModifyPrivateDnsNameOptions", "InstanceId=" + testID, "PrivateDnsHostnameType=resource-name",
		"EnableResourceNameDnsARecord=true", "EnableResourceNameDnsAAAARecord=false",
	}},
	"DNSNames of one option": {DNSNames{PrivateDNSNameOptions{AAAARecord: "true"}}, []string{
		"Action=ModifyPrivateDnsNameOptions", "InstanceId=" + testID, "EnableResourceNameDnsAAAARecord=true",
	}},
	"Place in a group": {Place{Placement{AvailabilityZone: "eu-central-1a", Tenancy: "dedicated", GroupName: "web", PartitionNumber: 3}}, []string{
		"Action=ModifyInstancePlacement", "InstanceId=" + testID, "Tenancy=dedicated", "GroupName=web", "PartitionNumber=3",
	}},
	"Place on a host": {Place{Placement{GroupID: "pg-1", HostID: "h-1", HostResourceGroupARN: "arn", Affinity: "host"}}, []string{
		"Action=ModifyInstancePlacement", "InstanceId=" + testID, "GroupId=pg-1", "HostId=h-1", "HostResourceGroupArn=arn", "Affinity=host",
	}},
	"Reservation of a preference": {Reservation{CapacityReservation{Preference: "none"}}, []string{
		"Action=ModifyInstanceCapacityReservationAttributes", "InstanceId=" + testID,
		"CapacityReservationSpecification.CapacityReservationPreference=none",
	}},
	"Reservation by id": {Reservation{CapacityReservation{ID: "cr-1"}}, []string{
		"Action=ModifyInstanceCapacityReservationAttributes", "InstanceId=" + testID,
		"CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationId=cr-1",
	}},
	"Reservation by group": {Reservation{CapacityReservation{Preference: "capacity-reservations-only", ResourceGroupARN: "arn"}}, []string{
		"Action=ModifyInstanceCapacityReservationAttributes", "InstanceId=" + testID,
		"CapacityReservationSpecification.CapacityReservationPreference=capacity-reservations-only",
		"CapacityReservationSpecification.CapacityReservationTarget.CapacityReservationResourceGroupArn=arn",
	}},
	"VolumeChange": {VolumeChange{VolumeID: "vol-1", SizeGiB: 100, Type: "gp3", IOPS: 4000, ThroughputMiBps: 250}, []string{
		"Action=ModifyVolume", "VolumeId=vol-1", "Size=100", "VolumeType=gp3", "Iops=4000", "Throughput=250",
	}},
	"VolumeChange of the size": {VolumeChange{VolumeID: "vol-1", SizeGiB: 100}, []string{
		"Action=ModifyVolume", "VolumeId=vol-1", "Size=100",
	}},
}

// accepting is the answer of every call that a modification makes.
const accepting = "<R><return>true</return><successfulInstanceCreditSpecificationSet><item><instanceId>" + testID +
	"</instanceId></item></successfulInstanceCreditSpecificationSet></R>"

func TestModificationsOnTheWire(t *testing.T) {
	for name, test := range modifications {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: always(ok(accepting))}
			if err := newTestSession(t, f).Modify(t.Context(), testID, test.modification); err != nil {
				t.Fatal(err)
			}
			if got := f.actions(); len(got) != 1 || got[0] != test.modification.Action() {
				t.Errorf("sent %v", got)
			}
			if diff := cmp.Diff(lines(test.want...), wire(f.last(t))); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if f.last(t).Deadline.IsZero() {
				t.Error("no deadline")
			}
		})
	}
}

// An error of AWS's own side leaves open whether the change took place: the SDK must not repeat it.
func TestModificationsAreSentOnce(t *testing.T) {
	for name, test := range modifications {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: always(failure(http.StatusInternalServerError, "InternalError", "oops"))}
			err := newTestSession(t, f).Modify(t.Context(), testID, test.modification)
			e := mustError(t, err)
			if e.Op != test.modification.Action() || e.Class != ClassTransient || e.Definite || len(f.actions()) != 1 {
				t.Errorf("got %#v after %v", e, f.actions())
			}
			f.answer = always(failure(http.StatusBadRequest, "IncorrectInstanceState", "The instance is not in the 'stopped' state."))
			err = newTestSession(t, f).Modify(t.Context(), testID, test.modification)
			if e := mustError(t, err); e.Class != ClassWrongState || e.Code != "IncorrectInstanceState" || !e.Definite {
				t.Errorf("got %#v", e)
			}
		})
	}
}

func TestModificationsThatHoldNothingAreNotSent(t *testing.T) {
	tests := map[string]Modification{
		"no group":               NewSecurityGroups("eni-1", []string{""}),
		"groups of no interface": NewSecurityGroups("", []string{"sg-1"}),
		"check of no interface":  SourceDestCheck{On: true},
		"no profile":             InstanceProfile{Running: true},
		"no metadata option":     InstanceMetadata{},
		"no type":                InstanceType{},
		"no behavior":            ShutdownBehavior{},
		"no device":              DeleteOnTermination{On: true},
		"no CPU option":          CPU{},
		"a launch's CPU option":  CPU{CPUOptions{AMDSEVSNP: "enabled"}},
		"no credits":             Credits{},
		"no maintenance option":  Maintenance{},
		"no name option":         DNSNames{},
		"no place":               Place{},
		"a launch's place":       Place{Placement{AvailabilityZone: "eu-central-1a"}},
		"no reservation":         Reservation{},
		"no volume":              VolumeChange{SizeGiB: 8},
		"no change of a volume":  VolumeChange{VolumeID: "vol-1"},
	}
	for name, m := range tests {
		checkRefused(t, name, testID, m)
	}
	for name, test := range modifications {
		checkRefused(t, name+" without an instance", "", test.modification)
	}
}

func checkRefused(t *testing.T, name, id string, m Modification) {
	t.Helper()
	f := &fakeAWS{answer: always(ok(accepting))}
	err := newTestSession(t, f).Modify(t.Context(), id, m)
	if e := mustError(t, err); e.Op != m.Action() || e.Class != ClassInvalid || !e.Definite {
		t.Errorf("%s: got %#v", name, e)
	}
	if len(f.actions()) != 0 {
		t.Errorf("%s: sent %v", name, f.actions())
	}
}

func TestEqualModificationsAreEqual(t *testing.T) {
	same := map[Modification]Modification{
		NewSecurityGroups("eni-1", []string{"b", "a", "", "b"}): NewSecurityGroups("eni-1", []string{"a", "b"}),
		NewUserData([]byte{0, 255}):                             NewUserData([]byte{0, 255}),
		CPU{CPUOptions{CoreCount: 1}}:                           CPU{CPUOptions{CoreCount: 1}},
	}
	for a, b := range same {
		if a != b {
			t.Errorf("%v differs from %v", a, b)
		}
	}
	different := map[Modification]Modification{
		NewSecurityGroups("eni-1", []string{"a"}): NewSecurityGroups("eni-2", []string{"a"}),
		NewSecurityGroups("eni-3", []string{"a"}): NewSecurityGroups("eni-3", []string{"a", "b"}),
		NewUserData([]byte("a")):                  NewUserData([]byte("b")),
		DisableAPIStop{true}:                      DisableAPITermination{true},
	}
	for a, b := range different {
		if a == b {
			t.Errorf("%v equals %v", a, b)
		}
	}
	if got := NewSecurityGroups("eni-1", []string{"b", "a"}).IDs(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("groups are %v", got)
	}
}

// User data may be a secret, and modifications go into logs, events and test output.
func TestUserDataIsNeverShown(t *testing.T) {
	const secret = "hunter2"
	m := NewUserData([]byte(secret))
	hidden := struct {
		deep []struct{ modification Modification }
		data UserDataBytes
	}{[]struct{ modification Modification }{{m}}, m}
	encodings := []string{
		secret, fmt.Sprintf("%x", secret), fmt.Sprintf("%X", secret), strings.Trim(fmt.Sprintf("%d", []byte(secret)), "[]"),
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="),
	}
	check := func(how, text string) {
		for _, encoded := range encodings {
			if strings.Contains(text, encoded) {
				t.Errorf("%s shows it: %s", how, text)
			}
		}
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%U"} {
		for _, v := range []any{m, &m, hidden, &hidden, []Modification{m}, map[Modification]bool{m: true}} {
			check(verb, fmt.Sprintf(verb, v))
		}
	}
	encoded, err := json.Marshal([]Modification{m})
	if err != nil {
		t.Fatal(err)
	}
	check("JSON", string(encoded))
	if got := fmt.Sprintf("%v %+v %s %#v", m, m, m, m); got != "user data user data user data user data" {
		t.Errorf("got %q", got)
	}
	if got := string(m.Bytes()); got != secret {
		t.Errorf("the bytes are %q", got)
	}
	if got := (UserDataBytes{}).Bytes(); got == nil || len(got) != 0 {
		t.Errorf("without any, the bytes are %v", got)
	}
}

// EC2 says success to the call as a whole, and tells of each instance apart.
func TestCreditsOfOneInstanceCanBeRefused(t *testing.T) {
	item := func(set, id, inner string) string {
		return fmt.Sprintf("<%[1]s><item><instanceId>%[2]s</instanceId>%[3]s</item></%[1]s>", set, id, inner)
	}
	refused := func(id, code string) string {
		return item("unsuccessfulInstanceCreditSpecificationSet", id, "<error><code>"+code+"</code><message>no</message></error>")
	}
	tests := map[string]struct {
		answer   string
		class    Class
		code     string
		definite bool
	}{
		"type":      {refused(testID, "InstanceCreditSpecification.NotSupported"), ClassInvalid, "InstanceCreditSpecification.NotSupported", true},
		"state":     {refused(testID, "IncorrectInstanceState"), ClassWrongState, "IncorrectInstanceState", true},
		"not seen":  {refused(testID, "InvalidInstanceID.NotFound"), ClassNotYetVisible, "InvalidInstanceID.NotFound", true},
		"novel":     {refused(testID, "Novel"), ClassInvalid, "Novel", true},
		"another's": {refused("i-1", "Novel"), ClassTransient, "", false},
		"nothing":   {item("successfulInstanceCreditSpecificationSet", "i-1", ""), ClassTransient, "", false},
	}
	for name, test := range tests {
		f := &fakeAWS{answer: always(ok("<R>" + test.answer + "</R>"))}
		err := newTestSession(t, f).Modify(t.Context(), testID, Credits{"standard"})
		e := mustError(t, err)
		if e.Class != test.class || e.Code != test.code || e.Definite != test.definite || e.Op != "ModifyInstanceCreditSpecification" {
			t.Errorf("%s: got %#v", name, e)
		}
		if test.definite && e.Message != "no" {
			t.Errorf("%s: EC2's words are lost: %q", name, e.Message)
		}
	}
}
