// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// sekrit must appear nowhere.
const sekrit = "sekrit"

func secretWith(data []byte) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "boot", UID: "5ec4e700-0000-4000-8000-000000000001", ResourceVersion: "41"},
		Data:       map[string][]byte{"init": data},
	}
}

func configMapWith(text string, binary []byte) *corev1.ConfigMap {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "boot"}}
	if text != "" {
		c.Data = map[string]string{"init": text}
	}
	if binary != nil {
		c.BinaryData = map[string][]byte{"init": binary}
	}
	return c
}

func TestUserData(t *testing.T) {
	fromSecret := &ec2v1.UserData{SecretKeyRef: &ec2v1.KeyReference{Name: "boot", Key: "init"}}
	fromConfig := &ec2v1.UserData{ConfigMapKeyRef: &ec2v1.KeyReference{Name: "boot", Key: "init"}}
	binary := []byte{0x1f, 0x8b, 0x00, 0xff}
	full := bytes.Repeat([]byte("x"), maxUserData)
	elsewhere := secretWith([]byte(sekrit))
	elsewhere.Namespace = "other"
	r := func(live ...client.Object) *Reconciler { return &Reconciler{Live: newFakeClient(live...)} }
	tests := map[string]struct {
		live     *Reconciler
		userData *ec2v1.UserData
		want     []byte
		// says what is wrong, naming field, object and way out.
		says []string
	}{
		"none":                       {live: r()},
		"of no kind":                 {live: r(), userData: &ec2v1.UserData{}},
		"inline":                     {live: r(), userData: &ec2v1.UserData{Inline: "#!/bin/sh\n"}, want: []byte("#!/bin/sh\n")},
		"from a Secret":              {live: r(secretWith([]byte(sekrit))), userData: fromSecret, want: []byte(sekrit)},
		"bytes from a Secret":        {live: r(secretWith(binary)), userData: fromSecret, want: binary},
		"empty in a Secret":          {live: r(secretWith([]byte{})), userData: fromSecret, want: []byte{}},
		"as much as EC2 takes":       {live: r(secretWith(full)), userData: fromSecret, want: full},
		"text from a ConfigMap":      {live: r(configMapWith("text", nil)), userData: fromConfig, want: []byte("text")},
		"bytes from a ConfigMap":     {live: r(configMapWith("", binary)), userData: fromConfig, want: binary},
		"from a Secret that is gone": {live: r(), userData: fromSecret, says: []string{"spec.userData.secretKeyRef", `Secret "boot"`, "create it"}},
		"from a Secret of another namespace": {
			live: r(elsewhere), userData: fromSecret, says: []string{"spec.userData.secretKeyRef", "in this namespace"},
		},
		"from a key that is not there": {
			live:     r(secretWith([]byte(sekrit))),
			userData: &ec2v1.UserData{SecretKeyRef: &ec2v1.KeyReference{Name: "boot", Key: "other"}},
			says:     []string{"spec.userData.secretKeyRef", `key "other"`, "add it"},
		},
		"more than EC2 takes": {
			live: r(secretWith(bytes.Repeat([]byte(sekrit), 4000))), userData: fromSecret,
			says: []string{"spec.userData.secretKeyRef", "24000 bytes", "16384"},
		},
		"from a ConfigMap that is gone": {live: r(), userData: fromConfig, says: []string{"spec.userData.configMapKeyRef", `ConfigMap "boot"`}},
		"from a ConfigMap without the key": {
			live: r(configMapWith("", nil)), userData: fromConfig, says: []string{"spec.userData.configMapKeyRef", `key "init"`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			obj := testObject()
			obj.Spec.UserData = test.userData
			got, problem, err := test.live.userData(t.Context(), obj)
			if err != nil {
				t.Fatal(err)
			}
			if len(test.says) == 0 {
				if problem != nil || !bytes.Equal(got.Bytes, test.want) {
					t.Errorf("got %q, %+v", got.Bytes, problem)
				}
				return
			}
			if problem == nil || problem.Reason != ec2v1.ReasonUserDataNotFound || problem.After != userDataAgain || got.Bytes != nil {
				t.Fatalf("got %q, %+v", got.Bytes, problem)
			}
			for _, part := range test.says {
				if !strings.Contains(problem.Message, part) {
					t.Errorf("%q does not say %q", problem.Message, part)
				}
			}
			if strings.Contains(problem.Message, sekrit) {
				t.Errorf("%q holds the data", problem.Message)
			}
		})
	}
	broken := &Reconciler{Live: brokenReader{}}
	obj := testObject()
	for _, u := range []*ec2v1.UserData{fromSecret, fromConfig} {
		obj.Spec.UserData = u
		if _, _, err := broken.userData(t.Context(), obj); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
	}
}

// resolver is a session that resolves images and launch templates only.
type resolver struct {
	cloud.Session
	images    map[string]string
	templates map[cloud.TemplateRef]string
	err       error
	asked     int
}

func (r *resolver) ResolveTemplate(_ context.Context, t cloud.TemplateRef) (cloud.Template, error) {
	r.asked++
	return cloud.Template{Version: r.templates[t]}, r.err
}

