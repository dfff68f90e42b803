// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// difference is a request that the two servers answer differently, for a reason. When they no longer do, the row goes.
type difference struct {
	says, why string
	kind      string
	body      map[string]any
	// real and simulated are the codes of the answers to the body's apply; 0 is a success.
	real, simulated int32
}

const (
	notImportable = "kube-apiserver's validation of its own kinds is in k8s.io/kubernetes, which the operator's module does not take in; " +
		"the operator never writes this"
	notAllotted = "addresses and ports that clients choose are not checked against a range, and nothing else has them"
)

var differences = []difference{
	{
		says: "a clusterIP outside of the range", why: notAllotted, kind: "Service",
		body: specWith(map[string]any{"clusterIP": "192.0.2.1", "ports": []any{map[string]any{"port": int64(80)}}}),
		real: http.StatusUnprocessableEntity,
	},
	{
		says: "a nodePort outside of the range", why: notAllotted, kind: "Service",
		body: specWith(map[string]any{"type": "NodePort", "ports": []any{map[string]any{"port": int64(80), "nodePort": int64(80)}}}),
		real: http.StatusUnprocessableEntity,
	},
	{
		says: "a Service of two families in a cluster of one", why: notAllotted, kind: "Service",
		body: specWith(map[string]any{"ipFamilyPolicy": "RequireDualStack", "ports": []any{map[string]any{"port": int64(80)}}}),
		real: http.StatusUnprocessableEntity,
	},
	{
		says: "an ExternalName Service without a name", why: notImportable, kind: "Service",
		body: specWith(map[string]any{"type": "ExternalName", "ports": []any{map[string]any{"port": int64(80)}}}),
		real: http.StatusUnprocessableEntity,
	},
	{
		says: "an external traffic policy that is none", why: notImportable, kind: "Service",
		body: specWith(map[string]any{"type": "NodePort", "externalTrafficPolicy": "Nearby", "ports": []any{map[string]any{"port": int64(80)}}}),
		real: http.StatusUnprocessableEntity,
	},
	{
		says: "a TLS Secret without a key", why: notImportable, kind: "Secret",
		body: map[string]any{"type": "kubernetes.io/tls"},
		real: http.StatusUnprocessableEntity,
	},
	{
		says: "an endpoint at a loopback address", why: notImportable, kind: "EndpointSlice",
		body: map[string]any{"addressType": "IPv4", "endpoints": []any{map[string]any{"addresses": []any{"127.0.0.1"}}}},
		real: http.StatusUnprocessableEntity,
	},
	{
		says: "an endpoint with a host name that is none", why: notImportable, kind: "EndpointSlice",
		body: map[string]any{"addressType": "IPv4", "endpoints": []any{map[string]any{"addresses": []any{"10.0.0.7"}, "hostname": "No Name"}}},
		real: http.StatusUnprocessableEntity,
	},
	{
		says: "more data than a ConfigMap may have", why: "nothing that the operator writes comes near the limits of size", kind: "ConfigMap",
		body: map[string]any{"data": map[string]any{"a": string(slices.Repeat([]byte{'x'}, 1<<20+1))}},
		real: http.StatusUnprocessableEntity,
	},
}

func TestDifferences(t *testing.T) {
	for i, d := range differences {
		t.Run(d.says, func(t *testing.T) {
			if d.why == "" {
				t.Error("there is no reason")
			}
			all := subjects()
			s := all[slices.IndexFunc(all, func(s subject) bool { return s.gvk.Kind == d.kind })]
			p := newPair(t, s, fmt.Sprintf("difference-%d", i))
			o := op{verb: apply, manager: "a", body: d.body}
			want, got := p.real.do(o), p.simulated.do(o)
			if want.Answer.Code != d.real || got.Answer.Code != d.simulated {
				t.Errorf("the answers are %+v and %+v, want the codes %d and %d", want.Answer, got.Answer, d.real, d.simulated)
			}
			if want.Answer.Code == got.Answer.Code {
				t.Error("there is no difference")
			}
		})
	}
}
