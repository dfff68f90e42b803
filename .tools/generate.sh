#!/usr/bin/env bash
# SPDX-FileCopyrightText: The fieldowner Authors
# SPDX-License-Identifier: Apache-2.0
#
# Regenerates what comes from the markers in the Go sources: deepcopy functions, CRDs, RBAC and apply configurations.
# Run it through `make generate`, which builds controller-gen.
set -euo pipefail

controller_gen=$1
cd "$(dirname "${BASH_SOURCE[0]}")/.."
header=.tools/boilerplate.go.txt

# What is older than this afterwards was not generated again, so its source is gone.
started=$(mktemp)
trap 'rm -f "$started"' EXIT

# Deepcopy comes first: without it the API does not compile, and the other generators load it.
"$controller_gen" "object:headerFile=$header" paths=./api/...

# Where the apply configurations go is said by a marker in the API package's doc.go.
# Types of metav1 map to client-go's apply configurations without being named here.
"$controller_gen" \
  crd output:crd:dir=config/crd/bases \
  "applyconfiguration:headerFile=$header,omitToolVersion=true" \
  paths=./api/...

"$controller_gen" rbac:roleName=ec2-operator-manager output:rbac:dir=config/rbac paths=./controller/...

find applyconfig config/crd/bases -type f ! -newer "$started" -print -delete