func (r *resolver) ResolveImage(_ context.Context, name string) (string, error) {
	r.asked++
	return r.images[name], r.err
}

func TestPrepare(t *testing.T) {
	in := inputOf(spec(func(s *ec2v1.EC2InstanceSpec) {
		s.Image = ec2v1.Image{SSMParameter: "/one"}
		s.UserData = &ec2v1.UserData{SecretKeyRef: &ec2v1.KeyReference{Name: "boot", Key: "init"}}
	}))
	r := &Reconciler{Live: newFakeClient(secretWith([]byte(sekrit)))}
	session := &resolver{images: map[string]string{"/one": "ami-first"}}
	prepare := func(in Input) Input {
		t.Helper()
		if err := r.prepare(t.Context(), &in, session, candidate{}); err != nil {
			t.Fatal(err)
		}
		return in
	}
	first := prepare(in)
	if first.Prepared == nil || first.Prepared.Parameters.ImageID != "ami-first" || string(first.Prepared.Parameters.UserData) != sekrit {
		t.Fatalf("got %+v, %+v", first.Prepared, first.PrepareError)
	}
	// The parameter moves on. What the intent has resolved stays, to the letter.
	session.images["/one"] = "ami-second"
	written := allOf(intent(1, func(i *LaunchIntent) { i.Image, i.SSMParameter = "ami-first", "/one" }))
	again := in
	again.Object = in.Object.DeepCopy()
	written(&again)
	asked := session.asked
	if got := prepare(again); got.Prepared == nil || got.Prepared.Hash != first.Prepared.Hash || session.asked != asked {
		t.Errorf("a repetition is %+v after %d questions", got.Prepared, session.asked-asked)
	}
	// The next attempt asks again.
	again.Memory.Terminated = token(1)
	if got := prepare(again); got.Prepared == nil || got.Prepared.Parameters.ImageID != "ami-second" {
		t.Errorf("the next attempt is %+v", got.Prepared)
	}
	// Another parameter is asked for, too.
	session.images["/two"] = "ami-two"
	again.Memory.Terminated = ""
	again.Object.Spec.Image.SSMParameter = "/two"
	if got := prepare(again); got.Prepared == nil || got.Prepared.Parameters.ImageID != "ami-two" {
		t.Errorf("after an edit it is %+v", got.Prepared)
	}
}

func TestPrepareFromATemplate(t *testing.T) {
	session := &resolver{templates: map[cloud.TemplateRef]string{
		{Name: "web"}:                    "3",
		{ID: "lt-1", Version: "$Latest"}: "7",
	}}
	for _, test := range []struct {
		template ec2v1.LaunchTemplate
		want     string
		asked    int
	}{
		{ec2v1.LaunchTemplate{Name: "web"}, "3", 1},
		{ec2v1.LaunchTemplate{ID: "lt-1", Version: "$Latest"}, "7", 1},
		// A number is what it is.
		{ec2v1.LaunchTemplate{ID: "lt-1", Version: "5"}, "5", 0},
	} {
		session.asked = 0
		in := inputOf(
			spec(func(s *ec2v1.EC2InstanceSpec) {
				s.LaunchTemplate, s.Image, s.InstanceType = &test.template, ec2v1.Image{}, ""
			}),
			// What the last attempt was launched from is not taken for what another template has.
			intent(1, func(i *LaunchIntent) { i.Template, i.TemplateVersion = "lt-2@", "9" }),
		)
		if err := (&Reconciler{Live: newFakeClient()}).prepare(t.Context(), &in, session, candidate{}); err != nil {
			t.Fatal(err)
		}
		if in.Prepared == nil || in.Prepared.Parameters.LaunchTemplateVersion != test.want || session.asked != test.asked {
			t.Fatalf("%+v: got %+v after %d questions", test.template, in.Prepared, session.asked)
		}
		if p := in.Prepared.Parameters; p.ImageID != "" || p.InstanceType != "" {
			t.Errorf("%+v: image %q and type %q are not left to the template", test.template, p.ImageID, p.InstanceType)
		}
	}
}

// What an alias stood for when the launch was decided, it stands for when that is repeated.
func TestPrepareRepeatsTheTemplatesVersion(t *testing.T) {
	session := &resolver{}
	in := inputOf(
		spec(func(s *ec2v1.EC2InstanceSpec) {
			s.LaunchTemplate = &ec2v1.LaunchTemplate{Name: "web", Version: "$Latest"}
		}),
		intent(1, func(i *LaunchIntent) { i.Template, i.TemplateVersion = "web@$Latest", "9" }),
	)
	if err := (&Reconciler{Live: newFakeClient()}).prepare(t.Context(), &in, session, candidate{}); err != nil {
		t.Fatal(err)
	}
	if in.Prepared == nil || in.Prepared.Parameters.LaunchTemplateVersion != "9" || session.asked != 0 {
		t.Errorf("got %+v after %d questions", in.Prepared, session.asked)
	}
}

