// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package cluster starts and stops a real Kubernetes control plane on this
// machine: etcd, kube-apiserver and kube-controller-manager, with RBAC on and
// owned objects garbage collected, but without nodes. Test suites and the
// playground run the operator against it.
//
// A package of tests shares one cluster, which costs it the start once:
//
//	var shared *cluster.Cluster
//
//	func TestMain(m *testing.M) {
//		options := cluster.Options{CRDs: []string{"../../config/crd"}, Audit: true}
//		os.Exit(cluster.Main(m, options, func(c *cluster.Cluster) { shared = c }))
//	}
//
// The programs come from `make controlplane`, or from a folder that
// KUBEBUILDER_ASSETS names.
package cluster
