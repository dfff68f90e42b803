// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package validation tests the API as users meet it, against a real API server: what each kind accepts and refuses and in which
// words, what is filled in, what kubectl shows, what the generated apply configurations get back out of a shared object, and that
// the manifests in config/ apply.
//
// The tables are the contract written down a second time, by hand. A test walks the schemas and fails for every rule, limit and
// enum that no row speaks of.
package validation
