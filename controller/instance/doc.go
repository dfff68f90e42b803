// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package instance reconciles EC2Instances: each pass observes the object and its instance, decides what comes
// next, does it, and applies the whole status.
//
//	observe   the object from the cache, the instance from the observer's store (observe.go)
//	plan      Decide, a pure function of what was observed and the time (plan*.go, diff.go)
//	act       at most one kind of mutation in EC2 (act.go)
//	apply     each child (children.go), and the status, which tells of them, too (status.go): built from scratch, in one
//	          apply each
//
// The launch is what must never happen twice. What is about to be launched is written to the object before EC2
// is asked, in the same apply as the finalizer and guarded by the resourceVersion that it was decided on
// (launchintent.go); the client token is a function of the cluster, the object's uid and the attempt. Whoever
// comes after a crash, a lost answer or a lost status finds the intent and repeats it word for word, which EC2
// answers with the instance that it made before.
//
// Where spec has fallbacks (candidates.go, plan_fallback.go), each is an attempt of its own, in another zone perhaps, and EC2 keeps no
// two of them apart: then only the holder of an intent launches it (fence.go).
package instance
