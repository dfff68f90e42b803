// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import "io"

// Options say what kind of cluster to start. The zero value is a good one.
type Options struct {
	// AssetsDir holds the programs: etcd, kube-apiserver,
	// kube-controller-manager and kubectl. When empty, the environment variable
	// KUBEBUILDER_ASSETS names it, and when that is empty too it is
	// bin/controlplane in the module that the working directory belongs to.
	AssetsDir string

	// DataDir takes everything the cluster writes: etcd's data, certificates,
	// kubeconfigs and logs. It must be empty or not exist yet. When empty, it is
	// a new folder in the system's temporary folder.
	DataDir string

	// KeepData leaves the data folder in place on Stop, to look at the logs.
	KeepData bool

	// CRDs are folders or files of CustomResourceDefinitions to install before
	// the controllers start. Prefer it to InstallCRDs: the garbage collector
	// knows the types from its start, while it finds out about later ones only
	// every 30 seconds.
	CRDs []string

	// Audit has the API server record every request; see Cluster.Requests.
	Audit bool

	// WithoutControllers leaves kube-controller-manager out. The cluster starts
	// faster and does without that program, but owned objects are not collected,
	// a deleted namespace stays, a new one gets no default ServiceAccount, and
	// aggregated ClusterRoles stay empty.
	WithoutControllers bool

	// PluginDir holds kubectl plugins: kubectl finds them there before it looks
	// in PATH.
	PluginDir string

	// Log receives a line for each step of the start and of the stop, for people
	// who wait. Nil: none.
	Log io.Writer
}
