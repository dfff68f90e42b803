// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package killed takes from the operator what it stands on: etcd, kube-apiserver, EC2 and the operator itself are
// killed in random order while users go on, and etcd is restored from a backup while EC2 is not. It holds what must be
// true then: never two instances of one object, none lost, and none touched of which it cannot be known whose it is.
//
//	go test ./test/killed -v -killed.rounds=40 -killed.seed=7
package killed
