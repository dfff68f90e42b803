// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// processesOf finds the programs of the cluster whose data is in dir: each has
// the folder in its arguments. It returns their ids with their command lines.
func processesOf(t *testing.T, dir string) map[int]string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("finding processes needs Linux's /proc")
	}
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, path := range paths {
		// A process may be gone by now, and one that has ended has no arguments.
		arguments, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(arguments), dir) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		found[pid] = strings.ReplaceAll(string(arguments), "\x00", " ")
	}
	return found
}

// wantGone fails unless nothing of a cluster is left.
func wantGone(t *testing.T, dir string) {
	t.Helper()
	if left := processesOf(t, dir); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data folder %s is left (%v)", dir, err)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	goroutines := goleak.IgnoreCurrent()
	c, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := processesOf(t, c.DataDir()); len(got) != 3 {
		t.Errorf("want three programs, have %v", got)
	}
	if _, err := c.Kubectl(t.Context(), "get", "namespaces"); err != nil {
		t.Error(err)
	}
	// As an operator has it that has not been stopped before.
	opened := openWatch(t, c)
	if err := c.Stop(); err != nil {
		t.Errorf("stopping: %v", err)
	}
	for range opened.ResultChan() {
		// Until it is closed.
	}
	wantGone(t, c.DataDir())
	for _, server := range []string{c.RESTConfig().Host, c.etcd.URL.String()} {
		wantRefused(t, server)
	}
	if err := c.Stop(); err != nil {
		t.Errorf("stopping again: %v", err)
	}
	goleak.VerifyNone(t, goroutines)
}

func openWatch(t *testing.T, c *Cluster) watch.Interface {
	t.Helper()
	clients, err := c.clients()
	if err != nil {
		t.Fatal(err)
	}
	opened, err := clients.CoreV1().ConfigMaps(metav1.NamespaceAll).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func wantRefused(t *testing.T, server string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	if connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", u.Host); err == nil {
		_ = connection.Close()
		t.Errorf("somebody still answers at %s", server)
	}
}

func TestWithoutControllers(t *testing.T) {
	// As from setup-envtest.
	programs := linkPrograms(t, etcdProgram, apiServerProgram, kubectlProgram)
	dir := t.TempDir()
	c, err := Start(t.Context(), Options{AssetsDir: programs, DataDir: dir, WithoutControllers: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := processesOf(t, dir); len(got) != 2 {
		t.Errorf("want two programs, have %v", got)
	}
	if _, err := c.Kubectl(t.Context(), "create", "configmap", "one"); err != nil {
		t.Error(err)
	}
	if _, err := c.Requests(); err == nil || !strings.Contains(err.Error(), "Options.Audit") {
		t.Errorf("requests without audit: %v", err)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if got := processesOf(t, dir); len(got) != 0 {
		t.Errorf("processes are left: %v", got)
	}
	// The folder was there before, so it stays.
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the data folder holds %v (%v)", entries, err)
	}
}

func TestStopTellsOfControllersThatEndedEarly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	c, err := Start(t.Context(), Options{DataDir: dir, KeepData: true})
	if err != nil {
		t.Fatal(err)
	}
	killErr := c.controllers.kill()
	if err := c.Stop(); err == nil || !strings.Contains(err.Error(), "kube-controller-manager ended on its own: signal: killed") {
		t.Errorf("stopping: %v", err)
	}
	if killErr != nil {
		t.Error(killErr)
	}
	if left := processesOf(t, dir); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	// Somebody wants to know why: the logs are kept.
	for _, program := range []string{etcdProgram, apiServerProgram, controllerManagerProgram} {
		if tail, err := readTail(filepath.Join(dir, program+".log"), tailSize); err != nil || len(tail) == 0 {
			t.Errorf("the log of %s: %q, %v", program, tail, err)
		}
	}
}

// linkPrograms makes an assets folder with some of the real programs.
func linkPrograms(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.Symlink(shared.assets.path(name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// breakProgram puts a program into an assets folder that fails at once.
func breakProgram(t *testing.T, dir, name string) {
	t.Helper()
	script := "#!/bin/sh\necho " + name + " is broken\nexit 3\n"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestFailedStartLeavesNothing(t *testing.T) {
	all := []string{etcdProgram, apiServerProgram, controllerManagerProgram, kubectlProgram}
	for i, broken := range all[:3] {
		t.Run(broken, func(t *testing.T) {
			goroutines := goleak.IgnoreCurrent()
			programs := linkPrograms(t, append(append([]string{}, all[:i]...), all[i+1:]...)...)
			breakProgram(t, programs, broken)
			dir := filepath.Join(t.TempDir(), "data")
			c, err := Start(t.Context(), Options{AssetsDir: programs, DataDir: dir})
			if err == nil {
				t.Fatal(errors.Join(errors.New("it started"), c.Stop()))
			}
			// The API server's flags are asked for first, with --help, and what
			// that prints is not in the log.
			if !strings.Contains(err.Error(), broken) {
				t.Errorf("the error does not name %s: %v", broken, err)
			}
			if broken != apiServerProgram && !strings.Contains(err.Error(), broken+" is broken") {
				t.Errorf("the error does not hold what %s logged: %v", broken, err)
			}
			wantGone(t, dir)
			goleak.VerifyNone(t, goroutines)
		})
	}
}

func TestCanceledStartLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := filepath.Join(t.TempDir(), "data")
	// Canceled at its first sign of life, so in the midst of it.
	c, err := Start(ctx, Options{DataDir: dir, Log: writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })})
	if err == nil {
		t.Fatal(errors.Join(errors.New("it started"), c.Stop()))
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	wantGone(t, dir)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// victimEnv has the test binary start a cluster in the folder it names, tell so
// and wait to be killed.
const victimEnv = "CLUSTER_TEST_VICTIM"

func beVictim() {
	_, err := Start(context.Background(), Options{DataDir: os.Getenv(victimEnv)})
	fmt.Fprintln(os.Stdout, "started:", err)
	select {}
}

// What a test run that is killed cannot stop has to end by itself.
func TestServersEndWithAKilledParent(t *testing.T) {
	dir := t.TempDir()
	victim := exec.CommandContext(t.Context(), os.Args[0])
	victim.Env = append(os.Environ(), victimEnv+"="+dir)
	stdout, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || line != "started: <nil>\n" {
		t.Fatalf("the process to be killed says %q (%v)", line, err)
	}
	servers := processesOf(t, dir)
	if len(servers) != 3 {
		t.Errorf("want three servers, have %v", servers)
	}
	t.Cleanup(func() { killServers(t, dir) })

	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // it says that it was killed
	eventually(t, "the servers' end", func(context.Context) error {
		if left := processesOf(t, dir); len(left) > 0 {
			return fmt.Errorf("still there: %v", left)
		}
		return nil
	})
}

// killServers ends what a failing test has left.
func killServers(t *testing.T, dir string) {
	t.Helper()
	for pid, arguments := range processesOf(t, dir) {
		t.Logf("killing %d: %s", pid, arguments)
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
}
