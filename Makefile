# Everything that is built lies in bin/. Nothing but Go, git, bash and make is needed: the tools are built from pinned modules.

.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules --no-print-directory

GO ?= go
# More arguments for go test, such as -race or -run.
GOTESTFLAGS ?=
# The longest suite takes nine minutes, most of it spent waiting for rate limits and watching that nothing happens.
TESTTIMEOUT := 25m

BIN := $(CURDIR)/bin
CONTROLLER_GEN := $(BIN)/controller-gen
GOLANGCI_LINT := $(BIN)/golangci-lint

# golangci-lint's formatters pass over folders that begin with a dot.
GOFMT = "$$($(GO) env GOROOT)/bin/gofmt"

# The nested modules: what the operator itself does not depend on.
MODULES := . .tools/codegen .tools/golangci-lint test/controlplane

##@ Use

.PHONY: help
help: ## Show this help.
	@awk 'BEGIN { FS = ":.*## "; print "Usage: make TARGET" } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: controlplane build ## Start a control plane, a simulated EC2 and the operator, and say what to try. Ctrl-C stops all.
	@exec $(BIN)/playground

.PHONY: demo
demo: controlplane build ## The same unattended: create, change, lose and delete instances, and check each step.
	@exec $(BIN)/playground demo

##@ Test

.PHONY: test
test: controlplane build ## Run all tests, those against the real API server too.
	@# Built as build.sh builds it, and not vetted: vet would read all of Kubernetes, for ten minutes.
	CGO_ENABLED=0 $(GO) -C test/controlplane test -trimpath -vet=off ./...
	$(GO) test -timeout $(TESTTIMEOUT) $(GOTESTFLAGS) ./...

.PHONY: test-unit
test-unit: ## Run the tests that need no control plane.
	$(GO) test $(GOTESTFLAGS) ./api/... ./controller/... ./cmd/... ./test/docs/... ./test/ec2sim/...

# How many worlds make sim runs, and the first one's seed; 0 draws it.
SEEDS ?= 100
SEED ?= 0

.PHONY: sim
sim: ## Run the whole operator in virtual time under faults, SEEDS worlds from SEED on.
	$(GO) test ./test/sim -run 'TestSeeds$$' -count=1 -v -timeout 5h -sim.seeds=$(SEEDS) -sim.seed=$(SEED)

# How many edits of how many objects make walk makes.
EDITS ?= 1000
OBJECTS ?= 20

.PHONY: walk
walk: ## Edit OBJECTS objects at random, EDITS times, and compare them with fresh ones. SEED says how.
	$(GO) test ./test/sim -run 'TestWalk$$' -count=1 -v -timeout 5h -sim.edits=$(EDITS) -sim.objects=$(OBJECTS) -sim.seed=$(SEED)

.PHONY: mutants
mutants: SEEDS = 300
mutants: ## Plant ten bugs in the operator, one at a time, and have the simulation catch each. SEEDS is how many worlds it may take.
	$(GO) test ./test/sim/mutants -run TestMutants -count=1 -v -timeout 5h -mutants -mutants.seeds=$(SEEDS)

.PHONY: reliability
reliability: ## Run the simulation, SEEDS worlds from SEED on, all crash plans and all errors, and write the tables of docs/reliability.md and docs/errors.md.
	$(GO) test ./test/sim -run 'TestSeeds$$|TestCrashPlans$$|TestErrors$$' -count=1 -v -timeout 5h \
		-sim.seeds=$(SEEDS) -sim.seed=$(SEED) -sim.crashplans=all -sim.errors=all -sim.docs

.PHONY: bench
bench: controlplane ## Run the benchmarks.
	$(GO) test -run '^$$' -bench . -benchmem $(GOTESTFLAGS) ./...

##@ Build

