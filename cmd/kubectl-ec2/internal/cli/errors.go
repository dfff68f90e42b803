// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import "fmt"

// What a shell gets to know. The commands' help documents it.
const (
	// ExitOK says that a command did what it was asked for.
	ExitOK = 0
	// ExitConflicts says that there are conflicts, and nothing else in the way.
	ExitConflicts = 1
	// ExitError says that something could not be done: bad usage, a file, the cluster.
	ExitError = 2
)

// UsageError says that the command line is wrong: the help says how it is right.
type UsageError struct{ text string }

// Error is the text.
func (e *UsageError) Error() string { return e.text }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return &UsageError{text: fmt.Sprintf(format, args...)} }

// CodeError ends the program with a code and without a word: everything is said already.
type CodeError struct{ Code int }

// Error names the code.
func (e *CodeError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }
