// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package sim runs the whole operator in virtual time: its reconcilers, queues, caches, limiter and observer are the real ones, set up by
// controller/operator as in production, on an API server in memory (test/sim/apiserver) and a simulated EC2 (test/ec2sim), in a
// testing/synctest bubble.
//
// Every request of every operator stops at a gate. A scheduler, driven by a seed, decides which one goes on and what becomes of it, when a
// cache sees the next change, when users and outsiders act, when an operator crashes, and how much time passes. What was written, launched
// and shown is judged all the time (judge_oracles.go); then faults end, and the world must come to rest in the state that was asked for.
//
// A run that fails prints how to repeat it, with as few steps as it needs. A seed is a run, to the last request (TestReplay): what happens at
// one instant in several goroutines is the scheduler's too, no two delays are equal, and each place in the code draws from its own sequence.
//
// Beside the worlds drawn from seeds there are crash plans: every write of every scenario is a moment at which an operator dies, and the end
// is compared with a run in which nothing happens (scenario.go, crashplan.go).
//
// And there are walks: rows of random edits, drawn from the schema of the CRD, of which each settles, is refused, or heals when it is taken
// back, and after which EC2 is as it is for fresh objects with the same specs (walk.go).
//
// And each of AWS's error codes is what a call of the operator's is answered with for an hour (errors_*.go).
package sim
