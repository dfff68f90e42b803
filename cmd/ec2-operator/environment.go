// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// defaultWorkers keeps RunInstances' allowance (5 at once, 2 a second) busy while some workers wait for
	// answers of a second, and is few enough for a start with 100,000 objects to stay small.
	defaultWorkers = 10

	// defaultNamespace is where config/default puts the operator.
	defaultNamespace = "ec2-operator-system"
)

func namespaceFromEnvironment() string {
	return cmp.Or(os.Getenv("POD_NAMESPACE"), defaultNamespace)
}

// restConfig reads the kubeconfig as kubectl does, and falls back to the pod's ServiceAccount.
func restConfig(path string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("finding the API server: %w (--kubeconfig or KUBECONFIG names a kubeconfig; a pod needs its ServiceAccount's token)", err)
	}
	cfg.UserAgent = "ec2-operator"
	// The API server's own priority and fairness bounds us; a second limit here would only delay.
	cfg.QPS = -1
	return cfg, nil
}
