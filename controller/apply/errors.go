// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ConflictError says that an apply without force met fields that other managers own.
type ConflictError struct {
	// Manager that applied.
	Manager Manager
	// Conflicts, sorted by field.
	Conflicts []Conflict

	err error
}

// Error names every field and owner; it is the same for the same conflicts.
func (e *ConflictError) Error() string {
	parts := make([]string, len(e.Conflicts))
	for i, c := range e.Conflicts {
		parts[i] = c.String()
	}
	return fmt.Sprintf("%s does not own what it wants to set: %s", e.Manager, strings.Join(parts, "; "))
}

// Unwrap returns the API server's error.
func (e *ConflictError) Unwrap() error { return e.err }

// StaleError says that the object has changed since it was read: the caller decides again on a newer one.
type StaleError struct{ err error }

// Error is the API server's text.
func (e *StaleError) Error() string {
	return fmt.Sprintf("the object has changed since it was read: %v", e.err)
}

// Unwrap returns the API server's error.
func (e *StaleError) Unwrap() error { return e.err }

// GoneError says that the object that was read no longer exists, though another of its name may.
type GoneError struct{ err error }

// Error is the API server's text.
func (e *GoneError) Error() string { return fmt.Sprintf("the object no longer exists: %v", e.err) }

// Unwrap returns the API server's error.
func (e *GoneError) Unwrap() error { return e.err }

// IsOwnershipConflict tells whether another manager owns a field that the intent wants to set.
func IsOwnershipConflict(err error) bool { return is[*ConflictError](err) }

// IsStale tells whether the object has changed since it was read.
func IsStale(err error) bool { return is[*StaleError](err) }

// IsGone tells whether the object that was read no longer exists.
func IsGone(err error) bool { return is[*GoneError](err) }

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// uidPath is the field that the API server names when an apply carries another uid than the object's.
const uidPath = "metadata.uid"

// classify turns the API server's answer to an intent into this package's errors. Kubernetes uses 409 for
// ownership conflicts, for an old resourceVersion and for the uid of an object that is gone; the uid of an object
// that was recreated is a 422 on metadata.uid (an immutable field).
func classify(m Manager, err error, live, wanted *unstructured.Unstructured) error {
	if err == nil {
		return nil
	}
	if conflicts, ok := Explain(err, live, wanted); ok {
		return &ConflictError{Manager: m, Conflicts: conflicts, err: err}
	}
	switch {
	case apierrors.IsNotFound(err), isOtherUID(err):
		return &GoneError{err: err}
	case apierrors.IsConflict(err):
		return &StaleError{err: err}
	default:
		return fmt.Errorf("applying as %s: %w", m, err)
	}
}

func isOtherUID(err error) bool {
	if apierrors.IsInvalid(err) {
		return slices.ContainsFunc(details(err), func(c metav1.StatusCause) bool { return c.Field == uidPath })
	}
	return apierrors.IsConflict(err) && strings.Contains(err.Error(), "uid mismatch")
}
