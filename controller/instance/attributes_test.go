// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// bootSecret is the Secret with user data, with these bytes.
func bootSecret(data []byte) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "boot"}, Data: map[string][]byte{"script": data},
	}
}

func fromSecret(s *ec2v1.EC2InstanceSpec) {
	s.UserData = &ec2v1.UserData{SecretKeyRef: &ec2v1.KeyReference{Name: "boot", Key: "script"}}
	s.UpdatePolicy.Allow = ec2v1.UpdateStopStart
}

// stoppedFor edits an instance that runs so that it is stopped for its user data, which EC2 has another one of.
func (r *rig) stoppedFor(edit func(*ec2v1.EC2InstanceSpec)) {
	r.Helper()
	r.ec2.set(func() { r.ec2.unlisted.modify(instanceID(1), cloud.NewUserData([]byte("old"))) })
	r.edit(edit)
	r.until("it is stopped for its user data", func(o *ec2v1.EC2Instance) bool { return o.Status.State == string(cloud.StateStopping) })
	r.ec2.becomes(instanceID(1), cloud.StateStopped)
	r.ec2.taken()
}

func (r *rig) mustWrite(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// User data that is gone, or that EC2 cannot take, when an instance has been stopped for it does not keep it stopped.
func TestUserDataThatIsGoneKeepsNoInstanceStopped(t *testing.T) {
	missing := func(r *rig) { r.mustWrite(r.client.Delete(r.Context(), bootSecret(nil))) }
	large := func(r *rig) {
		r.mustWrite(r.client.Update(r.Context(), bootSecret(bytes.Repeat([]byte("x"), maxUserData+1))))
	}
	for name, test := range map[string]struct {
		atLaunch bool
		happens  func(*rig)
		ready    string
	}{
		"the bytes were changed, and the Secret is deleted": {true, missing, ec2v1.ReasonRunning},
		"the bytes were changed twice":                      {true, large, ec2v1.ReasonRunning},
		"spec names another Secret, which is deleted":       {false, missing, ec2v1.ReasonDependencyNotReady},
		"spec names another Secret, which grows":            {false, large, ec2v1.ReasonDependencyNotReady},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.mustWrite(r.client.Create(r.Context(), bootSecret([]byte("new"))))
				if test.atLaunch {
					r.edit(fromSecret)
				}
				r.run()
				r.stoppedFor(fromSecret)
				test.happens(r)
				r.until("it is started", func(o *ec2v1.EC2Instance) bool { return o.Status.State == string(cloud.StatePending) })
				r.expectCalls("Start " + instanceID(1))
				r.ec2.becomes(instanceID(1), cloud.StateRunning)
				r.until("it runs, and says how it is", readyIs(test.ready))
				if !slices.ContainsFunc(r.events, func(e string) bool {
					return strings.HasPrefix(e, ec2v1.ReasonUserDataNotFound+`: Not updating userData: spec.userData.secretKeyRef: Secret "boot"`)
				}) {
					r.Errorf("it is not told: %q", r.events)
				}
			})
		})
	}
}

// An operator that dies between the stop and the change is followed by one that makes the change.
func TestAStopForAChangedSecretIsCarriedThroughByTheNextProcess(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.mustWrite(r.client.Create(r.Context(), bootSecret([]byte("new"))))
		r.edit(fromSecret)
		r.run()
		// No edit: what is found differs at the reading of each hour.
		r.ec2.set(func() { r.ec2.unlisted.modify(instanceID(1), cloud.NewUserData([]byte("old"))) })
		for range 120 {
			time.Sleep(time.Minute)
			if _, err := r.reconcile(); err != nil {
				r.Fatal(err)
			}
			if r.get().Status.State == string(cloud.StateStopping) {
				break
			}
		}
		r.ec2.taken()
		r.ec2.becomes(instanceID(1), cloud.StateStopped)
		r.restart()
		r.until("it is started", func(o *ec2v1.EC2Instance) bool { return o.Status.State == string(cloud.StatePending) })
		if calls := r.ec2.taken(); len(calls) != 2 || !strings.HasPrefix(calls[0], "Modify") || calls[1] != "Start "+instanceID(1) {
			r.Errorf("called %q", calls)
		}
	})
}
