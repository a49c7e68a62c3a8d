# The common commands. "make help" lists them.
#
#   make fuzz FUZZTIME=1m FUZZ=FuzzLoad
#   make release VERSION=v0.1.0

FUZZTIME ?= 10s
FUZZ     ?= .
LEAST    ?= 70
export GOFLAGS ?= -trimpath

.PHONY: build
build: ## Build ./fdplan.
	go build -o fdplan ./cmd/fdplan

.PHONY: test
test: ## Run the tests; those whose tools are missing are skipped by name.
	go test ./...

.PHONY: test-race
test-race: ## Run the tests under the race detector.
	go test -race -timeout 60m ./...

.PHONY: lint
lint: ## Check with gofmt, go vet and staticcheck.
	bash .ci/lint

.PHONY: fuzz
fuzz: ## Run every fuzz target that matches FUZZ for FUZZTIME.
	bash .ci/fuzz '$(FUZZTIME)' '$(FUZZ)'

.PHONY: cover
cover: ## Print the coverage of each package; fail below LEAST per cent.
	LEAST='$(LEAST)' bash .ci/cover

.PHONY: tools
tools: ## Bring HiGHS; name the Debian packages that are missing.
	bash .ci/tools

.PHONY: ci
ci: ## Install all tools, check and test everything, as CI does.
	bash .ci/run

.PHONY: release
release: ## Build the archives for all systems, with checksums, in dist/.
	bash .ci/release $(VERSION)

.PHONY: clean
clean: ## Remove what build and release write.
	rm -rf fdplan dist

.PHONY: help
help: ## List the commands.
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'
