// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cloud

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func profileARN(name string) string { return "arn:aws:iam::123456789012:instance-profile/" + name }

// associated is EC2's list of an instance's associations with profiles.
func associated(arns ...string) string {
	items := ""
	for n, arn := range arns {
		items += fmt.Sprintf("<item><associationId>iip-assoc-%d</associationId><instanceId>%s</instanceId>"+
			"<iamInstanceProfile><arn>%s</arn><id>AIPA</id></iamInstanceProfile><state>associated</state></item>", n+1, testID, arn)
	}
	return "<R><iamInstanceProfileAssociationSet>" + items + "</iamInstanceProfileAssociationSet></R>"
}

func TestInstanceProfile(t *testing.T) {
	byName, byARN := InstanceProfile{Name: "web"}, InstanceProfile{ARN: profileARN("web")}
	running := func(m InstanceProfile) InstanceProfile {
		m.Running = true
		return m
	}
	tests := map[string]struct {
		modification InstanceProfile
		there        []string
		want         []string
	}{
		"none":            {byName, nil, []string{"Action=AssociateIamInstanceProfile", "InstanceId=" + testID, "IamInstanceProfile.Name=web"}},
		"none, by ARN":    {byARN, nil, []string{"Action=AssociateIamInstanceProfile", "InstanceId=" + testID, "IamInstanceProfile.Arn=" + profileARN("web")}},
		"none, running":   {running(byName), nil, []string{"Action=AssociateIamInstanceProfile", "InstanceId=" + testID, "IamInstanceProfile.Name=web"}},
		"another":         {byName, []string{profileARN("old")}, []string{"Action=DisassociateIamInstanceProfile", "AssociationId=iip-assoc-1"}},
		"another running": {running(byName), []string{profileARN("old")}, []string{"Action=ReplaceIamInstanceProfileAssociation", "AssociationId=iip-assoc-1", "IamInstanceProfile.Name=web"}},
		"another running, by ARN": {running(byARN), []string{profileARN("old")}, []string{
			"Action=ReplaceIamInstanceProfileAssociation", "AssociationId=iip-assoc-1", "IamInstanceProfile.Arn=" + profileARN("web"),
		}},
		"another in a path":    {byName, []string{profileARN("web/old")}, []string{"Action=DisassociateIamInstanceProfile", "AssociationId=iip-assoc-1"}},
		"a longer name":        {byName, []string{profileARN("theweb")}, []string{"Action=DisassociateIamInstanceProfile", "AssociationId=iip-assoc-1"}},
		"the same":             {byName, []string{profileARN("web")}, nil},
		"the same in a path":   {running(byName), []string{profileARN("team/web")}, nil},
		"the same, by ARN":     {running(byARN), []string{profileARN("web")}, nil},
		"the same and another": {running(byARN), []string{profileARN("old"), profileARN("web")}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: func(r request) answer {
				if r.Action == "DescribeIamInstanceProfileAssociations" {
					return ok(associated(test.there...))
				}
				return ok("<R/>")
			}}
			if err := newTestSession(t, f).Modify(t.Context(), testID, test.modification); err != nil {
				t.Fatal(err)
			}
			asked := lines("Action=DescribeIamInstanceProfileAssociations", "Filter.1.Name=instance-id", "Filter.1.Value.1="+testID,
				"Filter.2.Name=state", "Filter.2.Value.1=associating", "Filter.2.Value.2=associated")
			want := []string{asked}
			if test.want != nil {
				want = append(want, lines(test.want...))
			}
			var got []string
			for _, r := range f.requests {
				got = append(got, wire(r))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstanceProfileFails(t *testing.T) {
	const describe = "DescribeIamInstanceProfileAssociations"
	profile := InstanceProfile{Name: "web"}
	tests := map[string]struct {
		modification InstanceProfile
		there        []string
		at           string
		answer       answer
		class        Class
		definite     bool
		calls        []string
	}{
		"read": {
			profile, nil, describe, failure(http.StatusForbidden, "UnauthorizedOperation", "no"), ClassUnauthorized, true, []string{describe},
		},
		"no such profile yet": {
			profile, nil, opAssociateProfile,
			failure(http.StatusBadRequest, "InvalidParameterValue", "Value (web) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name"),
			ClassDependency, true, []string{describe, opAssociateProfile},
		},
		"one is there after all": {
			profile, nil, opAssociateProfile, failure(http.StatusBadRequest, "IncorrectState", "There is an existing association"),
			ClassWrongState, true, []string{describe, opAssociateProfile},
		},
		"replaced meanwhile": {
			InstanceProfile{Name: "web", Running: true}, []string{profileARN("old")}, opReplaceProfile,
			failure(http.StatusBadRequest, "InvalidAssociationID.NotFound", "An invalid association-id of 'iip-assoc-1' was given"),
			ClassNotYetVisible, true, []string{describe, opReplaceProfile},
		},
		"lost while it is associated": {
			profile, nil, opAssociateProfile, failure(http.StatusInternalServerError, "InternalError", "oops"),
			ClassTransient, false, []string{describe, opAssociateProfile},
		},
		"lost while it is replaced": {
			InstanceProfile{Name: "web", Running: true}, []string{profileARN("old")}, opReplaceProfile,
			failure(http.StatusInternalServerError, "InternalError", "oops"), ClassTransient, false, []string{describe, opReplaceProfile},
		},
		"lost while the other is taken away": {
			profile, []string{profileARN("old")}, opDisassociateProfile, failure(http.StatusInternalServerError, "InternalError", "oops"),
			ClassTransient, false, []string{describe, opDisassociateProfile},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := &fakeAWS{answer: func(r request) answer {
				if r.Action == test.at {
					return test.answer
				}
				return ok(associated(test.there...))
			}}
			err := newTestSession(t, f).Modify(t.Context(), testID, test.modification)
			if e := mustError(t, err); e.Op != test.at || e.Class != test.class || e.Definite != test.definite {
				t.Errorf("got %#v", e)
			}
			if got := f.actions(); !slices.Equal(got, test.calls) {
				t.Errorf("sent %v", got)
			}
		})
	}
}

func TestInstanceProfileNamesTheCallThatItIsAbout(t *testing.T) {
	if got := (InstanceProfile{Running: true}).Action(); got != "ReplaceIamInstanceProfileAssociation" {
		t.Errorf("got %s", got)
	}
	if got := (InstanceProfile{}).Action(); got != "AssociateIamInstanceProfile" {
		t.Errorf("got %s", got)
	}
	if (InstanceProfile{}).Matches("") || (InstanceProfile{}).Matches(profileARN("web")) {
		t.Error("no profile matches one")
	}
}
