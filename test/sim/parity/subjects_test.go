// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package parity

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
	"github.com/fieldowner/ec2-operator/test/ownership/intents"
)

// subject is a kind of object, and what is drawn for it.
type subject struct {
	gvk       schema.GroupVersionKind
	namespace string
	// body is what an intent or an object says, and status what it says at the status endpoint, if there is one.
	body, status func(t *rapid.T) map[string]any
	// odd are changes that are mostly wrong.
	odd []map[string]any
}

const namespace = "default"

func subjects() []subject {
	return []subject{
		{gvk: ec2v1.SchemeGroupVersion.WithKind("EC2Instance"), namespace: namespace, body: instanceBody, status: instanceStatus, odd: oddInstances()},
		{gvk: ec2v1.SchemeGroupVersion.WithKind("EC2Account"), body: accountBody, status: accountStatus, odd: oddAccounts()},
		{gvk: corev1.SchemeGroupVersion.WithKind("ConfigMap"), namespace: namespace, body: configMapBody, odd: oddConfigMaps()},
		{gvk: corev1.SchemeGroupVersion.WithKind("Secret"), namespace: namespace, body: secretBody, odd: oddSecrets()},
		{gvk: corev1.SchemeGroupVersion.WithKind("Service"), namespace: namespace, body: serviceBody, status: serviceStatus, odd: oddServices()},
		{gvk: discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"), namespace: namespace, body: sliceBody, odd: oddSlices()},
		{gvk: corev1.SchemeGroupVersion.WithKind("Namespace"), body: namespaceBody, odd: nil},
	}
}

// weighted are the subjects, as often as they are to be drawn.
func weighted() []subject {
	all := subjects()
	return append(slices.Repeat(all[:1], len(all)-1), all[1:]...)
}

// draw draws a request.
func (s subject) draw(t *rapid.T) op {
	o := op{
		verb:    rapid.SampledFrom([]verb{apply, apply, apply, apply, update, update, merge, patch, strategic, create, erase}).Draw(t, "verb"),
		manager: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "manager"),
		force:   rapid.Bool().Draw(t, "force"),
		dryRun:  rapid.IntRange(0, 9).Draw(t, "dryRun") == 0,
		status:  s.status != nil && rapid.IntRange(0, 2).Draw(t, "status") == 0,
		uid:     rapid.SampledFrom([]guard{none, none, none, live, live, old, other}).Draw(t, "uid"),
		version: rapid.SampledFrom([]guard{none, none, none, none, live, live, old, other}).Draw(t, "version"),
	}
	if o.verb == erase {
		o.policy = rapid.SampledFrom([]metav1.DeletionPropagation{"", "", metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan}).Draw(t, "policy")
		return o
	}
	if o.verb == patch {
		o.ops = s.drawOps(t)
		return o
	}
	o.status = o.status && o.verb != create
	o.body = s.drawBody(t, o.status)
	return o
}

func (s subject) drawBody(t *rapid.T, status bool) map[string]any {
	body := s.body
	if status {
		body = s.status
	}
	out := body(t)
	if meta := metadata(t); len(meta) > 0 {
		out = mergeInto(out, map[string]any{"metadata": meta})
	}
	for range rapid.SampledFrom([]int{0, 0, 0, 1, 1, 2}).Draw(t, "oddities") {
		all := append(append([]map[string]any{}, oddities()...), s.odd...)
		out = mergeInto(out, runtime.DeepCopyJSON(rapid.SampledFrom(all).Draw(t, "odd")))
	}
	return out
}

// drawOps draws the operations of a JSON patch.
func (s subject) drawOps(t *rapid.T) []map[string]any {
	return rapid.SampledFrom([][]map[string]any{
		{{"op": "replace", "path": "/metadata/managedFields", "value": []any{map[string]any{}}}},
		{{"op": "replace", "path": "/metadata/managedFields", "value": []any{}}},
		{{"op": "remove", "path": "/metadata/managedFields"}},
		{{"op": "remove", "path": "/metadata/managedFields/" + entry}},
		{{"op": "replace", "path": "/metadata/managedFields/" + entry + "/manager", "value": "heir"}},
		{{"op": "replace", "path": "/metadata/managedFields/" + entry + "/fieldsType", "value": "FieldsV2"}},
		{{"op": "replace", "path": "/metadata/resourceVersion", "value": "1"}},
		{{"op": "add", "path": "/metadata/labels", "value": map[string]any{"app": "patched"}}},
		{{"op": "remove", "path": "/metadata/finalizers"}},
		{{"op": "add", "path": "/metadata/finalizers", "value": []any{"example.com/a"}}},
		{{"op": "remove", "path": "/metadata/finalizers/0"}},
		{{"op": "test", "path": "/metadata/name", "value": "another"}},
		{{"op": "replace", "path": "/metadata/name", "value": "another"}},
		{{"op": "replace", "path": "/metadata/uid", "value": otherUID}},
		{{"op": "replace", "path": "/kind", "value": "Other"}},
		{{"op": "bend", "path": "/metadata/name"}},
		{{"op": "remove", "path": "/spec"}},
	}).Draw(t, "ops")
}

