// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package parity holds the API server of the simulation (test/sim/apiserver) to a real one: the same requests, drawn at
// random, get the same answers and leave the same objects. Where the two are known to differ, a row shows it and says why.
package parity
