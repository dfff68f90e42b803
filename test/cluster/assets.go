// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// assetsEnv names a folder with the programs. It is the name that envtest and
// setup-envtest use.
const assetsEnv = "KUBEBUILDER_ASSETS"

// The programs, by the names that envtest gives them.
const (
	etcdProgram              = "etcd"
	apiServerProgram         = "kube-apiserver"
	controllerManagerProgram = "kube-controller-manager"
	kubectlProgram           = "kubectl"
)

// builtAssets is where `make controlplane` puts the programs, in the module.
var builtAssets = filepath.Join("bin", "controlplane")

// assets is a folder that holds the programs.
type assets string

// path is where a program lies.
func (a assets) path(program string) string { return filepath.Join(string(a), program) }

// findAssets finds the programs that the options ask for and makes sure that
// they are all there.
func findAssets(o Options) (assets, error) {
	found, err := locateAssets(o.AssetsDir, os.Getenv(assetsEnv))
	if err != nil {
		return "", err
	}
	programs := []string{etcdProgram, apiServerProgram, kubectlProgram}
	if !o.WithoutControllers {
		programs = append(programs, controllerManagerProgram)
	}
	return found, found.check(programs)
}

// locateAssets picks the folder: the one asked for, else the environment's, else
// the one that this module's make target builds.
func locateAssets(asked, environment string) (assets, error) {
	for _, dir := range []string{asked, environment} {
		if dir != "" {
			absolute, err := filepath.Abs(dir)
			if err != nil {
				return "", fmt.Errorf("finding the control plane's programs in %s: %w", dir, err)
			}
			return assets(absolute), nil
		}
	}
	root, err := moduleRoot()
	if err != nil {
		return "", fmt.Errorf("looking for the control plane's programs: %w; set %s to the folder that holds them", err, assetsEnv)
	}
	return assets(filepath.Join(root, builtAssets)), nil
}

// moduleRoot is the nearest folder at or above the working directory that holds
// a go.mod. Tests run in their package's folder.
func moduleRoot() (string, error) {
	working, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the working directory: %w", err)
	}
	for dir := working; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, "go.mod"))
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("looking for go.mod: %w", err)
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in a Go module", working)
		}
	}
}

// check says which programs are missing and how to get them.
func (a assets) check(programs []string) error {
	var missing []string
	for _, program := range programs {
		info, err := os.Stat(a.path(program))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, program)
		case err != nil:
			return fmt.Errorf("looking for the control plane's programs: %w", err)
		case info.IsDir():
			missing = append(missing, program)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("no %s in %s: run `make controlplane`, which builds etcd, kube-apiserver, kube-controller-manager and kubectl, "+
		"and leave %s unset (setup-envtest's assets have no kube-controller-manager)", strings.Join(missing, ", "), a, assetsEnv)
}
