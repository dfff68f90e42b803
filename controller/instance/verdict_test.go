// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/fieldowner/ec2-operator/controller/cloud"
)

// What status still tells of the instance of an earlier attempt is no launch of this one: EC2 has long forgotten it.
func TestLaunchedIsOfThisAttempt(t *testing.T) {
	for name, test := range map[string]struct {
		attempt int64
		want    metav1.ConditionStatus
	}{
		"the instance that is recorded is of this attempt":      {1, metav1.ConditionTrue},
		"the instance that is recorded is of the one before it": {2, metav1.ConditionFalse},
	} {
		t.Run(name, func(t *testing.T) {
			in := inputOf(intent(test.attempt), recordedInStatus(1), after(long))
			failure := &cloud.Error{Class: cloud.ClassInvalid, Message: "no"}
			if got := learn(in).waiting("Launching", "Launching").failed(failure).Launched; got.Status != test.want {
				t.Errorf("Launched is %+v", got)
			}
		})
	}
}
