// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	ec2v1ac "github.com/fieldowner/ec2-operator/applyconfig/api/v1"
)

const (
	alice = client.FieldOwner("alice")
	bob   = client.FieldOwner("bob")
)

var (
	webKey       = types.NamespacedName{Namespace: team, Name: "web"}
	instanceKind = schema.GroupKind{Group: ec2v1.SchemeGroupVersion.Group, Kind: "EC2Instance"}
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestMain compiles what servers share: in a bubble, that would be the bubble's.
func TestMain(m *testing.M) {
	if _, err := New(Options{}); err != nil {
		panic(err)
	}
	m.Run()
}

// story is some of everything, an hour long.
func story(t *testing.T, seed uint64) string {
	t.Helper()
	var out string
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, Options{Seed: seed})
		c := s.Client("operator")
		ctx := t.Context()
		must(t, c.Apply(ctx, webOf("web"), alice))
		time.Sleep(time.Minute)
		for _, value := range []string{"x", "y"} {
			// Four conflicts, of two owners.
			other := webOf("web")
			other.Spec.WithInstanceType("m5.large").WithSubnetID("subnet-01234567")
			other.Spec.Tags[0].WithValue(value)
			other.Spec.Tags[1].WithValue(value)
			if err := c.Apply(ctx, other, bob); !apierrors.IsConflict(err) {
				t.Fatalf("the error is %v", err)
			}
			must(t, c.Apply(ctx, webOf("web"), client.FieldOwner("carol")))
		}
		bad := webOf("bad")
		bad.Spec.WithInstanceType("T3").WithSubnetID("private").WithKeyName("")
		bad.Spec.Image.WithSSMParameter("/x")
		if err := c.Apply(ctx, bad, alice); !apierrors.IsInvalid(err) {
			t.Fatalf("the error is %v", err)
		}
		must(t, c.Create(ctx, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "web-", Namespace: team},
			Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80}}},
		}))
		time.Sleep(time.Hour)
		must(t, c.Status().Apply(ctx, ec2v1ac.EC2Instance("web", team).WithStatus(ec2v1ac.EC2InstanceStatus().WithInstanceID("i-1")), alice))
		must(t, c.Delete(ctx, &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "web"}}))
		out = told(t, s)
	})
	return out
}

// told is all that a server can tell.
func told(t *testing.T, s *Server) string {
	t.Helper()
	var records []string
	for _, r := range s.Records() {
		text := r.Time.String() + " " + r.Verb + " " + r.Key().String() + " " + r.ResourceVersion
		if r.Err != nil {
			text += " " + r.Err.Error()
		}
		records = append(records, text)
	}
	changes, err := json.MarshalIndent(s.Changes(0), "", " ")
	must(t, err)
	return strings.Join(records, "\n") + "\n" + string(changes)
}

func TestTheSameSeedGivesTheSameStory(t *testing.T) {
	want := story(t, 7)
	for range 5 {
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(story(t, 7), "\n")); diff != "" {
			t.Fatalf("another story (-first +later):\n%s", diff)
		}
	}
	if want == story(t, 8) {
		t.Error("another seed gives the same uids")
	}
	if !strings.Contains(want, "2000-01-01") {
		t.Error("time is not the bubble's")
	}
}

