// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestKubernetesChanges(t *testing.T) {
	const (
		ec2   = "/apis/ec2.fieldowner.dev/v1/"
		apply = "application/apply-patch+yaml"
		merge = "application/merge-patch+json"
	)
	for _, test := range []struct{ method, path, content, want string }{
		{http.MethodPatch, ec2 + "namespaces/shop/ec2instances/web?fieldManager=m&force=true", apply, "apply ec2instances web"},
		{http.MethodPatch, ec2 + "namespaces/shop/ec2instances/web/status", "application/apply-patch+cbor", "apply ec2instances/status web"},
		{http.MethodPatch, ec2 + "namespaces/shop/ec2instances/web", merge, "patch ec2instances web"},
		{http.MethodPatch, ec2 + "ec2accounts/default/status", apply, "apply ec2accounts/status default"},
		{http.MethodPost, "/api/v1/namespaces/shop/configmaps", "", "create configmaps"},
		{http.MethodPut, "/api/v1/namespaces/shop", "", "update namespaces shop"},
		{http.MethodDelete, "/api/v1/namespaces/shop/services/web", "", "delete services web"},
		{http.MethodDelete, "/api/v1/namespaces/shop/services", "", "deletecollection services"},

		{http.MethodGet, ec2 + "namespaces/shop/ec2instances/web", "", ""},
		{http.MethodGet, ec2 + "ec2instances?watch=true", "", ""},
		{http.MethodPost, "/apis/events.k8s.io/v1/namespaces/shop/events", "", ""},
		{http.MethodPatch, "/api/v1/namespaces/shop/events/web.1", merge, ""},
		{http.MethodPut, "/apis/coordination.k8s.io/v1/namespaces/shop/leases/ec2-operator", "", ""},
		{http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", ""},
		{http.MethodPost, "/api/v1/namespaces/shop/serviceaccounts/web/token", "", ""},
		{http.MethodPost, "/version", "", ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), test.method, test.path, http.NoBody)
		r.Header.Set("Content-Type", test.content)
		if got := KubernetesChanges(Request{Request: r}); got != test.want {
			t.Errorf("%s %s (%s): got %q, want %q", test.method, test.path, test.content, got, test.want)
		}
	}
}

func TestEC2Changes(t *testing.T) {
	for content, want := range map[string]string{
		"Action=RunInstances&Version=2016-11-15&ClientToken=x": "RunInstances",
		"Action=TerminateInstances&InstanceId.1=i-1":           "TerminateInstances",
		"Action=CreateTags":        "CreateTags",
		"Action=DescribeInstances": "",
		"Action=GetCallerIdentity": "",
		`{"Name": "/aws/service"}`: "",
		"Action=%zz":               "",
		"":                         "",
	} {
		if got := EC2Changes(Request{Content: []byte(content)}); got != want {
			t.Errorf("%q: got %q, want %q", content, got, want)
		}
	}
}
