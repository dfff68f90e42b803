// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

func TestLaunchIntentRoundTrip(t *testing.T) {
	written := &LaunchIntent{
		UID: testUID, Attempt: 7, Token: token(7), Hash: hash, Image: testImage, SSMParameter: "/one", Subnet: "subnet-00000001",
		Region: testRegion, Generation: 3, Groups: []string{groupA}, At: metav1.NewTime(begin), Reason: launchTerminated,
		InstanceType: "t3.small", Holder: testIdentity, Round: 2, Refused: 9,
	}
	text, err := written.encode()
	if err != nil {
		t.Fatal(err)
	}
	in := inputOf(annotated(text))
	read := intentOf(in.Object, testCluster)
	if diff := cmp.Diff(written, read); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	// To the letter, or every pass would write it again.
	again, err := read.encode()
	if err != nil || again != text {
		t.Errorf("encoded again it is %s (%v), was %s", again, err, text)
	}
	if intentOf(in.Object, "another-cluster") != nil {
		t.Error("it holds in another cluster")
	}
	if intentOf(testObject(), testCluster) != nil {
		t.Error("it holds where there is none")
	}
}

// A running operator may have written what its successor reads.
func TestLaunchIntentFormat(t *testing.T) {
	i := LaunchIntent{UID: testUID, Attempt: 1, Token: "t", Hash: "h", Image: "ami-1", Region: testRegion, At: metav1.NewTime(begin), Reason: launchCreated}
	got, err := i.encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"uid":"` + testUID + `","attempt":1,"token":"t","hash":"h","image":"ami-1","region":"eu-central-1","at":"2026-03-01T12:00:00Z","reason":"Created"}`
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if !json.Valid([]byte(got)) {
		t.Error("no JSON")
	}
}

// The attempt is read from the object, which its users can edit: it must not cost more than others.
func TestTokensAreDerivedAroundAnyAttempt(t *testing.T) {
	const greatest = int64(^uint64(0) >> 1)
	for _, attempt := range []int64{0, 1, attemptsAround, 1000, greatest - 1, greatest} {
		tokens := tokensOf(testCluster, testObject(), attempt)
		if len(tokens) > 2*attemptsAround+1 {
			t.Errorf("attempt %d: %d tokens", attempt, len(tokens))
		}
		if attempt > 0 && tokens[token(attempt)] != attempt {
			t.Errorf("attempt %d is not among its own", attempt)
		}
	}
}

// behind reads as a cache does that has one object as it was.
type behind struct {
	client.Reader
	was *ec2v1.EC2Instance
}

func (b behind) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if out, ok := obj.(*ec2v1.EC2Instance); ok {
		b.was.DeepCopyInto(out)
		return nil
	}
	return b.Reader.Get(ctx, key, obj, opts...)
}

// intends leaves an intent that is written and not launched, with an operator that has seen that EC2 has nothing, and whose
// cache stays as it is then.
func (r *rig) intends() {
	r.Helper()
	r.ec2.refuse = &cloud.Error{Op: "RunInstances", Class: cloud.ClassTransient, Message: "cut off", Definite: true}
	obj := r.until("the intent is written", func(o *ec2v1.EC2Instance) bool { return o.Annotations[ec2v1.AnnotationLaunch] != "" })
	r.ec2.set(func() { r.ec2.refuse, r.ec2.calls = nil, nil })
	r.restart()
	r.operator.Reader = behind{r.operator.Reader, obj}
	view := r.operator.Observer.Track(testScope, r.ec2, time.Minute)
	for !view.Synced() {
		<-r.news
	}
}

// update writes what was edited by hand.
func (r *rig) update(obj *ec2v1.EC2Instance) {
	r.Helper()
	if err := r.client.Update(r.Context(), obj, client.FieldOwner("user")); err != nil {
		r.Fatal(err)
	}
}

// vanish has the object go at once, and returns what it was.
func (r *rig) vanish() *ec2v1.EC2Instance {
	r.Helper()
	obj := r.get()
	obj.Finalizers = nil
	r.update(obj)
	r.delete()
	return obj
}

// remake makes another object of the same name.
func (r *rig) remake(change func(*ec2v1.EC2Instance)) {
	r.Helper()
	obj := r.vanish()
	obj.ResourceVersion = ""
	change(obj)
	if err := r.client.Create(r.Context(), obj, client.FieldOwner("user")); err != nil {
		r.Fatal(err)
	}
}

// A launch that is repeated asks the API server whether the object is there and still means it: the cache may be of
// another time.
func TestALaunchIsRepeatedOnlyWhileItIsIntended(t *testing.T) {
	tests := map[string]struct {
		change func(*rig)
		calls  []string
		err    error
	}{
		"the object is the same":       {change: func(*rig) {}, calls: []string{"Launch " + token(1)}},
		"somebody has edited its spec": {change: func(r *rig) { r.edit(func(s *ec2v1.EC2InstanceSpec) { s.KeyName = "ops" }) }},
		"it is being deleted":          {change: (*rig).delete},
		"it is gone":                   {change: func(r *rig) { r.vanish() }},
		"another one bears its name":   {change: func(r *rig) { r.remake(func(o *ec2v1.EC2Instance) { o.UID = otherUID }) }},
		"it was restored without one":  {change: func(r *rig) { r.remake(func(o *ec2v1.EC2Instance) { o.Annotations = nil }) }},
		"another attempt is intended":  {change: func(r *rig) { r.update(inputOf(func(in *Input) { in.Object = r.get() }, intent(2)).Object) }},
		"the API server does not answer": {
			change: func(r *rig) {
				r.operator.Live = interceptor.NewClient(r.client, interceptor.Funcs{
					Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
						return errBroken
					},
				})
			},
			err: errBroken,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.intends()
				test.change(r)
				if _, err := r.reconcile(); !errors.Is(err, test.err) {
					r.Errorf("got %v, want %v", err, test.err)
				}
				r.expectCalls(test.calls...)
			})
		})
	}
}