// metadata draws some of an object's metadata.
func metadata(t *rapid.T) map[string]any {
	out := map[string]any{}
	if rapid.IntRange(0, 3).Draw(t, "labels") == 0 {
		out["labels"] = map[string]any{"app": rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app")}
	}
	if rapid.IntRange(0, 3).Draw(t, "finalizers") == 0 {
		out["finalizers"] = rapid.SampledFrom([][]any{{"example.com/a"}, {"example.com/b"}, {"example.com/b", "example.com/a"}, {}}).Draw(t, "finalizer")
	}
	if rapid.IntRange(0, 4).Draw(t, "owners") == 0 {
		ref := func(uid string, more map[string]any) map[string]any {
			return mergeInto(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": uid}, more)
		}
		out["ownerReferences"] = rapid.SampledFrom([][]any{
			{ref(otherUID, nil)},
			{ref(otherUID, map[string]any{"controller": true})},
			{ref("other-uid", map[string]any{"controller": true})},
			{ref(otherUID, nil), ref("other-uid", map[string]any{"blockOwnerDeletion": true})},
			{ref(otherUID, map[string]any{"controller": true}), ref("other-uid", map[string]any{"controller": true})},
		}).Draw(t, "owner")
	}
	return out
}

// oddities are for all kinds.
func oddities() []map[string]any {
	meta := func(m map[string]any) map[string]any { return map[string]any{"metadata": m} }
	return []map[string]any{
		meta(map[string]any{"labels": map[string]any{"app": "not a label!"}}),
		meta(map[string]any{"annotations": map[string]any{"not a key!": "x"}}),
		meta(map[string]any{"annotations": map[string]any{"example.com/note": "x"}}),
		meta(map[string]any{"labels": nil}),
		meta(map[string]any{"annotations": "text"}),
		meta(map[string]any{"finalizers": map[string]any{}}),
		meta(map[string]any{"labels": map[string]any{}}),
		meta(map[string]any{"generateName": "made-"}),
		meta(map[string]any{"deletionTimestamp": "2026-01-02T03:04:05Z"}),
		meta(map[string]any{"creationTimestamp": "2026-01-02T03:04:05Z"}),
		meta(map[string]any{"generation": int64(77)}),
		meta(map[string]any{"finalizers": []any{"not a finalizer!"}}),
		meta(map[string]any{"unheard": "of"}),
		meta(map[string]any{"managedFields": []any{}}),
		meta(map[string]any{"managedFields": []any{map[string]any{}}}),
		{"unheard": "of"},
		{"status": map[string]any{"unheard": "of"}},
	}
}

// fieldsOf turns an apply configuration into a body.
func fieldsOf(t *rapid.T, config any) map[string]any {
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"name", "namespace"} {
		if meta, ok := out["metadata"].(map[string]any); ok {
			delete(meta, name)
		}
	}
	return integers(out).(map[string]any)
}

// integers turns whole numbers into what an unstructured object has for them.
func integers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = integers(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = integers(inner)
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return value
}

func instanceBody(t *rapid.T) map[string]any {
	return fieldsOf(t, intents.Main("", namespace).Draw(t, "intent"))
}

func instanceStatus(t *rapid.T) map[string]any {
	return fieldsOf(t, intents.Status("", namespace).Draw(t, "intent"))
}

func specWith(spec map[string]any) map[string]any { return map[string]any{"spec": spec} }

func statusWith(status map[string]any) map[string]any { return map[string]any{"status": status} }

func oddInstances() []map[string]any {
	tag := func(key, value string) map[string]any { return map[string]any{"key": key, "value": value} }
	return []map[string]any{
		specWith(map[string]any{"instanceType": "T3"}),
		specWith(map[string]any{"instanceType": int64(3)}),
		specWith(map[string]any{"instanceType": nil}),
		specWith(map[string]any{"keyName": nil}),
		specWith(map[string]any{"keyName": ""}),
		specWith(map[string]any{"image": map[string]any{"id": "ami-0123456789abcdef0", "ssmParameter": "/x"}}),
		specWith(map[string]any{"image": nil}),
		specWith(map[string]any{"image": map[string]any{}}),
		specWith(map[string]any{"unheard": "of"}),
		specWith(map[string]any{"tags": []any{tag("aws:x", "1")}}),
		specWith(map[string]any{"tags": []any{tag("a", "1"), tag("a", "2")}}),
		specWith(map[string]any{"tags": []any{map[string]any{"value": "1"}}}),
		specWith(map[string]any{"tags": []any{map[string]any{"key": "only"}}}),
		specWith(map[string]any{"tags": []any{}}),
		specWith(map[string]any{"tags": nil}),
		specWith(map[string]any{"securityGroupIDs": []any{"sg-00000001", "sg-00000001"}}),
		specWith(map[string]any{"securityGroupIDs": []any{}}),
		specWith(map[string]any{"securityGroupIDs": "sg-00000001"}),
		specWith(map[string]any{"region": "eu-central-1"}),
		specWith(map[string]any{"region": "eu-west-1"}),
		specWith(map[string]any{"accountRef": map[string]any{}}),
		specWith(map[string]any{"accountRef": map[string]any{"name": "other"}}),
		specWith(map[string]any{"metadataOptions": map[string]any{}}),
		specWith(map[string]any{"metadataOptions": map[string]any{"httpPutResponseHopLimit": int64(100)}}),
		specWith(map[string]any{"metadataOptions": map[string]any{"httpTokens": "sometimes"}}),
		specWith(map[string]any{"expose": map[string]any{"serviceName": "web", "ports": []any{map[string]any{"name": "http", "port": int64(80)}}}}),
		specWith(map[string]any{"expose": map[string]any{"serviceName": "web", "ports": []any{map[string]any{"name": "http", "port": int64(80)}, map[string]any{"name": "also", "port": int64(80)}}}}),
		specWith(map[string]any{"connection": map[string]any{"configMapName": "web"}}),
		specWith(map[string]any{"userData": map[string]any{"inline": "x", "secretKeyRef": map[string]any{"name": "a", "key": "b"}}}),
		{"spec": nil},
		{"spec": map[string]any{}},
		statusWith(map[string]any{"observedGeneration": "one"}),
		statusWith(map[string]any{"conditions": []any{map[string]any{"type": "Ready"}}}),
		statusWith(map[string]any{"conditions": []any{}}),
		statusWith(map[string]any{"conditions": nil}),
		statusWith(map[string]any{"launch": map[string]any{"at": "yesterday"}}),
		{"status": nil},
		{"status": map[string]any{}},
	}
}

func accountBody(t *rapid.T) map[string]any {
	spec := map[string]any{"region": rapid.SampledFrom([]string{"eu-central-1", "us-east-1"}).Draw(t, "region")}
	if rapid.Bool().Draw(t, "poll") {
		spec["pollIntervalSeconds"] = rapid.SampledFrom([]any{int64(10), int64(60)}).Draw(t, "seconds")
	}
	if rapid.Bool().Draw(t, "namespaces") {
		spec["allowedNamespaces"] = rapid.SampledFrom([]any{map[string]any{}, map[string]any{"matchLabels": map[string]any{"a": "b"}}}).Draw(t, "allowed")
	}
	return specWith(spec)
}

func accountStatus(t *rapid.T) map[string]any {
	return statusWith(map[string]any{
		"conditions": []any{map[string]any{
			"type": rapid.SampledFrom([]string{"Ready", "Throttled"}).Draw(t, "type"), "status": "True", "reason": "Tested",
			"message": rapid.SampledFrom([]string{"", "x"}).Draw(t, "message"), "lastTransitionTime": "2026-01-02T03:04:05Z",
		}},
	})
}

func oddAccounts() []map[string]any {
	return []map[string]any{
		specWith(map[string]any{"region": ""}),
		specWith(map[string]any{"pollIntervalSeconds": int64(0)}),
		specWith(map[string]any{"pollIntervalSeconds": 1.5}),
		specWith(map[string]any{"credentials": map[string]any{}}),
		specWith(map[string]any{"endpoints": map[string]any{"ec2": "not a url"}}),
		{"spec": nil},
	}
}

func configMapBody(t *rapid.T) map[string]any {
	data := map[string]any{}
	for _, key := range rapid.SampledFrom([][]string{{}, {"a"}, {"b"}, {"a", "b"}}).Draw(t, "keys") {
		data[key] = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "value")
	}
	return map[string]any{"data": data}
}

