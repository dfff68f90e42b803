// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Folder holds what one session writes. One session at a time has it.
type Folder struct {
	path string
	lock *os.File
}

// OpenFolder makes the folder, empty: what a session that was killed has left is
// removed. It fails while another session has the folder.
func OpenFolder(path string) (*Folder, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making the session's folder: %w", err)
	}
	f := &Folder{path: path}
	if f.lock, err = takeLock(path + ".lock"); err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o700)); err != nil {
		return nil, errors.Join(fmt.Errorf("emptying the session's folder: %w", err), f.unlock())
	}
	return f, nil
}

// Join is the path of something in the folder.
func (f *Folder) Join(name string) string { return filepath.Join(f.path, name) }

// Close leaves the folder to the next session. It is removed, or kept for someone to
// look at.
func (f *Folder) Close(keep bool) error {
	var err error
	if !keep {
		err = os.RemoveAll(f.path)
	}
	err = errors.Join(err, f.unlock())
	if err != nil {
		return fmt.Errorf("closing the session's folder: %w", err)
	}
	// It belongs to all sessions and goes with the last one: it is not removed while something is in it.
	_ = os.Remove(filepath.Dir(f.path))
	return nil
}

// unlock removes the lock while it is still held, so that nobody's else is removed.
func (f *Folder) unlock() error {
	return errors.Join(os.Remove(f.lock.Name()), f.lock.Close())
}

// lockAttempts bounds how often a lock is tried that its holder removes meanwhile.
const lockAttempts = 10

func takeLock(path string) (*os.File, error) {
	for range lockAttempts {
		lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("opening the session's lock: %w", err)
		}
		if err := lockFile(lock); err != nil {
			return nil, errors.Join(fmt.Errorf("another session is running: stop it first (it holds %s: %w)", path, err), lock.Close())
		}
		if stillThere(lock) {
			return lock, nil
		}
		_ = lock.Close() // the holder before us has removed it: this one locks nothing
	}
	return nil, fmt.Errorf("%s is being removed all the time", path)
}

// stillThere says whether the file is the one that its name leads to.
func stillThere(file *os.File) bool {
	open, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(file.Name())
	return err == nil && os.SameFile(open, named)
}
