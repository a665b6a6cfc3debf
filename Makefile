# Every check that CI makes is a target here, and CI calls nothing else.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# What .ci/install.sh puts beside the code goes before what the machine has.
export PATH := $(CURDIR)/bin:$(CURDIR)/bin/node/bin:$(PATH)

GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
GATEWAY ?= bin/gateway
FUZZTIME ?= 5s
FITTER_FUZZTIME ?= 30s
BENCHTIME ?= 1s
LOADTIME ?= 30s
SOAKTIME ?= 10m
PEERS ?= /tmp/mcp-peers

# What building the widget writes; committed, so that building the gateway needs no Node.js.
BUILT := widgets/dist widgets/THIRD_PARTY_LICENCES

# The same for the preview page.
PREVIEW := cmd/gateway/demo/preview/page
BUILT_PREVIEW := $(PREVIEW)/dist $(PREVIEW)/THIRD_PARTY_LICENCES

# Packages in which goroutines share anything: their tests run with the race detector too, less those that move tens of
# megabytes.
RACE := ./cmd/... ./proxy/...

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## Serve a made-up TomTom server, the gateway and a page that shows what it does; needs only Go
	$(GO) run ./cmd/gateway demo

# grpcnotrace leaves pages for debugging out of a library of the exporter of traces: 3 MB.
.PHONY: build
build: ## Build bin/gateway, a static binary
	CGO_ENABLED=0 $(GO) build -tags grpcnotrace -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o $(GATEWAY) ./cmd/gateway

.PHONY: test
test: vet lint unit race load clients conformance fuzz widget preview chart alerts image kube ## Everything CI checks; installs what is missing (as root)

.PHONY: vet
vet: ## Static checks of the Go toolchain; what runs other processes also as macOS and Windows compile it
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./proxy/stdio ./cmd/gateway
	GOOS=windows $(GO) vet ./proxy/stdio ./cmd/gateway

.PHONY: lint
lint: ## golangci-lint, at the pinned version
	.ci/install.sh golangci-lint
	golangci-lint run ./...

.PHONY: unit
unit: ## All Go tests but those of make conformance
	$(GO) test $$($(GO) list ./... | grep -v /e2e/conformance)

.PHONY: race
race: ## Go tests under the race detector, where goroutines share something
	.ci/install.sh cc
	CGO_ENABLED=1 $(GO) test -race -short $(RACE)

.PHONY: e2e
e2e: ## End-to-end tests alone: built binaries, real TCP
	$(GO) test -count=1 ./e2e/...

.PHONY: load
load: ## Many hosts at once, processes that are killed, and a soak of LOADTIME (30s)
	E2E_SOAK=$(LOADTIME) $(GO) test -count=1 -v ./e2e/load ./e2e/chaos | grep -vE '^=== (RUN|PAUSE|CONT)'

.PHONY: soak
soak: ## Hosts that call for SOAKTIME (10m): nothing that the process holds may grow
	E2E_SOAK=$(SOAKTIME) $(GO) test -count=1 -v -timeout 0 -run TestSoak ./e2e/load

.PHONY: peers
peers: ## Other MCP proxies beside the gateway, built into PEERS; no part of make test
	.ci/install.sh node
	e2e/peers/build.sh $(PEERS)
	E2E_PEERS=$(PEERS) $(GO) test -run '^$$' -bench . -benchtime 500x ./e2e/peers

.PHONY: clients
clients: ## The TypeScript SDKs' clients as hosts of the gateway
	.ci/install.sh node
	cd e2e/clients && npm ci --no-audit --no-fund
	E2E_CLIENTS=1 $(GO) test -count=1 ./e2e/clients

.PHONY: conformance
conformance: e2e/conformance/node_modules/.package-lock.json ## The official MCP conformance suite and the MCP Inspector, against the gateway
	.ci/install.sh node
	CI=true $(GO) test -count=1 -v ./e2e/conformance | grep -vE '^=== (RUN|PAUSE|CONT)'

# npm writes this file last.
e2e/conformance/node_modules/.package-lock.json: e2e/conformance/package-lock.json
	.ci/install.sh node
	cd e2e/conformance && npm ci --ignore-scripts --no-audit --no-fund