func oddConfigMaps() []map[string]any {
	return []map[string]any{
		{"data": map[string]any{"not a key!": "x"}},
		{"data": nil},
		{"data": "text"},
		{"binaryData": map[string]any{"a": "eA=="}},
		{"binaryData": map[string]any{"c": "eA=="}},
		{"immutable": true},
		{"immutable": false},
	}
}

func secretBody(t *rapid.T) map[string]any {
	data := map[string]any{}
	for _, key := range rapid.SampledFrom([][]string{{}, {"a"}, {"b"}, {"a", "b"}}).Draw(t, "keys") {
		data[key] = rapid.SampledFrom([]string{"", "eA==", "eQ=="}).Draw(t, "value")
	}
	return map[string]any{"data": data}
}

func oddSecrets() []map[string]any {
	return []map[string]any{
		{"data": map[string]any{"not a key!": "eA=="}},
		{"data": nil},
		{"type": "example.com/other"},
		{"type": "Opaque"},
		{"immutable": true},
	}
}

func serviceBody(t *rapid.T) map[string]any {
	port := func(name string, number int64, more map[string]any) map[string]any {
		return mergeInto(map[string]any{"name": name, "port": number}, more)
	}
	ports := rapid.SampledFrom([][]any{
		{port("http", 80, nil)},
		{port("http", 80, map[string]any{"protocol": "TCP"})},
		{port("http", 80, map[string]any{"targetPort": int64(8080), "protocol": "TCP"})},
		{port("http", 80, map[string]any{"protocol": "TCP"}), port("https", 443, map[string]any{"targetPort": "tls", "protocol": "TCP"})},
		{port("dns", 53, map[string]any{"protocol": "UDP"}), port("dns-tcp", 53, map[string]any{"protocol": "TCP"})},
	}).Draw(t, "ports")
	spec := map[string]any{"ports": ports}
	if kind := rapid.SampledFrom([]string{"", "ClusterIP", "NodePort", "LoadBalancer"}).Draw(t, "type"); kind != "" {
		spec["type"] = kind
	}
	if rapid.IntRange(0, 3).Draw(t, "selector") == 0 {
		spec["selector"] = map[string]any{"app": "x"}
	}
	return specWith(spec)
}

