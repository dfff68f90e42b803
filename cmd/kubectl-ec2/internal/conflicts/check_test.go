// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package conflicts

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/fieldowner/ec2-operator/cmd/kubectl-ec2/internal/cli"
)

var instances = schema.GroupResource{Group: "ec2.fieldowner.dev", Resource: "ec2instances"}

func TestCheck(t *testing.T) {
	noNamespace := apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "shop")
	otherUID := apierrors.NewInvalid(schema.GroupKind{Kind: "EC2Instance"}, "web",
		field.ErrorList{field.Invalid(field.NewPath("metadata", "uid"), "u", "field is immutable")})
	stale := apierrors.NewConflict(instances, "web", errors.New("the object has been modified"))
	managed := apierrors.NewBadRequest("metadata.managedFields must be nil")
	for _, test := range []struct {
		name, manifest string
		server         fakeServer
		want           outcome
		err            string
	}{
		{"the API server agrees", wanted, fakeServer{live: parse(t, live)}, noConflicts, ""},
		{"there is no such object", wanted, fakeServer{}, wouldBeCreated, ""},
		{"others own fields", wanted, contested(t), inConflict, ""},
		{"without a name", strings.Replace(wanted, "name: web", "generateName: web-", 1), fakeServer{}, failed, "an apply needs metadata.name"},
		{"the namespace is missing", wanted, fakeServer{refusal: noNamespace}, failed, "(create the namespace first: kubectl create namespace shop)"},
		{"an old resourceVersion", strings.Replace(wanted, "name: web", `resourceVersion: "3", name: web`, 1), fakeServer{refusal: stale}, failed,
			"(remove metadata.resourceVersion from the file"},
		{"another object's uid", strings.Replace(wanted, "name: web", `uid: u, name: web`, 1), fakeServer{refusal: otherUID}, failed,
			"(remove metadata.uid from the file"},
		{"the uid of an object that is gone", strings.Replace(wanted, "name: web", `uid: u, name: web`, 1), fakeServer{refusal: stale}, failed,
			"(remove metadata.uid from the file"},
		{"managedFields in the file", strings.Replace(wanted, "name: web", "name: web, managedFields: []", 1), fakeServer{refusal: managed}, failed,
			"(remove metadata.managedFields from the file)"},
		{"no right to patch", wanted, fakeServer{refusal: apierrors.NewForbidden(instances, "web", errors.New("no"))}, failed,
			"(a dry run needs the right to patch, and for a new object to create)"},
		{"another refusal", wanted, fakeServer{refusal: apierrors.NewInternalError(errors.New("broken"))}, failed, "broken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := checker{manager: defaultManager}
			f := c.check(manifest{object: parse(t, test.manifest), server: test.server})
			if f.outcome != test.want {
				t.Errorf("got %s, want %s", f.outcome, test.want)
			}
			if (f.err == nil) != (test.err == "") || (f.err != nil && !strings.Contains(f.err.Error(), test.err)) {
				t.Errorf("got the error %v", f.err)
			}
			if (len(f.conflicts) > 0) != (test.want == inConflict) {
				t.Errorf("got the conflicts %v", f.conflicts)
			}
		})
	}
}

func TestANamespaceThatWouldBeCreatedIsEmpty(t *testing.T) {
	refusing := fakeServer{refusal: apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "shop")}
	namespace := manifest{object: parse(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}"), server: fakeServer{}}
	instance := manifest{object: parse(t, wanted), server: refusing}
	var got []outcome
	c := checker{manager: defaultManager}
	for _, m := range []manifest{instance, namespace, instance} {
		got = append(got, c.check(m).outcome)
	}
	// The apply goes in the order of the files, so that the first one would fail there too.
	if diff := cmp.Diff([]outcome{failed, wouldBeCreated, wouldBeCreated}, got); diff != "" {
		t.Errorf("The outcomes differ (-want +got):\n%s", diff)
	}
}

// Who may apply a kind but not read it still learns of the conflicts.
func TestConflictsWithAnObjectThatCannotBeRead(t *testing.T) {
	s := contested(t)
	s.live, s.unread = nil, apierrors.NewForbidden(instances, "web", errors.New("no"))
	c := checker{manager: defaultManager}
	f := c.check(manifest{object: parse(t, wanted), server: s})
	if f.outcome != inConflict || len(f.conflicts) != 2 || len(f.owners()) != 2 {
		t.Errorf("got %s with %v", f.outcome, f.conflicts)
	}
	var text strings.Builder
	writeConflicts(&text, &f, (&cli.Env{}).Painter())
	writeWays(&text, f.ways(defaultManager, nil))
	if got := text.String(); !strings.Contains(got, "theirs    (not known)") || strings.Contains(got, "null") {
		t.Errorf("got:\n%s", got)
	}
}

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		name     string
		outcomes []outcome
		err      error
		want     int
	}{
		{"nothing to say", []outcome{noConflicts, wouldBeCreated}, nil, cli.ExitOK},
		{"no objects", nil, nil, cli.ExitOK},
		{"conflicts", []outcome{noConflicts, inConflict}, nil, cli.ExitConflicts},
		{"a refusal", []outcome{failed, noConflicts}, nil, cli.ExitError},
		{"a refusal and conflicts", []outcome{inConflict, failed}, nil, cli.ExitError},
		{"a file that cannot be read, and conflicts", []outcome{inConflict}, errors.New("no YAML"), cli.ExitError},
	} {
		t.Run(test.name, func(t *testing.T) {
			var found []finding
			for _, o := range test.outcomes {
				found = append(found, finding{outcome: o})
			}
			got := cli.ExitOK
			if code, ok := errors.AsType[*cli.CodeError](exit(found, test.err)); ok {
				got = code.Code
			}
			if got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

// A NotFound of another kind is not the namespace's.
func TestOnlyANamespaceIsAMissingNamespace(t *testing.T) {
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
	for _, err := range []error{nil, errors.New("namespaces"), apierrors.NewNotFound(instances, "web"), &apierrors.StatusError{ErrStatus: status}} {
		if lacksNamespace(err) {
			t.Errorf("%v", err)
		}
	}
}
