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
		if err != nil {
			return dataDir{}, fmt.Errorf("making a temporary data folder: %w", err)
		}
		return dataDir{path: path, made: true}, nil
	}
	path, err := filepath.Abs(asked)
	if err != nil {
		return dataDir{}, fmt.Errorf("DataDir %s: %w", asked, err)
	}
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if err := os.MkdirAll(path, 0o700); err != nil {
			return dataDir{}, fmt.Errorf("making the DataDir: %w", err)
		}
		return dataDir{path: path, made: true}, nil
	case err != nil:
		return dataDir{}, fmt.Errorf("reading the DataDir: %w", err)
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
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("writing to the data folder: %w", err)
	}
	return path, nil
}

// makeSubfolder makes a folder in the folder.
func (d dataDir) makeSubfolder(name string) (string, error) {
	path := d.join(name)
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", fmt.Errorf("making a folder in the data folder: %w", err)
	}
	return path, nil
}

// remove removes the folder if it is ours, else what is in it.
func (d dataDir) remove() error {
	doomed := []string{d.path}
	if !d.made {
		entries, err := os.ReadDir(d.path)
		if err != nil {
			return fmt.Errorf("emptying the data folder: %w", err)
		}
		doomed = nil
		for _, entry := range entries {
			doomed = append(doomed, d.join(entry.Name()))
		}
	}
	var errs []error
	for _, path := range doomed {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}
