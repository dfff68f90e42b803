// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package instance

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// Event is something to tell of an object, once the write that it speaks of has been made. The API server takes a note
// of at most maxMessage bytes.
type Event struct {
	Type, Reason, Note string
}

func normal(reason, format string, args ...any) Event {
	return Event{Type: corev1.EventTypeNormal, Reason: reason, Note: shortened(fmt.Sprintf(format, args...))}
}

func warning(reason, format string, args ...any) Event {
	return Event{Type: corev1.EventTypeWarning, Reason: reason, Note: shortened(fmt.Sprintf(format, args...))}
}

// actionOf is what an event's action field says: events.k8s.io asks for the action that was taken.
const actionReconcile = "Reconcile"
