// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fieldowner/ec2-operator/cmd/playground/internal/demo"
	"github.com/fieldowner/ec2-operator/cmd/playground/internal/screen"
	"github.com/fieldowner/ec2-operator/cmd/playground/internal/stack"
)

// errInterrupted says that the user has ended what was not done yet.
var errInterrupted = errors.New("interrupted")

// folders holds a folder for each mode while it runs; git ignores it.
const folders = ".playground"

// session starts everything, does what the mode is about, and stops everything.
func session(ctx context.Context, m mode, s *screen.Screen) error {
	root, err := enterRoot()
	if err != nil {
		return err
	}
	folder, err := stack.OpenFolder(filepath.Join(root, folders, string(m)))
	if err != nil {
		return err
	}
	result, err := within(ctx, m, s, stack.Options{Root: root, Folder: folder, Progress: s})
	keep := err != nil && !errors.Is(err, errInterrupted) && stack.Logged(folder)
	if keep {
		s.Stage("The operator's log is kept: %s", folder.Join(stack.OperatorLogName))
	}
	if err := errors.Join(err, folder.Close(keep)); err != nil {
		return err
	}
	s.Stage("%s", result)
	return nil
}

// within does the work in a folder that is there, and returns a line about it.
func within(ctx context.Context, m mode, s *screen.Screen, o stack.Options) (string, error) {
	st, err := stack.Start(ctx, o)
	if err != nil {
		return "", orInterrupted(ctx, err)
	}
	watched, unwatch, err := st.Watch(ctx)
	if err != nil {
		return "", errors.Join(err, st.Stop())
	}
	var result string
	if m == modeDemo {
		result, err = demo.Run(watched, st, s)
		result = "The demo has passed: " + result
	} else {
		result, err = "Everything is stopped and removed", untilInterrupted(ctx, watched, st, o.Root, s)
	}
	unwatch()
	return result, errors.Join(orInterrupted(ctx, err), st.Stop())
}

// orInterrupted says that the user has ended it where that is why it failed: what else
// went wrong after a Ctrl-C did so because of it.
func orInterrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// untilInterrupted says what to try, and returns when the user has seen enough: that is
// when ctx ends. When a part ends on its own, that is an error.
func untilInterrupted(ctx, watched context.Context, st *stack.Stack, root string, s *screen.Screen) error {
	text, err := guide(place{
		Root:       root,
		Kubeconfig: st.Cluster.KubeconfigPath(), Kubectl: st.Cluster.KubectlPath(), Plugins: filepath.Join(root, "bin"),
		ControlURL: st.ControlURL(), OperatorLog: st.OperatorLog(),
	})
	if err != nil {
		return err
	}
	s.Text("%s", text)
	<-watched.Done()
	if cause := context.Cause(watched); !errors.Is(cause, context.Cause(ctx)) {
		return cause
	}
	return nil
}

// enterRoot goes to the module's root, in whose bin/ this program lies: paths such as
// config/samples mean the same here as in the guide.
func enterRoot() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	root := filepath.Dir(filepath.Dir(program))
	if _, err := os.Stat(filepath.Join(root, "config", "crd", "kustomization.yaml")); err != nil {
		return "", fmt.Errorf("%s does not lie in bin/ of the source tree: build it with `make build` (%w)", program, err)
	}
	if err := os.Chdir(root); err != nil {
		return "", fmt.Errorf("going to the source tree: %w", err)
	}
	return root, nil
}
