// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// tailSize is how much of a program's log goes into an error, in bytes: enough
// for the last few lines, which tell why it ended.
const tailSize = 2 << 10

// logFile is the log of one program.
func (d dataDir) logFile(program string) string { return d.join(program + ".log") }

// createLog opens a program's log. The program is handed the file itself, so
// nothing is left to copy or to wait for when it is killed.
func (d dataDir) createLog(program string) (*os.File, error) {
	return os.OpenFile(d.logFile(program), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
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
func readTail(path string, size int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	start := max(0, info.Size()-size)
	tail, err := io.ReadAll(io.NewSectionReader(file, start, info.Size()-start))
	if err != nil {
		return nil, err
	}
	if start > 0 {
		_, tail, _ = bytes.Cut(tail, []byte("\n"))
	}
	return bytes.TrimSpace(tail), nil
}
