// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package apply

// Reason is why a prediction that nothing would change is not trusted: the intent is sent. It is a metric's label.
type Reason string

// The reasons.
const (
	// ReasonNotCached: there is no cached object to predict on.
	ReasonNotCached Reason = "NotCached"
	// ReasonDeleting: the object is being deleted, and the intent is on the object itself: the next finalizer to
	// leave may end it.
	ReasonDeleting Reason = "Deleting"
	// ReasonNoManagedFields: the cached object has no managedFields. Its cache takes them away, or somebody has
	// cleared them; in both cases the API server knows owners that the cached object does not tell.
	ReasonNoManagedFields Reason = "NoManagedFields"
	// ReasonOtherAPIVersion: a manager owns fields in another version of the API; only the API server converts.
	ReasonOtherAPIVersion Reason = "OtherAPIVersion"
	// ReasonUnreadable: the object, or what a manager owns of it, cannot be read.
	ReasonUnreadable Reason = "Unreadable"
	// ReasonUnknownKind: no schema is known for the kind.
	ReasonUnknownKind Reason = "UnknownKind"
	// ReasonLossyType: the cached object is of a Go type that does not keep values as they were written, such as
	// "1024Mi" in a Quantity.
	ReasonLossyType Reason = "LossyType"
	// ReasonSchemaDiffers: the CRD in the cluster is not the one that this program was built with.
	ReasonSchemaDiffers Reason = "SchemaDiffers"
	// ReasonOtherObject: the cached object is not the one that the intent is for.
	ReasonOtherObject Reason = "OtherObject"
	// ReasonGuarded: the cached object is not at the resourceVersion that the intent is guarded by; the API server is
	// to check the guard.
	ReasonGuarded Reason = "Guarded"
)
