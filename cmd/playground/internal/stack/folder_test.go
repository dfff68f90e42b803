// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

func openFolder(t *testing.T, path string) *Folder {
	t.Helper()
	folder, err := OpenFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestAFolderLeavesNothing(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "playground")
	folder := openFolder(t, filepath.Join(parent, "run"))
	if err := os.WriteFile(folder.Join("operator.log"), []byte("started\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := folder.Close(false); err != nil {
		t.Fatal(err)
	}
	if exists(t, parent) {
		t.Errorf("%s is still there", parent)
	}
}

func TestAFolderCanBeKeptForTheNextToRemove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "playground", "demo")
	folder := openFolder(t, path)
	log := folder.Join("operator.log")
	if err := os.WriteFile(log, []byte("failed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := folder.Close(true); err != nil {
		t.Fatal(err)
	}
	if !exists(t, log) {
		t.Fatalf("%s was to be kept", log)
	}
	next := openFolder(t, path)
	if exists(t, log) {
		t.Errorf("%s is still there for the next session", log)
	}
	if err := next.Close(false); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderBelongsToOneSession(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "playground")
	first := openFolder(t, filepath.Join(parent, "run"))
	mark := first.Join("mark")
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(filepath.Join(parent, "run")); err == nil || !strings.Contains(err.Error(), "another session is running") {
		t.Errorf("A second session got %v, want that another one is running", err)
	}
	if !exists(t, mark) {
		t.Error("The second session has emptied the first one's folder")
	}
	other := openFolder(t, filepath.Join(parent, "demo"))
	if err := errors.Join(first.Close(false), other.Close(false)); err != nil {
		t.Error(err)
	}
	if exists(t, parent) {
		t.Errorf("%s is still there", parent)
	}
}
