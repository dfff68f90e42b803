// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	// mastersGroup may do everything, whatever RBAC says.
	mastersGroup = "system:masters"

	// tokenLifetime is how long a ServiceAccount's token is good: longer than
	// any cluster lives, since the serving certificate lasts a week.
	tokenLifetime = 7 * 24 * time.Hour

	// kubeconfigEntry names cluster, user and context in every kubeconfig.
	kubeconfigEntry = "fieldowner"
)

// RESTConfig is a configuration for clients that may do everything
// (system:masters). It has no client-side rate limit: the API server has its
// own. Each call returns a copy that the caller may change.
func (c *Cluster) RESTConfig() *rest.Config { return rest.CopyConfig(c.admin) }

// KubeconfigPath is a kubeconfig file for the same user as RESTConfig. It goes
// with the data folder.
func (c *Cluster) KubeconfigPath() string { return c.kubeconfig }

// ServiceAccountConfig is a configuration for clients that act as a
// ServiceAccount, which must exist, with the rights that RBAC gives it. Its
// client-side rate limits are client-go's defaults: whoever it is for sets its
// own.
func (c *Cluster) ServiceAccountConfig(ctx context.Context, namespace, name string) (*rest.Config, error) {
	clients, err := c.clients()
	if err != nil {
		return nil, err
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: new(int64(tokenLifetime.Seconds())),
	}}
	token, err := clients.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("requesting a token for ServiceAccount %s/%s: %w", namespace, name, err)
	}
	config := rest.AnonymousClientConfig(c.admin)
	config.QPS, config.Burst = 0, 0
	config.BearerToken = token.Status.Token
	return config, nil
}

// ServiceAccountKubeconfig writes a kubeconfig for the same user as
// ServiceAccountConfig to path.
func (c *Cluster) ServiceAccountKubeconfig(ctx context.Context, namespace, name, path string) error {
	config, err := c.ServiceAccountConfig(ctx, namespace, name)
	if err != nil {
		return err
	}
	return writeKubeconfig(config, path)
}

// clients talk to the cluster as the admin.
func (c *Cluster) clients() (*kubernetes.Clientset, error) {
	clients, err := kubernetes.NewForConfig(c.admin)
	if err != nil {
		return nil, fmt.Errorf("making clients for the API server: %w", err)
	}
	return clients, nil
}

// createAdmin makes the user that the cluster's owner acts as.
func (c *Cluster) createAdmin(context.Context) error {
	config, err := c.userConfig("admin", mastersGroup)
	if err != nil {
		return err
	}
	config.QPS = -1 // no limit
	c.admin = config
	c.kubeconfig = c.data.join("kubeconfig")
	return writeKubeconfig(config, c.kubeconfig)
}

// writeUserKubeconfig makes a user and writes its kubeconfig to the data folder.
func (c *Cluster) writeUserKubeconfig(user, file string) (string, error) {
	config, err := c.userConfig(user)
	if err != nil {
		return "", err
	}
	path := c.data.join(file)
	return path, writeKubeconfig(config, path)
}

// userConfig makes a user, who is known by a client certificate.
func (c *Cluster) userConfig(name string, groups ...string) (*rest.Config, error) {
	plane := envtest.ControlPlane{APIServer: c.apiServer, Etcd: c.etcd}
	user, err := plane.AddUser(envtest.User{Name: name, Groups: groups}, nil)
	if err != nil {
		return nil, fmt.Errorf("making the user %s: %w", name, err)
	}
	return user.Config(), nil
}

// writeKubeconfig writes what a configuration made here says to a file.
func writeKubeconfig(config *rest.Config, path string) error {
	if err := clientcmd.WriteToFile(kubeconfigOf(config), path); err != nil {
		return fmt.Errorf("writing the kubeconfig %s: %w", path, err)
	}
	return nil
}

// kubeconfigOf says the same as a configuration made here, in a kubeconfig.
func kubeconfigOf(config *rest.Config) clientcmdapi.Config {
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters[kubeconfigEntry] = &clientcmdapi.Cluster{
		Server:                   config.Host,
		CertificateAuthorityData: config.CAData,
	}
	kubeconfig.AuthInfos[kubeconfigEntry] = &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData,
		ClientKeyData:         config.KeyData,
		Token:                 config.BearerToken,
	}
	kubeconfig.Contexts[kubeconfigEntry] = &clientcmdapi.Context{Cluster: kubeconfigEntry, AuthInfo: kubeconfigEntry}
	kubeconfig.CurrentContext = kubeconfigEntry
	return *kubeconfig
}
