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
package apply
