// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

// namespace is where the rows' objects are, but for those that an operator has.
const namespace = "default"

// kind is a kind of objects and where the API server has them.
type kind struct {
	schema.GroupVersionKind

	resource      string
	clusterScoped bool
	// foreign kinds are not ours: what happens to them is not predicted.
	foreign bool
	// crd is set for the kinds of this suite, which exist only here.
	crd *testCRD
}

// The kinds of most rows.
var (
	instances   = &kind{GroupVersionKind: ec2v1.SchemeGroupVersion.WithKind("EC2Instance"), resource: "ec2instances"}
	accounts    = &kind{GroupVersionKind: ec2v1.SchemeGroupVersion.WithKind("EC2Account"), resource: "ec2accounts", clusterScoped: true}
	services    = &kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "Service"}, resource: "services", foreign: true}
	configMaps  = &kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, resource: "configmaps", foreign: true}
	deployments = &kind{GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, resource: "deployments", foreign: true}
)

// path is where the API server has an object in a version of the API, or one of its subresources, or, without a name, all objects.
func (k *kind) path(version, namespace, name, subresource string) string {
	parts := []string{"/apis", k.Group, version}
	if k.Group == "" {
		parts = []string{"/api", version}
	}
	if !k.clusterScoped {
		parts = append(parts, "namespaces", namespace)
	}
	parts = append(parts, k.resource)
	for _, part := range []string{name, subresource} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}

// argument is how kubectl is told an object.
func (k *kind) argument(name string) string {
	return fmt.Sprintf("%s/%s", strings.TrimSuffix(k.resource+"."+k.Group, "."), name)
}
