// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package sim runs the whole operator in virtual time: its reconcilers, queues, caches, limiter and observer are the real ones, set up by
// controller/operator as in production, on an API server in memory (test/sim/apiserver) and a simulated EC2 (test/ec2sim), in a
// testing/synctest bubble.
//
// Every request of every operator stops at a gate. A scheduler, driven by a seed, decides which one goes on and what becomes of it, when a
// cache sees the next change, when users and outsiders act, when an operator crashes, and how much time passes. What was written, launched
// and shown is judged all the time (oracles.go); then faults end, and the world must come to rest in the state that was asked for.
//
// A run that fails prints its seed and how to repeat it. What happens at one instant in several goroutines is not yet in the scheduler's
// hands, so the same seed is mostly, and not always, the same run.
package sim
