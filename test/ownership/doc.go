// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package ownership shows who owns which field of an object after whatever people and programs do to it, on a real API server and with the
// real kubectl.
//
// Each scenario is a row that reads as a sentence: given a state, an operation, then value, owners and conflict. docs/ownership.md shows
// all rows as tables; `go test ./test/ownership -run TestDocs -update` writes them. What controller/apply predicts of each apply and update
// is held to what the API server does.
//
// The rows that only an operator has are tests of their own, since time passes in them: the operator runs beside users, other controllers
// and GitOps tools, each of which writes in its own way.
package ownership
