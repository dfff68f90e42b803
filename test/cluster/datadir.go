// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// dataDir is the folder that everything the cluster writes goes to.
type dataDir struct {
	path string
	// made says that the folder is ours: it did not exist before.
	made bool
}

// makeDataDir prepares the folder that the caller asked for, or a temporary one.
func makeDataDir(asked string) (dataDir, error) {
	if asked == "" {
		path, err := os.MkdirTemp("", "fieldowner-cluster-")
		return dataDir{path: path, made: true}, err
	}
	path, err := filepath.Abs(asked)
	if err != nil {
		return dataDir{}, err
	}
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return dataDir{path: path, made: true}, os.MkdirAll(path, 0o700)
	case err != nil:
		return dataDir{}, err
	case len(entries) > 0:
		return dataDir{}, fmt.Errorf("DataDir %s is not empty: name an empty or a new folder, or none for a temporary one", path)
	}
	return dataDir{path: path}, nil
}

// join is the path of something in the folder.
func (d dataDir) join(name string) string { return filepath.Join(d.path, name) }

// write puts a file into the folder. Only its owner may read it, since most of
// these files are credentials.
func (d dataDir) write(name string, content []byte) (string, error) {
	path := d.join(name)
	return path, os.WriteFile(path, content, 0o600)
}

// remove removes the folder if it is ours, else what is in it.
func (d dataDir) remove() error {
	if d.made {
		return os.RemoveAll(d.path)
	}
	entries, err := os.ReadDir(d.path)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(d.join(entry.Name())))
	}
	return err
}
