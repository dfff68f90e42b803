// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/fieldowner/ec2-operator/test/ec2sim"
)

// A test plays the user, and may use the simulator.
func TestWrite(t *testing.T) {
	ec2sim.Start()

	if err := fake.NewClientBuilder().Build().Create(t.Context(), &corev1.ConfigMap{}); err != nil {
		t.Fatal(err)
	}
}