.PHONY: fuzz
fuzz: ## Every fuzz target for FUZZTIME (5s), the fitter's for FITTER_FUZZTIME (30s)
	.ci/fuzz.sh $(FUZZTIME) $(FITTER_FUZZTIME)

.PHONY: bench
bench: ## Every benchmark for BENCHTIME (1s); figures are in docs/benchmarks.md
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

.PHONY: widget
widget: ## Check, test and rebuild the widget; what is committed must come out the same
	.ci/install.sh node
	.ci/install.sh chromium
	cd widgets && npm ci --no-audit --no-fund
	cd widgets && npm run check && npm test && npm run build
	@git diff --stat -- $(BUILT) && test -z "$$(git status --porcelain -- $(BUILT))" \
		|| { echo '$(BUILT) differ from what the sources build: commit the rebuilt files' >&2; exit 1; }
	cd widgets && npm run test:browser

.PHONY: preview
preview: ## Check, test and rebuild the preview page of make demo, as make widget does
	.ci/install.sh node
	.ci/install.sh chromium
	cd $(PREVIEW) && npm ci --no-audit --no-fund
	cd $(PREVIEW) && npm run check && npm test && npm run build
	@git diff --stat -- $(BUILT_PREVIEW) && test -z "$$(git status --porcelain -- $(BUILT_PREVIEW))" \
		|| { echo '$(BUILT_PREVIEW) differ from what the sources build: commit the rebuilt files' >&2; exit 1; }
	cd $(PREVIEW) && npm run test:browser

# The chart's tests are a module of their own, and so are the programs that they run.
CHART_TEST = CGO_ENABLED=0 $(GO) -C e2e/chart test -count=1
KUBE := k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kube-controller-manager k8s.io/kubernetes/cmd/kubectl
KUBE_BUILD_LIMIT ?= 25m

.PHONY: chart
chart: ## The Helm chart: lint, every option rendered by Helm 4 and 3, bad values refused
	.ci/install.sh golangci-lint
	cd e2e/chart && $(GO) vet ./... && golangci-lint run ./...
	$(CHART_TEST) ./...

.PHONY: alerts
alerts: ## The alert rules fire in Prometheus' own engine, and the dashboard asks for what there is
	.ci/install.sh golangci-lint
	cd e2e/alerts && $(GO) vet ./... && golangci-lint run ./... && $(GO) test -count=1 ./...

# Platforms of the image.
ARCHES ?= amd64 arm64

.PHONY: image
image: ## The container image for $(ARCHES), into dist/image/oci; its program is run in it
	.ci/install.sh image
	.ci/image.sh '$(VERSION)' "$$(git rev-parse HEAD)" $(ARCHES)
	E2E_IMAGE='$(ARCHES)' $(CHART_TEST) -run 'Image|Headless' .

.PHONY: sbom
sbom: build ## Write docs/sbom.cdx.json, what the gateway is made of
	.ci/sbom.sh "$$(sed -n 's/^appVersion: //p' helm/Chart.yaml)" bin/gateway > docs/sbom.cdx.json

.PHONY: kube
kube: ## The chart on a real API server: installed in every way, and run as admitted
	.ci/install.sh kube
	@echo 'building the API server, unless it is there'
	@if timeout $(KUBE_BUILD_LIMIT) bash -c 'for program; do e2e/kube/tool.sh "$$program" || exit; done' -- $(KUBE); \
		then E2E_KUBE=1 $(CHART_TEST) -run TestInCluster .; \
		else echo 'skipped: the API server was not built within $(KUBE_BUILD_LIMIT)' >&2; fi

.PHONY: generate-chart
generate-chart: ## Write the chart's README from its values
	$$(e2e/kube/tool.sh github.com/norwoodj/helm-docs/cmd/helm-docs) --chart-search-root helm --chart-to-generate helm --sort-values-order file

.PHONY: generate
generate: ## Write the generated files: docs/configuration.md, config/synopsis.go
	$(GO) generate ./...

.PHONY: fmt
fmt: ## Format the Go code
	.ci/install.sh golangci-lint
	golangci-lint fmt ./...

.PHONY: clean
clean: ## Remove what was built and installed beside the code
	rm -rf bin dist widgets/node_modules e2e/clients/node_modules e2e/conformance/node_modules $(PREVIEW)/node_modules