.PHONY: build
build: ## Build the operator, the simulator and the playground into bin/.
	@mkdir -p $(BIN)
	@# With the flags of go test and no others, so that both share what is compiled.
	$(GO) build -o $(BIN)/ $(sort $(wildcard ./cmd/*) $(wildcard ./test/ec2sim/cmd/*))

.PHONY: controlplane
controlplane: ## Build etcd, kube-apiserver, kube-controller-manager and kubectl once; 13 minutes the first time on 2 cores.
	@test/controlplane/build.sh

.PHONY: generate
generate: $(CONTROLLER_GEN) ## Regenerate deepcopy, CRDs, RBAC and apply configurations from the markers in the sources.
	@.tools/generate.sh $(CONTROLLER_GEN)

.PHONY: docs
docs: controlplane ## Write the tables of docs/ownership.md and docs/ec2instance.md from the rows of their tests, which are run for it.
	$(GO) test ./test/ownership -run TestDocs -update
	$(GO) test ./test/sim -run 'TestFields$$' -count=1 -sim.docs

##@ Check

.PHONY: verify
verify: verify-format verify-vet lint verify-rules verify-generated verify-tidy verify-shell ## Check all that needs no test run: format, vet, lint, generated files, modules.

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Lint; the rules are in .golangci.yml.
	$(GOLANGCI_LINT) config verify
	$(GOLANGCI_LINT) run ./...

.PHONY: fmt
fmt: $(GOLANGCI_LINT) ## Format the Go files.
	$(GOLANGCI_LINT) fmt
	$(GOFMT) -w .tools

.PHONY: tidy
tidy: ## Tidy all go.mod files.
	@for module in $(MODULES); do echo "$(GO) mod tidy ($$module)"; $(GO) -C "$$module" mod tidy; done

.PHONY: clean
clean: ## Remove what was built, but for the control plane, which takes long (make clean-all removes that too).
	rm -rf .playground
	find $(BIN) -mindepth 1 -maxdepth 1 ! -name controlplane -exec rm -rf {} +

.PHONY: clean-all
clean-all:
	rm -rf .playground $(BIN)

# The parts of verify, each of which can be run alone.

.PHONY: verify-format
verify-format: $(GOLANGCI_LINT)
	$(GOLANGCI_LINT) fmt --diff
	@unformatted=$$($(GOFMT) -l .tools); if [[ -n $$unformatted ]]; then echo "Not formatted: $$unformatted"; exit 1; fi

.PHONY: verify-vet
verify-vet:
	$(GO) vet ./...
	$(GO) -C .tools/golangci-lint vet ./...

# The rules of .golangci.yml are tested when something that they depend on has changed.
RULES := .tools/golangci-lint/rules
RULES_TESTED := $(BIN)/.rules-tested

.PHONY: verify-rules
verify-rules: $(RULES_TESTED)

$(RULES_TESTED): $(GOLANGCI_LINT) .golangci.yml go.mod $(shell find $(RULES) -type f)
	GOLANGCI_LINT=$(GOLANGCI_LINT) $(GO) -C .tools/golangci-lint test -count=1 ./rules
	@touch $@

.PHONY: verify-generated
verify-generated: $(CONTROLLER_GEN)
	@.tools/verify-generated.sh $(CONTROLLER_GEN)

.PHONY: verify-tidy
verify-tidy:
	@for module in $(MODULES); do echo "$(GO) mod tidy -diff ($$module)"; $(GO) -C "$$module" mod tidy -diff; done

SCRIPTS := .ci/run $(wildcard .tools/*.sh) test/controlplane/build.sh

.PHONY: verify-shell
verify-shell:
	@for script in $(SCRIPTS); do bash -n "$$script"; done
	@if command -v shellcheck >/dev/null; then shellcheck $(SCRIPTS); fi

# The tools. Their versions are in the go.mod files of their modules, and a change there builds them again.

CODEGEN_SOURCES := .tools/codegen/go.mod .tools/codegen/go.sum
$(CONTROLLER_GEN): $(CODEGEN_SOURCES)
	@echo "Building controller-gen; about a minute the first time"
	@$(GO) -C .tools/codegen build -buildvcs=false -ldflags '-s -w' -o $@ sigs.k8s.io/controller-tools/cmd/controller-gen
	@touch $@

GOLANGCI_SOURCES := .tools/golangci-lint/go.mod .tools/golangci-lint/go.sum .tools/golangci-lint/main.go $(wildcard .tools/golangci-lint/onedoor/*.go)
$(GOLANGCI_LINT): $(GOLANGCI_SOURCES)
	@echo "Building golangci-lint with our linters; some minutes the first time"
	@$(GO) -C .tools/golangci-lint build -buildvcs=false -ldflags '-s -w' -o $@ .
	@touch $@
