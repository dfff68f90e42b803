// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package stack

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

const (
	// tailLines is how many lines of a log tell why something happened.
	tailLines = 20
	// tailBytes bounds what is read for them.
	tailBytes = 32 << 10
)

// tailOf is the end of a log, for people; what cannot be read is said instead.
func tailOf(path string) string {
	end, err := readEnd(path, tailBytes)
	switch {
	case err != nil:
		return fmt.Sprintf("its log cannot be read: %s", err)
	case len(end) == 0:
		return fmt.Sprintf("its log %s is empty", path)
	}
	return fmt.Sprintf("the end of its log %s:\n%s", path, lastLines(end, tailLines))
}

// readEnd reads at most size bytes from the end of a file.
func readEnd(path string, size int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("looking at: %w", err)
	}
	start := max(0, info.Size()-size)
	end, err := io.ReadAll(io.NewSectionReader(file, start, info.Size()-start))
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	if start > 0 {
		_, end, _ = bytes.Cut(end, []byte("\n")) // the first line is not whole
	}
	return bytes.TrimSpace(end), nil
}

func lastLines(text []byte, n int) []byte {
	lines := bytes.Split(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-n):], []byte("\n"))
}
