// SPDX-FileCopyrightText: The fieldowner Authors
// SPDX-License-Identifier: Apache-2.0

package validation

import (
	"maps"
	"slices"
)

const (
	serviceName = "spec.expose.serviceName: must be a Service's name: lower case letters, digits and -, with a letter first and a letter or digit last"
	portName    = "spec.expose.ports[0].name: must be a port's name: lower case letters, digits and -, with a letter or digit at each end"
	portOnce    = "spec.expose.ports: must use each port at most once for a protocol"
	configMap   = "spec.connection.configMapName: " + objectName
)

// exposePorts is the list of ports.
var exposePorts = listField{section: spec, field: "expose.ports", in: `{expose: {serviceName: web, ports: %s}}`}

// exposing is the patch of an expose that is accepted, but for one member; nil takes it away.
func exposing(member string, value any) string {
	expose := map[string]any{"serviceName": "web", "ports": []any{map[string]any{"name": "http", "port": 80}}, member: value}
	maps.DeleteFunc(expose, func(_ string, value any) bool { return value == nil })
	return put("expose", expose)
}

// exposingPort is the same for a member of its only port.
func exposingPort(member string, value any) string {
	port := map[string]any{"name": "http", "port": 80, member: value}
	maps.DeleteFunc(port, func(_ string, value any) bool { return value == nil })
	return exposing("ports", []any{port})
}

var instanceChildren = slices.Concat([]row{
	spec.accepts("a Service with one port", exposing("type", nil)),
	spec.refuses("an empty expose", `{expose: {}}`, spec.required("expose.ports"), spec.required("expose.serviceName")),
	spec.refuses("a Service without a name", exposing("serviceName", nil), spec.required("expose.serviceName")),
	spec.refuses("a Service with an empty name", exposing("serviceName", ""), serviceName, spec.tooShort("expose.serviceName", 1)),
	spec.accepts("a Service's name of 63 characters", exposing("serviceName", letters(63))),
	spec.refuses("a Service's name of 64 characters", exposing("serviceName", letters(64)), spec.tooLong("expose.serviceName", 63)),
	spec.accepts("a Service's name with digits and hyphens", exposing("serviceName", "web-1-a")),
	spec.refuses("a Service's name with a digit first", exposing("serviceName", "1-web"), serviceName),
	spec.refuses("a Service's name with a hyphen last", exposing("serviceName", "web-"), serviceName),
	spec.refuses("a Service's name with a dot", exposing("serviceName", "web.shop"), serviceName),

	spec.refuses("a Service without ports", exposing("ports", nil), spec.required("expose.ports")),
	spec.refuses("a Service with an empty list of ports", exposing("ports", []any{}), spec.tooFew("expose.ports", 1)),
	spec.refusesToCreate("a port without a name", exposingPort("name", nil), spec.required("expose.ports[0].name")),
	spec.refuses("a port with an empty name", exposingPort("name", ""), portName, spec.tooShort("expose.ports[0].name", 1)),
	spec.accepts("a port's name of 63 characters", exposingPort("name", letters(63))),
	spec.refuses("a port's name of 64 characters", exposingPort("name", letters(64)), spec.tooLong("expose.ports[0].name", 63)),
	spec.accepts("a port's name with a digit first", exposingPort("name", "9p-http")),
	spec.refuses("a port's name in capital letters", exposingPort("name", "HTTP"), portName),
	spec.refuses("a port without a number", exposingPort("port", nil), spec.required("expose.ports[0].port")),
	spec.accepts("one number for two protocols", exposePorts.patch(`[{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53}]`)),
	spec.refuses("one number twice for a protocol", exposePorts.patch(`[{name: a, port: 53, protocol: TCP}, {name: b, port: 53}]`), portOnce),
	spec.accepts("two numbers that lead to one", exposePorts.patch(`[{name: a, port: 80, targetPort: 8080}, {name: b, port: 81, targetPort: 8080}]`)),

	spec.accepts("a ConfigMap", `{connection: {configMapName: web.connection-1}}`),
	spec.refuses("an empty connection", `{connection: {}}`, spec.required("connection.configMapName")),
	spec.refuses("a ConfigMap with an empty name", `{connection: {configMapName: ""}}`, configMap, spec.tooShort("connection.configMapName", 1)),
	spec.accepts("a ConfigMap's name of 253 characters", put("connection.configMapName", letters(253))),
	spec.refuses("a ConfigMap's name of 254 characters", put("connection.configMapName", letters(254)), spec.tooLong("connection.configMapName", 253)),
	spec.refuses("a ConfigMap in another namespace", `{connection: {configMapName: other/web}}`, configMap),
},
	exposePorts.keyed("name", "{port: 80}"),
	exposePorts.upTo(32, "{name: p%[1]d, port: 1%[1]d}"),
	spec.wordsIn("expose.type", func(word any) string { return exposing("type", word) }, "ClusterIP", "NodePort", "LoadBalancer"),
	spec.wordsIn("expose.ports[0].protocol", func(word any) string { return exposingPort("protocol", word) }, "TCP", "UDP", "SCTP"),
	spec.numberIn("expose.ports[0].port", func(number any) string { return exposingPort("port", number) }, 1, 65535),
	spec.numberIn("expose.ports[0].targetPort", func(number any) string { return exposingPort("targetPort", number) }, 1, 65535),
)

var childrenMoves = []move{
	{says: "a Service and a ConfigMap named later", before: ``, after: `{expose: {serviceName: web, ports: [{name: a, port: 1}]}, connection: {configMapName: web}}`},
	{says: "another Service and ConfigMap", before: `{expose: {serviceName: web, ports: [{name: a, port: 1}]}, connection: {configMapName: web}}`,
		after: `{expose: {serviceName: shop, type: NodePort, ports: [{name: a, port: 2, protocol: UDP}, {name: b, port: 1}]}, connection: {configMapName: shop}}`},
	{says: "a Service and a ConfigMap taken away", before: `{expose: {serviceName: web, ports: [{name: a, port: 1}]}, connection: {configMapName: web}}`, after: ``},
}
