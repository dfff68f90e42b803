// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package apply is the only door through which the operator writes to Kubernetes.
//
// A reconciler builds the whole of what it wants one object to say, as a generated apply configuration, and
// hands it over as an Intent. Apply sends it as one server-side apply under the intent's field manager, or
// sends nothing when the cached object shows that the API server would change nothing. The prediction runs
// the API server's own merge code (k8s.io/apimachinery/pkg/util/managedfields) on the cached object; where
// it cannot be sure it sends: a needless request costs little, a write left out is lost.
//
// Errors tell three things apart that Kubernetes reports with one status code, 409: a field that another
// manager owns (IsOwnershipConflict), an object that has changed since it was read (IsStale), and an object
// that is not the one that was read (IsGone).
//
// For a controller of your own:
//
//	Predict, PredictUpdate   what an apply, or a PUT, would do to a cached object: what changes, and who is in the way
//	Draft, Send              an apply in two steps, for a reconciler that tells of what it would take or leave
//	Explain                  the fields in conflict, their owners and both values, from an API server's answer
//	Ownership                who owns which field of any object
//	Release, Withdraw        give up a manager's fields, or a whole object, and nothing of anybody else's
//	Migrate                  move fields from client-side apply and updates to a manager that applies
//
// An intent with force takes fields back from others once; a field that is taken again within a minute is left to
// them for a while that grows (Result.Left), since two that force would fight for ever.
package apply
