// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package faultproxy stands between a client and a server on this machine, and lets a test decide what becomes of each request and of
// each answer: the API server behind it can be slow, full, half-open or lose its answers while it is well, and the same holds for the
// simulated EC2.
//
// A [Proxy] speaks HTTP/1.1 and, over TLS, HTTP/2, as the API server does, and passes watches on as they come. [Options.Asked] decides
// about a request before the server sees it, [Options.Changed] about the answer to a request that has changed something. What changes
// something is for [Options.Changes] to say; [KubernetesChanges] and [EC2Changes] say it for the two systems that an operator changes.
// Below all that, [Proxy.Freeze] and [Proxy.FreezeNew] make connections half-open.
//
// A Proxy has no rules of its own and keeps no state about requests. Whoever crashes an operator after its third write counts the writes
// in Changed, for one proxy or for several.
package faultproxy
