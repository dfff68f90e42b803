// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package lagcache is the cache of one operator in a simulation: a view of the API server (test/sim/apiserver) that is
// fed from the history of changes and stands still until a scheduler lets it go on. It can be as old as the scheduler
// likes, miss changes and list anew.
//
// It stands in for controller-runtime's cache, whose interface it implements. It has no goroutines: handlers are called
// by whoever advances it.
package lagcache
