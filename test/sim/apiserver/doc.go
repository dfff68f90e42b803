// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package apiserver is a Kubernetes API server in memory, with field management, for deterministic simulation: the same
// requests at the same (virtual) times give the same answers, uids and resourceVersions.
//
// What decides over a write is the real code: the merge of server-side apply (apimachinery's managedfields), metadata
// rules and the order of a create and an update (apiserver's registry/rest), and for our kinds defaulting, pruning,
// schema validation, CEL rules and list types (apiextensions-apiserver). Around it stands a plain rewrite of
// apiserver's registry and request handlers over a map. Clients are real ones, too, with a transport that calls the
// server instead of a network.
//
// Left out: users' rights, admission but for the life cycle of namespaces, watches (see Changes), paging, field
// selectors but for metadata.name and metadata.namespace, other content types than JSON, limits of size, deletecollection,
// field validation other than by default, warnings, the scale subresource, other API versions. Of
// Kubernetes' own kinds: dual-stack and ExternalName Services, headless Services that become others, load balancers' classes and health check ports, a chosen
// clusterIP or nodePort that is taken, and validation beyond metadata and what test/sim/parity shows. Nothing makes
// kube-root-ca.crt, service accounts or events.
package apiserver
