// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package crashplan kills the operator at every moment that matters, on a real API server and the simulated EC2, and breaks what lies
// between it and the API server.
//
// TestCrashPlans has a table of scenarios (scenarios_test.go). A reference run of each numbers what the operator changes, in Kubernetes and
// in EC2, in one count: proxies stand before both (test/faultproxy). Then the scenario is run again for each number, once with the answer
// to that write delivered and once with it lost; the operator is killed there, started again, and left alone. What it reaches must be what
// the reference run reached, with as many instances launched and terminated. A new scenario is a new row.
//
// TestAPIServerFaults has the faults of the way to the API server: it is full, it fails, its connections are half-open.
package crashplan
