// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package operatorrig

import (
	"bytes"
	"strings"
	"sync"
)

// Log is an operator's log, which is read while it is written.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *Log) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String is all of it.
func (b *Log) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// Tail is its last lines.
func (b *Log) Tail(lines int) string {
	all := strings.Split(strings.TrimSpace(b.String()), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
