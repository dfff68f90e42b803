// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package kubectlec2

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rig is a namespace and a working directory for one test.
type rig struct {
	*testing.T

	namespace, dir string
	// Environment variables to add.
	env []string
}

var namespaces atomic.Int32

// readSource has go test know what the suite depends on, so that it does not repeat an old result: it sees the files that a
// test opens. What of the plugin is not in this folder is imported by the suite.
var readSource = sync.OnceValue(func() error {
	return filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			_, err = os.ReadFile(path)
		}
		return err
	})
})

func newRig(t *testing.T) *rig {
	t.Helper()
	if err := readSource(); err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, namespace: fmt.Sprintf("shop-%d", namespaces.Add(1)), dir: t.TempDir()}
	r.must("create", "namespace", r.namespace)
	return r
}

// ran is what a program did.
type ran struct {
	stdout, stderr string
	code           int
}

// run runs a line in a shell, as somebody would: kubectl and the plugin are on the PATH, and the kubeconfig is the admin's.
func (r *rig) run(stdin, line string) ran {
	r.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(r.Context(), "sh", "-c", line)
	command.Dir = r.dir
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &stdout, &stderr
	command.Env = append([]string{
		"HOME=" + folder,
		"KUBECONFIG=" + shared.KubeconfigPath(),
		"PATH=" + folder + string(os.PathListSeparator) + os.Getenv("PATH"),
	}, r.env...)
	err := command.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		r.Fatalf("%s: %v", line, errors.Join(err, exit))
	}
	return ran{stdout: stdout.String(), stderr: stderr.String(), code: command.ProcessState.ExitCode()}
}

// ec2 runs the plugin through kubectl, in the test's namespace.
func (r *rig) ec2(args ...string) ran {
	r.Helper()
	return r.run("", "kubectl ec2 -n "+r.namespace+" "+strings.Join(args, " "))
}

// must runs kubectl, in the test's namespace.
func (r *rig) must(args ...string) string {
	r.Helper()
	return r.mustRun("", "kubectl -n "+r.namespace+" "+strings.Join(args, " "))
}

// apply applies an object by server-side apply.
func (r *rig) apply(manager, object string, more ...string) {
	r.Helper()
	r.mustRun(object, "kubectl apply --server-side -n "+r.namespace+" --field-manager="+manager+" "+strings.Join(more, " ")+" -f -")
}

// mustRun runs a line that has to succeed.
func (r *rig) mustRun(stdin, line string) string {
	r.Helper()
	done := r.run(stdin, line)
	if done.code != 0 {
		r.Fatalf("%s: exit code %d\n%s%s", line, done.code, done.stdout, done.stderr)
	}
	return done.stdout
}

// write makes a file and returns its name.
func (r *rig) write(name, content string) string {
	r.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o750); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o600); err != nil {
		r.Fatal(err)
	}
	return name
}

// get reads an object with its managedFields.
func (r *rig) get(object string) *unstructured.Unstructured {
	r.Helper()
	u := &unstructured.Unstructured{}
	r.decode(r.must("get", object, "-o json --show-managed-fields"), &u.Object)
	return u
}

func (r *rig) decode(text string, into any) {
	r.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		r.Fatalf("%v in:\n%s", err, text)
	}
}

// wantUnchanged fails unless an object is as it was: a dry run stores nothing.
func (r *rig) wantUnchanged(object string, before *unstructured.Unstructured) {
	r.Helper()
	if after := r.get(object); after.GetResourceVersion() != before.GetResourceVersion() {
		r.Errorf("%s was written: resourceVersion %s, before %s", object, after.GetResourceVersion(), before.GetResourceVersion())
	}
}

// want checks an exit code and what is in the outputs.
func (r *rig) want(got ran, code int, stdout, stderr []string) {
	r.Helper()
	if got.code != code {
		r.Errorf("exit code %d, want %d", got.code, code)
	}
	for output, texts := range map[string][]string{got.stdout: stdout, got.stderr: stderr} {
		for _, text := range texts {
			if !strings.Contains(output, text) {
				r.Errorf("the output does not hold %q", text)
			}
		}
	}
	if r.Failed() {
		r.Logf("stdout:\n%s\nstderr:\n%s", got.stdout, got.stderr)
	}
}