func TestVerdicts(t *testing.T) {
	unavailable := apierrors.NewServiceUnavailable("simulated")
	for _, test := range []struct {
		says    string
		verdict Verdict
		want    func(error) bool
		stored  bool
	}{
		{"passes", Verdict{}, func(err error) bool { return err == nil }, true},
		{"refused with a status", Verdict{Refuse: unavailable}, apierrors.IsServiceUnavailable, false},
		{"refused by the connection", Verdict{Refuse: io.EOF}, func(err error) bool { return errors.Is(err, io.EOF) }, false},
		{"answer lost", Verdict{After: func(Record) error { return io.ErrUnexpectedEOF }}, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }, true},
		{"another answer", Verdict{After: func(Record) error { return apierrors.NewTimeoutError("simulated", 0) }}, apierrors.IsTimeout, true},
		{"answer delivered", Verdict{After: func(Record) error { return nil }}, func(err error) bool { return err == nil }, true},
	} {
		t.Run(test.says, func(t *testing.T) {
			var asked []Request
			s := newServer(t, Options{Intercept: func(r Request) Verdict {
				asked = append(asked, r)
				return test.verdict
			}})
			err := s.Client("operator").Apply(t.Context(), webOf("web"), alice, client.ForceOwnership)
			if !test.want(err) {
				t.Errorf("the error is %v", err)
			}
			want := []Request{{User: "operator", Verb: VerbApply, Kind: ec2v1.SchemeGroupVersion.WithKind("EC2Instance"), Namespace: team, Name: "web", Manager: "alice", Force: true}}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Errorf("asked about (-want +got):\n%s", diff)
			}
			if stored := s.Object(instanceKind, webKey) != nil; stored != test.stored {
				t.Errorf("stored: %t", stored)
			}
			records := s.Records()
			if len(records) != 1 || records[0].Changed != test.stored || (records[0].Fault != nil) != (err != nil) || records[0].Err != nil {
				t.Errorf("the records are %+v", records)
			}
		})
	}
}

// TestRetryAfter: client-go waits and tries again by itself.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		s := newServer(t, Options{Intercept: func(Request) Verdict {
			if tries++; tries < 3 {
				return Verdict{Refuse: apierrors.NewTooManyRequests("simulated", 4)}
			}
			return Verdict{}
		}})
		began := time.Now()
		must(t, s.Client("operator").Apply(t.Context(), webOf("web"), alice))
		if took := time.Since(began); tries != 3 || took != 8*time.Second {
			t.Errorf("%d tries took %s", tries, took)
		}
	})
}

func TestACancelledRequestIsNotServed(t *testing.T) {
	s := newServer(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Client("operator").Apply(ctx, webOf("web"), alice); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if s.Object(instanceKind, webKey) != nil {
		t.Error("it was stored")
	}
}

func TestChanges(t *testing.T) {
	s := newServer(t, Options{})
	c, ctx := s.Client("operator"), t.Context()
	start := s.ResourceVersion()
	web := webOf("web").WithFinalizers("example.com/a")
	must(t, c.Apply(ctx, web, alice))
	must(t, c.Delete(ctx, &ec2v1.EC2Instance{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "web"}}))
	must(t, c.Apply(ctx, webOf("web").WithUID(*web.UID), alice))
	var got []string
	for i, change := range s.Changes(start) {
		if change.ResourceVersion != start+int64(i)+1 || change.Object.GetResourceVersion() != versionText(change.ResourceVersion) {
			t.Errorf("change %d is at %d, its object at %s", i, change.ResourceVersion, change.Object.GetResourceVersion())
		}
		got = append(got, string(change.Type)+" "+strings.Join(change.Object.GetFinalizers(), ","))
	}
	want := []string{string(watch.Added) + " example.com/a", string(watch.Modified) + " example.com/a", string(watch.Deleted) + " example.com/a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(s.Changes(s.ResourceVersion())) != 0 {
		t.Error("there are changes after the latest")
	}
}

