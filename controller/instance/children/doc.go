// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

// Package children says what the children of an EC2Instance shall be, and which objects are its children. It decides
// and does nothing.
//
//	Service          a way to the instance, without a selector (service.go)
//	EndpointSlices   one for each family of addresses, which hold what the Service leads to (endpoints.go)
//	ConfigMap        where the instance is (configmap.go)
//
// Each is built whole from scratch, as an apply configuration of client-go, so that the one field manager that
// applies it owns all that the operator says there and nothing else: labels, annotations and ports that others add
// are theirs and stay. An object that exists is a child only if the EC2Instance controls it (control.go).
package children
