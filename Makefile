# The common commands. "make help" lists them.
#
#   make fuzz FUZZTIME=1m FUZZ=FuzzLoad
#   make release VERSION=v0.1.0
#   make bench-compare OLD=0123456789ab NEW=ba9876543210   default: the last two

FUZZTIME ?= 10s
FUZZ     ?= .
LEAST    ?= 70
COUNT    ?= 6
export GOFLAGS ?= -trimpath

.PHONY: build
build: ## Build ./fdplan and the programs with its further parts.
	@for module in $$(bash .ci/modules); do [ ! -d $$module/cmd ] || go build -C $$module -o $(CURDIR)/ ./cmd/... || exit; done

.PHONY: test
test: ## Run the tests of all modules; those whose tools are missing are skipped by name.
	@for module in $$(bash .ci/modules); do (cd $$module && go test ./...) || exit; done

.PHONY: test-race
test-race: ## Run the tests under the race detector.
	@for module in $$(bash .ci/modules); do (cd $$module && go test -race -timeout 60m ./...) || exit; done

.PHONY: lint
lint: ## Check with gofmt, go vet and staticcheck.
	bash .ci/lint

.PHONY: fuzz
fuzz: ## Run every fuzz target that matches FUZZ for FUZZTIME.
	bash .ci/fuzz '$(FUZZTIME)' '$(FUZZ)'

.PHONY: cover
cover: ## Print the coverage of each package; fail below LEAST per cent.
	LEAST='$(LEAST)' bash .ci/cover

.PHONY: bench
bench: ## Append the times of the stable benchmarks to docs/results/bench.txt.
	bash .ci/bench run '$(COUNT)'

.PHONY: bench-compare
bench-compare: ## Print the ratios of times between the commits OLD and NEW.
	bash .ci/bench compare '$(OLD)' '$(NEW)'

.PHONY: bench-cluster
bench-cluster: ## Measure dispatch to workers: units a second, overhead, slots, recovery (docs/cluster.md).
	go test -C cluster ./... -run '^$$' -bench . -benchtime 1x

.PHONY: size
size: ## Print the lines of Go without tests, by room and by module.
	bash .ci/size

.PHONY: tools
tools: ## Bring HiGHS; name the Debian packages that are missing.
	bash .ci/tools

.PHONY: peers
peers: ## Build the solvers that the bench compares with; name those that are absent.
	bash .ci/peers

.PHONY: ci
ci: ## Install all tools, check and test everything, as CI does.
	bash .ci/run

.PHONY: release
release: ## Build the archives for all systems, with checksums, in dist/.
	bash .ci/release $(VERSION)

.PHONY: playground
playground: ## Write the playground, static files with the planner as WebAssembly, into dist/playground.
	bash .ci/playground

.PHONY: wheels
wheels: ## Build Python wheels that carry the program, for all systems, in dist/wheels; needs Python 3.11.
	python3 .ci/wheels

.PHONY: clean
clean: ## Remove what build and release write.
	rm -rf fdplan fdplan-* dist

.PHONY: help
help: ## List the commands.
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'