func TestRead(t *testing.T) {
	s := newServer(t, Options{Namespaces: []string{"other"}})
	c, ctx := s.Client("operator"), t.Context()
	for _, config := range []*ec2v1ac.EC2InstanceApplyConfiguration{webOf("b").WithLabels(map[string]string{"tier": "web"}), webOf("a"), webOf("a").WithNamespace("other").WithLabels(map[string]string{"tier": "web"})} {
		must(t, c.Apply(ctx, config, alice))
	}
	for _, test := range []struct {
		says string
		opts []client.ListOption
		want []string
	}{
		{"all", nil, []string{"other/a", "team/a", "team/b"}},
		{"a namespace", []client.ListOption{client.InNamespace(team)}, []string{"team/a", "team/b"}},
		{"a label", []client.ListOption{client.MatchingLabels{"tier": "web"}}, []string{"other/a", "team/b"}},
		{"a name", []client.ListOption{client.MatchingFields{"metadata.name": "a"}}, []string{"other/a", "team/a"}},
	} {
		t.Run(test.says, func(t *testing.T) {
			instances, metadata := &ec2v1.EC2InstanceList{}, &metav1.PartialObjectMetadataList{}
			metadata.SetGroupVersionKind(ec2v1.SchemeGroupVersion.WithKind("EC2InstanceList"))
			must(t, c.List(ctx, instances, test.opts...))
			must(t, c.List(ctx, metadata, test.opts...))
			var full, bare []string
			for i := range instances.Items {
				full = append(full, client.ObjectKeyFromObject(&instances.Items[i]).String())
			}
			for i := range metadata.Items {
				bare = append(bare, client.ObjectKeyFromObject(&metadata.Items[i]).String())
			}
			if !slices.Equal(full, test.want) || !slices.Equal(bare, test.want) {
				t.Errorf("listed %v and %v, want %v", full, bare, test.want)
			}
		})
	}
	if err := c.Get(ctx, types.NamespacedName{Namespace: team, Name: "c"}, &ec2v1.EC2Instance{}); !apierrors.IsNotFound(err) {
		t.Errorf("the error is %v", err)
	}
	if err := c.Get(ctx, webKey, &corev1.Pod{}); err == nil {
		t.Error("a kind that is not served was found")
	}
}

// TestTheAnswerIsPutIntoTheApplyConfiguration, as by any client.
func TestTheAnswerIsPutIntoTheApplyConfiguration(t *testing.T) {
	s := newServer(t, Options{})
	config := webOf("web")
	must(t, s.Client("operator").Apply(t.Context(), config, alice))
	if config.UID == nil || *config.UID != s.Object(instanceKind, webKey).GetUID() || config.Spec.DeletionPolicy == nil {
		t.Errorf("the configuration is %+v", config)
	}
}

func TestWhatIsHandedOutIsACopy(t *testing.T) {
	s := newServer(t, Options{})
	c := s.Client("operator")
	must(t, c.Apply(t.Context(), webOf("web"), alice))
	s.Object(instanceKind, webKey).Object["spec"] = "spoilt"
	s.Objects(instanceKind)[0].Object["spec"] = "spoilt"
	must(t, c.Get(t.Context(), webKey, &ec2v1.EC2Instance{}))
}

func TestUnknownRequests(t *testing.T) {
	s := newServer(t, Options{})
	for _, test := range []struct {
		method, path string
		want         int
	}{
		{http.MethodGet, "/version", http.StatusNotFound},
		{http.MethodGet, "/apis/apps/v1/deployments", http.StatusNotFound},
		{http.MethodGet, "/api/v1/namespaces/team/configmaps/a/status", http.StatusNotFound},
		{http.MethodDelete, "/api/v1/namespaces/team/configmaps", http.StatusMethodNotAllowed},
		{http.MethodGet, "/api/v1/namespaces?watch=true", http.StatusInternalServerError},
		{http.MethodGet, "/api/v1/namespaces/team", http.StatusOK},
		{http.MethodGet, "/api/v1/namespaces/team/status", http.StatusOK},
		{http.MethodGet, "/api/v1/namespaces/team/configmaps", http.StatusOK},
	} {
		r, err := http.NewRequestWithContext(t.Context(), test.method, "http://simulated"+test.path, nil)
		must(t, err)
		answer, err := s.RESTConfig("somebody").Transport.RoundTrip(r)
		must(t, err)
		if must(t, answer.Body.Close()); answer.StatusCode != test.want {
			t.Errorf("%s %s: %d, want %d", test.method, test.path, answer.StatusCode, test.want)
		}
	}
}
