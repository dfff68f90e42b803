// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Command controlplane is etcd, kube-apiserver, kube-controller-manager and
// kubectl in one binary. It acts as the program it was called as, so a folder
// with four links to it is what envtest knows as KUBEBUILDER_ASSETS. Sharing
// one binary halves both the build time and the size: the four programs have
// most of their packages in common.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	_ "time/tzdata" // time zones of CronJobs, where the machine has none

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // the servers' metrics
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"

	"github.com/fieldowner/ec2-operator/test/controlplane/parentwatch"
)

// programs maps the name the binary was called as to what it then does. None
// of them returns before the program is over.
var programs = map[string]func(){
	"etcd": func() {
		parentwatch.Start()
		etcdmain.Main(os.Args)
	},
	"kube-apiserver": func() {
		parentwatch.Start()
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	},
	"kube-controller-manager": func() {
		parentwatch.Start()
		os.Exit(cli.Run(controllermanager.NewControllerManagerCommand()))
	},
	"kubectl": runKubectl,
}

func main() {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	program, ok := programs[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "controlplane: called as %q; call it through a link named etcd, kube-apiserver, kube-controller-manager or kubectl\n", name)
		os.Exit(2)
	}
	program()
}
