// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package screen tells people who wait what is going on: stages of a start with the
// time since its beginning, commands with their output, and checks.
package screen

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Screen writes for people. It may be used by several goroutines. What cannot be
// written is lost: nobody is left to be told.
type Screen struct {
	clock clock.PassiveClock
	began time.Time

	mu sync.Mutex
	w  io.Writer
}

// New makes a screen whose time begins now.
func New(w io.Writer, c clock.PassiveClock) *Screen {
	return &Screen{w: w, clock: c, began: c.Now()}
}

// Elapsed is the time since the beginning.
func (s *Screen) Elapsed() time.Duration { return s.clock.Since(s.began) }

// Stage says, on a line with the time since the beginning, what begins now.
func (s *Screen) Stage(format string, args ...any) {
	s.print(fmt.Sprintf("[%5.1fs] %s\n", s.Elapsed().Seconds(), fmt.Sprintf(format, args...)))
}

// Write shows each line as a stage; it is for others who report their progress.
func (s *Screen) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		s.Stage("%s", bytes.TrimRight(line, "\n"))
	}
	return len(p), nil
}

// Heading begins a part.
func (s *Screen) Heading(format string, args ...any) {
	s.print(fmt.Sprintf("\n=== "+format+"\n", args...))
}

// Command shows a command as one would type it, and what it reads, if anything.
func (s *Screen) Command(args []string, stdin string) {
	line := "$ " + Quote(args)
	if stdin != "" {
		line += " <<'EOF'\n" + strings.TrimRight(stdin, "\n") + "\nEOF"
	}
	s.print(line + "\n")
}

// Output shows what a command has printed.
func (s *Screen) Output(output []byte) {
	if output = bytes.TrimRight(output, "\n"); len(output) > 0 {
		s.print(string(output) + "\n")
	}
}

// Check says that something was found to be so.
func (s *Screen) Check(format string, args ...any) {
	s.print(fmt.Sprintf("ok: "+format+"\n", args...))
}

// Text shows a text as it is.
func (s *Screen) Text(format string, args ...any) {
	s.print(fmt.Sprintf(format, args...) + "\n")
}

func (s *Screen) print(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = io.WriteString(s.w, text)
}

// Quote joins arguments to a line that a shell splits into the same arguments.
func Quote(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

// plain are the characters, besides letters and digits, that mean nothing to a shell.
const plain = "-_./:=,@%+"

func quote(arg string) string {
	special := func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune(plain, r)
	}
	if arg != "" && !strings.ContainsFunc(arg, special) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
