#!/usr/bin/env bash
# SPDX-FileCopyrightText: The fieldowner Authors
# SPDX-License-Identifier: Apache-2.0
#
# Checks that the generated files are what their sources say. It compares with the files as they lie here, not with git: so it tells
# the truth in a tree with uncommitted work, and after a failure the files are already right.
set -euo pipefail

controller_gen=$1
cd "$(dirname "${BASH_SOURCE[0]}")/.."

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT

# generated lists the generated files below a folder, sorted.
generated() {
  (cd "$1" && find api applyconfig config/crd/bases config/rbac -type f \
    \( -path 'applyconfig/*' -o -path 'config/crd/bases/*' -o -name 'zz_generated*' -o -path config/rbac/role.yaml \) | sort)
}

generated . | xargs cp --parents -t "$before"
.tools/generate.sh "$controller_gen"

while IFS= read -r file; do
  diff --new-file --unified "$before/$file" "$file" || stale=1
done < <(sort -u <(generated .) <(generated "$before"))

if [[ -n ${stale:-} ]]; then
  echo "The generated files above were not up to date. They are now: commit them." >&2
  exit 1
fi
