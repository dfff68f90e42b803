// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package lifecycle runs the operator, as its own process and its own ServiceAccount, against a real API server
// and the simulated EC2, and holds it to what it promises: one instance for each object across crashes and
// rivals, few writes, none at rest, and an end to every deletion.
package lifecycle
