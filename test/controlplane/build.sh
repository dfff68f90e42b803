#!/usr/bin/env bash
# SPDX-FileCopyrightText: The fieldowner Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the control plane for tests and the playground: etcd, kube-apiserver,
# kube-controller-manager and kubectl as one binary with four links to it.
#
#   test/controlplane/build.sh [FOLDER]     default: bin/controlplane
#
# Does nothing when FOLDER already holds what these sources build, or when
# KUBEBUILDER_ASSETS names a folder that has the programs.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here/../../bin/controlplane}
programs=(etcd kube-apiserver kube-controller-manager kubectl)

# Measured from empty caches: what the build costs, in minutes of one core.
core_minutes=26
# How often a line tells that the build is still alive, in seconds.
progress_every=30

say() { printf 'controlplane: %s\n' "$*"; }

# missing_in FOLDER NAME...: prints those programs that FOLDER does not have.
missing_in() {
  local folder=$1 name
  shift
  for name in "$@"; do
    [[ -x $folder/$name ]] || printf '%s ' "$name"
  done
}

# use_existing succeeds when the user brought the programs along. A folder that
# lacks some is refused: the tests would take it too, and fail later.
use_existing() {
  [[ -n ${KUBEBUILDER_ASSETS:-} ]] || return 1
  local missing
  missing=$(missing_in "$KUBEBUILDER_ASSETS" etcd kube-apiserver kubectl)
  if [[ -n $missing ]]; then
    say "KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS has no ${missing% }. Add it, or unset KUBEBUILDER_ASSETS to build all of them here." >&2
    exit 1
  fi
  say "using KUBEBUILDER_ASSETS=$KUBEBUILDER_ASSETS, nothing to build"
  if [[ -n $(missing_in "$KUBEBUILDER_ASSETS" kube-controller-manager) ]]; then
    say "it has no kube-controller-manager: whatever needs garbage collection will refuse it. Add it, or unset KUBEBUILDER_ASSETS to build it here." >&2
  fi
}

# fingerprint identifies what would be built: the sources by their content (a
# checkout changes times), and the platform.
fingerprint() {
  { go env GOOS GOARCH; cat go.mod go.sum; find . -name '*.go' ! -name '*_test.go' | LC_ALL=C sort | xargs cat; } | cksum
}

up_to_date() {
  [[ -z $(missing_in "$out" "${programs[@]}") && -f $out/.fingerprint && $(<"$out/.fingerprint") == "$1" ]]
}

cores() { getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2; }

elapsed() { printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)); }

# report_progress LOG TOTAL: a line now and then, until it is killed.
report_progress() {
  local next=$progress_every
  while sleep 1; do
    if ((SECONDS >= next)); then
      say "$(elapsed) elapsed, $(($(wc -l <"$1"))) packages compiled, of $2 at most"
      next=$((SECONDS + progress_every))
    fi
  done
}

# version_flags sets the version that the programs report. Left alone they call
# themselves v0.0.0-master, and clients that look at the version complain.
version_flags() {
  local version=$1 package=k8s.io/component-base/version major minor
  IFS=. read -r major minor _ <<<"${version#v}"
  printf -- '-X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s' \
    "$package" "$version" "$package" "$major" "$package" "$minor"
}

build() {
  local target=$1 log=$2 version total minutes
  version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
  minutes=$(((core_minutes + $(cores) - 1) / $(cores)))
  say "building etcd, kube-apiserver, kube-controller-manager and kubectl $version from their Go modules."
  say "This happens once. From empty caches it takes about $minutes minutes on $(cores) cores; with Go's build cache warm, seconds."
  say "downloading modules"
  total=$(($(go list -deps . | wc -l)))
  say "compiling"
  report_progress "$log" "$total" &
  ticker=$!
  if ! CGO_ENABLED=0 go build -v -trimpath -buildvcs=false -ldflags "-s -w $(version_flags "$version")" -o "$target" . 2>"$log"; then
    say "the build failed:" >&2
    tail -n 20 "$log" >&2
    exit 1
  fi
}

# install_links NEW: puts the new binary in place. Renaming keeps servers that
# run from the old one alive, and nobody ever sees half a binary.
install_links() {
  local name
  rm -f "$out/.fingerprint"
  mv -f "$1" "$out/controlplane"
  for name in "${programs[@]}"; do
    ln -sfn controlplane "$out/$name"
  done
}

ticker='' work=''
cleanup() {
  [[ -z $ticker ]] || kill "$ticker" 2>/dev/null || true
  [[ -z $work ]] || rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

main() {
  if use_existing; then return; fi
  mkdir -p "$out"
  out=$(cd "$out" && pwd)
  cd "$here"
  export GOWORK=off # a module of its own, whatever workspace it lies in

  local wanted
  wanted=$(fingerprint)
  if up_to_date "$wanted"; then
    say "$out is up to date"
    return
  fi
  work=$(mktemp -d "$out/.build.XXXXXX")
  build "$work/controlplane" "$work/log"
  install_links "$work/controlplane"
  printf '%s\n' "$wanted" >"$out/.fingerprint"
  say "built $out in $(elapsed)"
}

main
