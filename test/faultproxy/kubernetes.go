// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/fieldowner/ec2-operator/test/cluster"
)

// paths understands the API server's paths.
var paths = &apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// KubernetesChanges is what a request to the API server changes, such as "apply ec2instances/status web". What changes nothing that users
// see is "": see [cluster.Request.IsWrite].
func KubernetesChanges(r Request) string {
	info, err := paths.NewRequestInfo(r.Request)
	if err != nil || !info.IsResourceRequest {
		return ""
	}
	said := cluster.Request{Verb: info.Verb, Group: info.APIGroup, Resource: info.Resource, Subresource: info.Subresource}
	if !said.IsWrite() {
		return ""
	}
	verb, what := info.Verb, info.Resource
	if r.Method == http.MethodPatch && strings.HasPrefix(r.Header.Get("Content-Type"), "application/apply-patch") {
		verb = "apply"
	}
	if info.Subresource != "" {
		what += "/" + info.Subresource
	}
	return strings.TrimSpace(verb + " " + what + " " + info.Name)
}