func serviceStatus(*rapid.T) map[string]any {
	return statusWith(map[string]any{"conditions": []any{map[string]any{
		"type": "Tested", "status": "True", "reason": "Tested", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z",
	}}})
}

func oddServices() []map[string]any {
	return []map[string]any{
		specWith(map[string]any{"ports": []any{}}),
		specWith(map[string]any{"ports": nil}),
		specWith(map[string]any{"ports": []any{map[string]any{"port": int64(0)}}}),
		specWith(map[string]any{"ports": []any{map[string]any{"name": "a", "port": int64(1)}, map[string]any{"name": "b", "port": int64(1)}}}),
		specWith(map[string]any{"ports": []any{map[string]any{"name": "Bad_Name", "port": int64(1)}}}),
		specWith(map[string]any{"type": "Sideways"}),
		specWith(map[string]any{"sessionAffinity": "ClientIP"}),
		specWith(map[string]any{"sessionAffinity": "None"}),
		specWith(map[string]any{"publishNotReadyAddresses": true}),
		{"spec": nil},
	}
}

func sliceBody(t *rapid.T) map[string]any {
	out := map[string]any{"addressType": "IPv4"}
	if rapid.Bool().Draw(t, "endpoint") {
		out["endpoints"] = []any{map[string]any{
			"addresses":  []any{rapid.SampledFrom([]string{"10.0.0.7", "10.0.0.8"}).Draw(t, "address")},
			"conditions": map[string]any{"ready": rapid.Bool().Draw(t, "ready")},
		}}
	}
	if rapid.Bool().Draw(t, "ports") {
		out["ports"] = rapid.SampledFrom([][]any{
			{map[string]any{"name": "http", "port": int64(80), "protocol": "TCP"}},
			{map[string]any{"port": int64(80)}},
		}).Draw(t, "port")
	}
	return out
}

func oddSlices() []map[string]any {
	return []map[string]any{
		{"addressType": "IPv6"},
		{"addressType": nil},
		{"addressType": "Pigeon"},
		{"endpoints": []any{}},
		{"endpoints": nil},
		{"ports": []any{}},
		{"endpoints": []any{map[string]any{"addresses": []any{}}}},
		{"endpoints": []any{map[string]any{"addresses": []any{"nowhere"}}}},
		{"ports": []any{map[string]any{"name": "a"}, map[string]any{"name": "a"}}},
		{"ports": []any{map[string]any{"name": "a", "protocol": "ICMP"}}},
	}
}

func namespaceBody(*rapid.T) map[string]any { return map[string]any{} }
