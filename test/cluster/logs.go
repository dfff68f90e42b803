// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// tailSize is how much of a program's log goes into an error, in bytes: enough
// for the last few lines, which tell why it ended.
const tailSize = 2 << 10

// logFile is the log of one program.
func (d dataDir) logFile(program string) string { return d.join(program + ".log") }

// withLog opens a program's log for the time of its start. The program is handed
// the file itself, so nothing is left to copy or to wait for when it is killed.
func (d dataDir) withLog(program string, start func(log *os.File) error) error {
	log, err := os.OpenFile(d.logFile(program), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("creating the log of %s: %w", program, err)
	}
	return errors.Join(start(log), log.Close())
}

// explain adds the last lines of a program's log to the error of its start.
func (d dataDir) explain(program string, err error) error {
	tail, readErr := readTail(d.logFile(program), tailSize)
	switch {
	case readErr != nil:
		return errors.Join(err, readErr)
	case len(tail) == 0:
		return fmt.Errorf("%w; it logged nothing", err)
	}
	return fmt.Errorf("%w; the end of its log:\n%s", err, tail)
}

// readTail reads the last whole lines of a file, size bytes at most.
func readTail(path string, size int) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	if start := len(content) - size; start > 0 {
		_, content, _ = bytes.Cut(content[start:], []byte("\n"))
	}
	return bytes.TrimSpace(content), nil
}
