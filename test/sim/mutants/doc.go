// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package mutants measures what the simulation is worth. Each patch file plants one bug in the operator, of a kind that operators have
// had; the simulation must catch it, and the table tells after how much searching. A bug that survives is a hole in the simulation.
//
// A patch is text that tells which bug it plants and which invariant that breaks, followed by a unified diff. The working tree is never
// touched: git applies the diff to copies, and the go command reads those in place of the sources (its flag -overlay).
//
// That every patch fits the sources and compiles is tested always; `make mutants` has them hunted, which takes minutes.
package mutants