func TestPrepareFails(t *testing.T) {
	fromTemplate := inputOf(spec(func(s *ec2v1.EC2InstanceSpec) { s.LaunchTemplate = &ec2v1.LaunchTemplate{Name: "web"} }))
	missing := &resolver{err: failureOf(cloud.ClassDependency)}
	if err := (&Reconciler{Live: newFakeClient()}).prepare(t.Context(), &fromTemplate, missing, candidate{}); err != nil {
		t.Fatal(err)
	}
	if e := fromTemplate.PrepareError; fromTemplate.Prepared != nil || e == nil || e.Reason != ec2v1.ReasonDependencyNotReady {
		t.Errorf("without the template it is %+v, %+v", fromTemplate.Prepared, e)
	}

	byParameter := spec(func(s *ec2v1.EC2InstanceSpec) { s.Image = ec2v1.Image{SSMParameter: "/one"} })
	r := &Reconciler{Live: newFakeClient()}
	throttled := failureOf(cloud.ClassThrottled)
	throttled.RetryAfter = time.Hour
	in := inputOf(byParameter)
	if err := r.prepare(t.Context(), &in, &resolver{err: fmt.Errorf("resolving: %w", throttled)}, candidate{}); err != nil {
		t.Fatal(err)
	}
	if in.Prepared != nil || in.PrepareError == nil || in.PrepareError.Call != throttled || in.PrepareError.After < time.Hour {
		t.Errorf("got %+v, %+v", in.Prepared, in.PrepareError)
	}
	in = inputOf(spec(func(s *ec2v1.EC2InstanceSpec) {
		s.UserData = &ec2v1.UserData{SecretKeyRef: &ec2v1.KeyReference{Name: "boot", Key: "init"}}
	}))
	if err := r.prepare(t.Context(), &in, &resolver{}, candidate{}); err != nil {
		t.Fatal(err)
	}
	if in.Prepared != nil || in.PrepareError == nil || in.PrepareError.Reason != ec2v1.ReasonUserDataNotFound {
		t.Errorf("got %+v, %+v", in.Prepared, in.PrepareError)
	}
	r.Live = brokenReader{}
	if err := r.prepare(t.Context(), &in, &resolver{}, candidate{}); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

// Whatever wakes the object, AWS is asked again only when the pause after the failure is over, and the pauses grow.
func TestPrepareGivesAFailureTime(t *testing.T) {
	for name, given := range map[string]given{
		"image":    spec(func(s *ec2v1.EC2InstanceSpec) { s.Image = ec2v1.Image{SSMParameter: "/one"} }),
		"template": spec(func(s *ec2v1.EC2InstanceSpec) { s.LaunchTemplate = &ec2v1.LaunchTemplate{Name: "web"} }),
	} {
		t.Run(name, func(t *testing.T) {
			session := &resolver{err: failureOf(cloud.ClassTransient)}
			in := inputOf(given)
			for _, step := range []struct {
				passes time.Duration
				asked  int
				after  time.Duration
			}{
				{0, 1, time.Second}, {400 * time.Millisecond, 1, 600 * time.Millisecond}, {600 * time.Millisecond, 2, 2 * time.Second},
				{time.Second, 2, time.Second}, {time.Second, 3, 4 * time.Second},
			} {
				in.Now, in.PrepareError = in.Now.Add(step.passes), nil
				if err := (&Reconciler{Live: newFakeClient()}).prepare(t.Context(), &in, session, candidate{}); err != nil {
					t.Fatal(err)
				}
				if in.PrepareError == nil || in.PrepareError.After != step.after || session.asked != step.asked {
					t.Fatalf("asked %d times, and got %+v; want %+v", session.asked, in.PrepareError, step)
				}
			}
			session.err = nil
			in.Now, in.PrepareError = in.Now.Add(4*time.Second), nil
			if err := (&Reconciler{Live: newFakeClient()}).prepare(t.Context(), &in, session, candidate{}); err != nil || in.Prepared == nil || len(in.Memory.Calls) != 0 {
				t.Errorf("got %v, %+v, and remembers %v", err, in.PrepareError, in.Memory.Calls)
			}
		})
	}
}

// A candidate takes the place of spec's own type and subnet, in what EC2 is told and in the hash, and of nothing else.
func TestPrepareForACandidate(t *testing.T) {
	of := func(c candidate) *Prepared {
		in := inputOf(falling)
		before := snapshot(t, in)
		if err := (&Reconciler{Live: newFakeClient()}).prepare(t.Context(), &in, &resolver{}, c); err != nil {
			t.Fatal(err)
		}
		out := in.Prepared
		if in.Prepared = nil; snapshot(t, in) != before {
			t.Error("the input was changed")
		}
		return out
	}
	preferred, other := of(microA), of(smallB)
	p := other.Parameters
	if other.Candidate != smallB || p.InstanceType != smallB.Type || p.SubnetID != smallB.Subnet || other.Hash == preferred.Hash {
		t.Errorf("prepared %+v", other)
	}
	p.InstanceType, p.SubnetID = microA.Type, microA.Subnet
	if diff := cmp.Diff(preferred.Parameters, p); diff != "" {
		t.Errorf("(-%s +%s):\n%s", microA, smallB, diff)
	}
}
