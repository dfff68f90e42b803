// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGuideCanBePasted(t *testing.T) {
	got, err := guide(place{
		Root:        "/home/a user/ec2-operator",
		Kubeconfig:  "/home/a user/ec2-operator/.playground/run/control-plane/kubeconfig",
		Kubectl:     "/home/a user/ec2-operator/bin/controlplane/kubectl",
		Plugins:     "/home/a user/ec2-operator/bin",
		ControlURL:  "http://127.0.0.1:4566/_ec2sim/",
		OperatorLog: "/home/a user/ec2-operator/.playground/run/operator.log",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `
Everything is ready. In another terminal:

  cd '/home/a user/ec2-operator'
  export KUBECONFIG='/home/a user/ec2-operator/.playground/run/control-plane/kubeconfig'
  export PATH='/home/a user/ec2-operator/bin/controlplane':'/home/a user/ec2-operator/bin':$PATH    # the kubectl of this control plane, and kubectl ec2

  kubectl apply --server-side -k config/samples    # three instances
  kubectl get ec2i -o wide --watch                 # see them come up
  kubectl ec2 owners ec2i/web                      # who owns which field
  kubectl delete ec2i --all                        # terminates them

The simulated EC2, behind the operator's back:

  curl http://127.0.0.1:4566/_ec2sim/instances
  curl -X POST http://127.0.0.1:4566/_ec2sim/instances/ID/terminate    # see it come back

The operator's log: /home/a user/ec2-operator/.playground/run/operator.log
Ctrl-C stops everything and removes what it has written.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Guide differs (-want +got):\n%s", diff)
	}
}
