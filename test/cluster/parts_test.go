// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLocateAssets(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ asked, environment, want string }{
		"asked for":       {"/asked", "/environment", "/asked"},
		"environment":     {"", "/environment", "/environment"},
		"built by make":   {"", "", filepath.Join(root, "bin", "controlplane")},
		"relative folder": {"../../bin", "", filepath.Join(root, "bin")},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := locateAssets(test.asked, test.environment)
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
		})
	}
}

func TestLocateAssetsOutsideOfAModule(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := locateAssets("", ""); err == nil || !strings.Contains(err.Error(), assetsEnv) {
		t.Errorf("got %v", err)
	}
}

func TestMissingAssets(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{etcdProgram, apiServerProgram, kubectlProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"no folder":                {Options{AssetsDir: filepath.Join(dir, "no")}, "no etcd, kube-apiserver, kubectl, kube-controller-manager in " + filepath.Join(dir, "no") + ": run `make controlplane`"},
		"as from setup-envtest":    {Options{AssetsDir: dir}, "no kube-controller-manager in " + dir + ": run `make controlplane`"},
		"good without controllers": {Options{AssetsDir: dir, WithoutControllers: true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := findAssets(test.options)
			if (test.want == "") != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestDataDirMustBeEmpty(t *testing.T) {
	dir := t.TempDir()
	precious := filepath.Join(dir, "precious")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{DataDir: dir}); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func TestReadTail(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		size    int
		want    string
	}{
		"empty":          {"", 10, ""},
		"all of it":      {"one\ntwo\n", 10, "one\ntwo"},
		"whole lines":    {"one\ntwo\nthree\n", 9, "three"},
		"one long line":  {"onetwothree", 5, ""},
		"exactly a line": {"one\ntwo\n", 8, "one\ntwo"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readTail(path, test.size)
			if err != nil || string(got) != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestReadAudit(t *testing.T) {
	const (
		begun  = `{"auditID":"a","stage":"ResponseStarted","requestURI":"/api/v1/pods?watch=true","verb":"watch","responseStatus":{"code":200}}` + "\n"
		apply  = `{"auditID":"b","stage":"ResponseComplete","requestURI":"/x?fieldManager=me&force=true&dryRun=All","verb":"patch","user":{"username":"real"},"impersonatedUser":{"username":"other"},"objectRef":{"apiGroup":"g","resource":"r","subresource":"s","namespace":"n","name":"o"}}` + "\n"
		closed = `{"auditID":"a","stage":"ResponseComplete","requestURI":"/api/v1/pods?watch=true","verb":"watch","responseStatus":{"code":504}}` + "\n"
	)
	// A request keeps its place, and its last entry counts.
	got, err := readAudit(strings.NewReader(begun + apply + closed + closed[:40]))
	if err != nil {
		t.Fatal(err)
	}
	want := Requests{
		{ID: "a", Verb: "watch", URI: "/api/v1/pods?watch=true", Code: 504},
		{ID: "b", Verb: "patch", User: "other", URI: "/x?fieldManager=me&force=true&dryRun=All", FieldManager: "me", Force: true, DryRun: true,
			Group: "g", Resource: "r", Subresource: "s", Namespace: "n", Name: "o"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for name, log := range map[string]string{"no JSON": begun + "oops\n", "no URI": `{"auditID":"a"}`} {
		if got, err := readAudit(strings.NewReader(log)); err == nil {
			t.Errorf("%s: read as %v", name, got)
		}
	}
}

func TestIsWrite(t *testing.T) {
	for name, test := range map[string]struct {
		request Request
		want    bool
	}{
		"create":         {Request{Verb: "create", Resource: "configmaps"}, true},
		"update":         {Request{Verb: "update", Resource: "configmaps"}, true},
		"apply":          {Request{Verb: "patch", Resource: "configmaps"}, true},
		"status":         {Request{Verb: "patch", Group: "g", Resource: "r", Subresource: "status"}, true},
		"delete":         {Request{Verb: "delete", Resource: "configmaps"}, true},
		"delete many":    {Request{Verb: "deletecollection", Resource: "configmaps"}, true},
		"refused":        {Request{Verb: "create", Resource: "configmaps", Code: 403}, true},
		"get":            {Request{Verb: "get", Resource: "configmaps"}, false},
		"list":           {Request{Verb: "list", Resource: "configmaps"}, false},
		"watch":          {Request{Verb: "watch", Resource: "configmaps"}, false},
		"no resource":    {Request{Verb: "post", URI: "/healthz"}, false},
		"core event":     {Request{Verb: "create", Resource: "events"}, false},
		"event":          {Request{Verb: "patch", Group: "events.k8s.io", Resource: "events"}, false},
		"lease":          {Request{Verb: "update", Group: "coordination.k8s.io", Resource: "leases"}, false},
		"namesake":       {Request{Verb: "update", Group: "elsewhere.io", Resource: "leases"}, true},
		"access review":  {Request{Verb: "create", Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}, false},
		"token review":   {Request{Verb: "create", Group: "authentication.k8s.io", Resource: "tokenreviews"}, false},
		"token":          {Request{Verb: "create", Resource: "serviceaccounts", Subresource: "token"}, false},
		"ServiceAccount": {Request{Verb: "create", Resource: "serviceaccounts"}, true},
	} {
		if got := test.request.IsWrite(); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestRunUntil(t *testing.T) {
	if got := runUntil(t.Context(), func() int { return 7 }); got != 7 {
		t.Errorf("tests that end with 7 give %d", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	got := runUntil(ctx, func() int { cancel(); <-release; return 0 })
	if got != exitInterrupted {
		t.Errorf("interrupted tests give %d", got)
	}
}
