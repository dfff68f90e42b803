// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	ec2v1 "github.com/fieldowner/ec2-operator/api/v1"
)

func TestDefaults(t *testing.T) {
	c := newClient(t)
	for _, test := range []struct {
		name  string
		kind  kind
		patch string
		want  string
	}{
		{
			name: "an instance that names nothing but the essentials", kind: instanceKind,
			want: `{
				image: {id: ami-0123456789abcdef0}, instanceType: t3.micro,
				accountRef: {name: default}, metadataOptions: {httpTokens: required},
				powerState: Running, recreatePolicy: Always, deletionPolicy: Terminate, protectionPolicy: Respect, managementPolicy: Manage, updatePolicy: {allow: InPlace}}`,
		},
		{
			name: "structs that are there and empty", kind: instanceKind,
			patch: `{accountRef: {}, metadataOptions: {}, updatePolicy: {}}`,
			want: `{
				image: {id: ami-0123456789abcdef0}, instanceType: t3.micro,
				accountRef: {name: default}, metadataOptions: {httpTokens: required},
				powerState: Running, recreatePolicy: Always, deletionPolicy: Terminate, protectionPolicy: Respect, managementPolicy: Manage, updatePolicy: {allow: InPlace}}`,
		},
		{
			name: "metadata options without httpTokens", kind: instanceKind,
			patch: `{metadataOptions: {httpPutResponseHopLimit: 2}}`,
			want: `{
				image: {id: ami-0123456789abcdef0}, instanceType: t3.micro,
				accountRef: {name: default}, metadataOptions: {httpTokens: required, httpPutResponseHopLimit: 2},
				powerState: Running, recreatePolicy: Always, deletionPolicy: Terminate, protectionPolicy: Respect, managementPolicy: Manage, updatePolicy: {allow: InPlace}}`,
		},
		{
			name: "an instance that says otherwise everywhere", kind: instanceKind,
			patch: `{
				accountRef: {name: prod}, metadataOptions: {httpTokens: optional},
				powerState: Stopped, recreatePolicy: Never, deletionPolicy: Retain, protectionPolicy: Lift, managementPolicy: Observe, updatePolicy: {allow: Replace}}`,
			want: `{
				image: {id: ami-0123456789abcdef0}, instanceType: t3.micro,
				accountRef: {name: prod}, metadataOptions: {httpTokens: optional},
				powerState: Stopped, recreatePolicy: Never, deletionPolicy: Retain, protectionPolicy: Lift, managementPolicy: Observe, updatePolicy: {allow: Replace}}`,
		},
		{
			name: "an instance that is exposed, and says no more than it has to", kind: instanceKind,
			patch: `{expose: {serviceName: web, ports: [{name: http, port: 80}]}}`,
			want: `{
				image: {id: ami-0123456789abcdef0}, instanceType: t3.micro,
				accountRef: {name: default}, metadataOptions: {httpTokens: required},
				powerState: Running, recreatePolicy: Always, deletionPolicy: Terminate, protectionPolicy: Respect, managementPolicy: Manage, updatePolicy: {allow: InPlace},
				expose: {serviceName: web, type: ClusterIP, ports: [{name: http, port: 80, protocol: TCP}]}}`,
		},
		{
			name: "an account that names nothing but its region", kind: accountKind,
			want: `{region: eu-central-1, pollIntervalSeconds: 60}`,
		},
		{
			name: "an account with another interval", kind: accountKind,
			patch: `{pollIntervalSeconds: 10}`,
			want:  `{region: eu-central-1, pollIntervalSeconds: 10}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			object := test.kind.object(t, "defaults", spec, test.patch)
			if err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object), owner, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parse(t, test.want), object.Object["spec"]); diff != "" {
				t.Errorf("spec differs (-want +got):\n%s", diff)
			}
		})
	}
}

// parse reads YAML the way objects are read.
func parse(t *testing.T, text string) any {
	t.Helper()
	content, err := yaml.YAMLToJSONStrict([]byte(`{apiVersion: v1, kind: Any, value: ` + text + `}`))
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(content); err != nil {
		t.Fatal(err)
	}
	return object.Object["value"]
}

// kstatus takes an object without conditions for one that is ready, unless observedGeneration says that nobody has seen it yet.
func TestANewObjectSaysThatNobodyHasSeenIt(t *testing.T) {
	c := newClient(t)
	for _, kind := range []kind{instanceKind, accountKind} {
		t.Run(kind.name, func(t *testing.T) {
			object := kind.object(t, "new", spec, "")
			if err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object), owner); err != nil {
				t.Fatal(err)
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parse(t, `{observedGeneration: -1}`), object.Object["status"]); diff != "" {
				t.Errorf("status differs (-want +got):\n%s", diff)
			}
		})
	}
}

// A Go program that leaves required fields out sends no empty values in their place, so the refusal names what is missing.
func TestTypedObjectsWithoutRequiredFields(t *testing.T) {
	c := newClient(t)
	instance, account := &ec2v1.EC2Instance{}, &ec2v1.EC2Account{}
	instance.Name, instance.Namespace, account.Name = "typed", "default", "typed"
	expect(t, c.Create(t.Context(), instance, client.DryRunAll), []string{"spec: Required value"})
	expect(t, c.Create(t.Context(), account, client.DryRunAll), []string{"spec: Required value"})

	instance.Spec.KeyName = "key"
	expect(t, c.Create(t.Context(), instance, client.DryRunAll), []string{needsImage, needsType})
	account.Spec.PollIntervalSeconds = 60
	expect(t, c.Create(t.Context(), account, client.DryRunAll), []string{spec.required("region")})
}
