# Every command of this repository. `make help` lists the everyday ones (##), `make help-all` all (#+ too).

GO        ?= go
BENCHTIME ?= 1s
COUNT     ?= 10
SEED      ?= $(shell git rev-parse --short HEAD)
SHARD     ?= 1/1
PART      ?= 1/4
OLDER     ?= $(shell git rev-parse -q --verify HEAD~20 2>/dev/null)
PARALLEL  ?= $(shell nproc 2>/dev/null || echo 2)
LANES     ?= 2

.DEFAULT_GOAL := help
.PHONY: wine bench-page patterns help help-all run test length length-applications length-contracts length-others e2e e2e-all long promises soak loop check lint fmt golden bench bench-fleet bench-model fuzz crash deaths chaos build cross package clients debian13 attack

help: ## list the everyday targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

help-all: ## list all targets
	@awk -F ':.*#[#+] ' '/^[a-z0-9-]+:.*#[#+] / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## show the program at work on a virtual display; installs what it needs through apt
	@.ci/show

test: ## build, and run all tests; installs what they need through apt
	@.ci/test

# Tests named TestAtLength, and those that measure memory.
wine: #+ run the tests of the drivers of Windows under Wine (needs root)
	.ci/wine -count=1 -p=1 -timeout=15m ./internal/desktop/winapi ./internal/desktop/win32 ./internal/desktop/uia ./internal/desktop/local
	.ci/wine -count=1 -timeout=15m -run=Recorded ./recorder/watch

length: ## run the long tests
	@$(MAKE) --no-print-directory -k -j$(LANES) -Otarget length-applications length-contracts length-others

# The race detector would be most of the work on what takes its time, and falsifies
# what memory is used; it looks at the same packages in `make test` and in the contracts.
length-applications:
	@RACE=off .ci/test -count=1 -timeout=60m -run='^TestAtLength' -skip='^TestAtLengthContract' ./internal/desktop/local
length-contracts:
	@AGAIN="understudy/internal/desktop/local.TestAtLengthContractOnGNOME understudy/internal/desktop/local.TestAtLengthContractOnKWin understudy/internal/desktop/local.TestAtLengthContractOnSway understudy/internal/desktop/local.TestAtLengthContractOnThePortal" .ci/test -count=1 -timeout=60m -run='^TestAtLengthContract' $$(.ci/packages TestAtLengthContract)
length-others:
	@RACE=off .ci/test -count=1 -timeout=60m -p=1 -run='^Test(AtLength|Memory)' -skip='^TestAtLengthContract' $$(.ci/packages 'Test\(AtLength\|Memory\)' | grep -vx ./internal/desktop/local)

# PARALLEL at a time; of the variations and recordings PART (a quarter), which SEED chooses.
# Ends with a table of results.
e2e: ## play workflows on real applications
	@mkdir -p dist && rm -f dist/e2e.txt dist/recorded.txt
	@echo "the variations and recordings of SEED=$(SEED)"
	@UNDERSTUDY_E2E=1 RACE=off AGAIN="understudy/internal/testing/e2e.TestScenarios understudy/internal/testing/e2e.TestANameIsSavedWithEnter understudy/recorder/watch.TestRecordedWorkflowsReplay understudy/recorder/watch.TestAThousandCharactersAreExactInEachLayout understudy/recorder/watch.TestAFormIsRecordedOnSway understudy/recorder/watch.TestAFormIsRecordedOnKWin understudy/recorder/watch.TestAFormIsRecordedOnGNOME" UNDERSTUDY_E2E_TABLE=$(CURDIR)/dist/e2e.txt \
		UNDERSTUDY_E2E_SHARD=$(PART) UNDERSTUDY_E2E_SEED=$(SEED) UNDERSTUDY_E2E_RECORDED=$(CURDIR)/dist/recorded.txt \
		.ci/test -count=1 -timeout=40m -p=1 -parallel=$(PARALLEL) -skip=TestSoak ./internal/testing/e2e ./internal/testing/manual ./recorder/...; \
		status=$$?; cat dist/e2e.txt; sort dist/recorded.txt; exit $$status

# Workflows in every variation, and recordings of every scenario, each played in every variation.
# Ends with a table of results.
e2e-all: #+ play every variation on real applications (SHARD=1/4 plays a part)
	@mkdir -p dist && rm -f dist/e2e-all.txt dist/recorded.txt
	@UNDERSTUDY_E2E=1 RACE=off UNDERSTUDY_E2E_VARIATIONS=1 UNDERSTUDY_E2E_SHARD=$(SHARD) \
		UNDERSTUDY_E2E_TABLE=$(CURDIR)/dist/e2e-all.txt UNDERSTUDY_E2E_RECORDED=$(CURDIR)/dist/recorded.txt \
		.ci/test -count=1 -timeout=120m -p=1 -parallel=$(PARALLEL) -run='TestScenarios|TestRecordedWorkflowsReplay' ./internal/testing/e2e ./recorder/watch; \
		status=$$?; cat dist/e2e-all.txt; sort dist/recorded.txt; exit $$status

# Also types 10,000 characters as often in each toolkit.
long: #+ play a workflow of 200 steps repeatedly (TIMES=20, LOAD=0 busy processes)
	UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_E2E=1 $(GO) test -v -count=1 -timeout=0 -parallel=1 -run=TestTheLongWorkflow ./internal/testing/e2e -long-times=$(or $(TIMES),20) -long-load=$(or $(LOAD),0)
	UNDERSTUDY_REQUIRE_DESKTOP=1 $(GO) test -v -count=1 -timeout=0 -parallel=1 -run='ALongTextIsExact' ./internal/desktop/local -long-text=10000 -long-times=$(or $(TIMES),20) -long-load=$(or $(LOAD),0)

promises: #+ run the tests of what steps promise (LOAD=10 busy processes, ONLY=pattern)
	@LOAD=$(LOAD) ONLY="$(ONLY)" .ci/promises

TREE ?= /var/tmp/understudy-debian13
debian13: #+ run the tests that differ on Debian 13 (TREE=folder; as root)
	@test -e $(TREE) || .ci/debian-tree trixie $(TREE)
	UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_TREE=$(TREE) $(GO) test -v -count=1 -timeout=30m -run='TestPaddingsOfGTK4|OnGNOME$$|TestAtLengthGNOME' ./internal/desktop/local ./internal/desktop/wayland
	UNDERSTUDY_E2E=1 UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_TREE=$(TREE) $(GO) test -v -count=1 -timeout=30m -run='OnGNOME$$' ./recorder/watch

soak: #+ check that nothing grows in long use (SOAK=30m)
	UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_SOAK=1 $(GO) test -v -count=1 -timeout=0 -run=TestALongRunDoesNotGrow ./internal/desktop/x11
	UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_LOOKUPS=100000 $(GO) test -v -count=1 -timeout=0 -run=TestMemoryOfManyLookups ./internal/desktop/atspi
	$(GO) test -v -count=1 -timeout=60m -run=TestMemoryOfManyCalls ./mcpserver -calls=10000
	UNDERSTUDY_REQUIRE_DESKTOP=1 $(GO) test -v -count=1 -timeout=60m -run=TestAtLengthNoClickIsLost ./internal/desktop/local -clicks=200
	UNDERSTUDY_REQUIRE_DESKTOP=1 $(GO) test -v -count=1 -timeout=60m -run=TestTheCaretStaysAfterManyCalls ./internal/testing/e2e -calls=100
	@$(MAKE) --no-print-directory loop SOAK=$(or $(SOAK),30m)

loop: #+ play examples in a loop, and check that nothing grows (SOAK=2m)
	@mkdir -p dist && rm -f dist/soak.txt
	@RACE=off UNDERSTUDY_E2E_TABLE=$(CURDIR)/dist/soak.txt \
		.ci/test -count=1 -timeout=0 -run=TestSoak ./internal/testing/e2e -soak=$(or $(SOAK),2m); \
		status=$$?; cat dist/soak.txt; exit $$status

check: lint cross ## run what CI runs beyond the tests
	@.ci/fuzz changed
	$(GO) mod tidy -diff
	$(GO) mod verify
	$(GO) fix -diff ./...

lint: ## run the linters
	@.ci/lint

fmt: ## format the code
	$(GO) tool gofumpt -w .

golden: ## rewrite golden files and generated pages; review the difference
	$(GO) test $$(grep -rlE 'flag\.Bool\("update"' --include='*_test.go' . | xargs -r -n1 dirname | sort -u) -update

bench: ## run the benchmarks, and compare with dist/bench.old.txt (COUNT=10)
	@mkdir -p dist
	UNDERSTUDY_E2E=1 $(GO) test -run='^$$' -bench=. -benchmem -timeout=2h -benchtime=$(BENCHTIME) -count=$(COUNT) ./... | tee dist/bench.txt
	@$(GO) tool benchstat $(wildcard dist/bench.old.txt) dist/bench.txt

# A sync of the disk, durable steps of one machine, one hub and three, runs with 1, 2 and 4
# workers, and the time that a run stands still when its worker is gone.
bench-fleet: #+ print the figures of docs/fleet.md
	@git log -1 --format='commit %h'; uptime
	@$(GO) test -run='^$$' -bench=Append ./store/jetstream
	@$(GO) test -run='^$$' -bench=Runs -benchtime=$(or $(RUNS),40)x ./internal/fleet 2>&1 | grep -v -e level= -e output
	@$(GO) test -run='^$$' -bench=Takeover -benchtime=1x ./internal/fleet 2>&1 | grep -v -e level= -e output
	@uptime

# Real applications; what was said is compared with internal/testing/modelbench/testdata.
# TRANSCRIPTS=folder keeps it all, SERVER=program measures another version, PEER=program plays
# two of the jobs by Playwright.
bench-model: #+ measure the jobs of a language model (UPDATE=1 rewrites the transcripts)
	@.ci/need-programs jobs
	UNDERSTUDY_MODEL_JOBS=$(or $(TRANSCRIPTS),1) UNDERSTUDY_MODEL_SERVER=$(SERVER) UNDERSTUDY_MODEL_PEER=$(PEER) $(GO) test -v -run='Test(Jobs|Peer)' -count=1 -timeout=30m ./internal/testing/modelbench $(if $(UPDATE),-update)

# Ends with the times of a page: by the pipe, by the accessibility bus alone, and those of
# playwright-core, which `make clients` fetches.
bench-page: #+ measure a form of 40 fields beside playwright-core (TIMES=5)
	UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_CLIENTS_TOOLS=$(CURDIR)/dist/clients $(GO) test -run='^$$' -bench=Page -benchtime=$(or $(TIMES),5)x -timeout=30m ./internal/testing/e2e

patterns: #+ operate the patterns of ARIA, and write the table of docs/browsers.md
	UNDERSTUDY_REQUIRE_DESKTOP=1 $(GO) test -v -count=1 -timeout=60m -run='^TestPatternsInEachBrowser$$' ./internal/desktop/local -patterns=$(CURDIR)/docs/browsers.md

fuzz: #+ run every fuzz target (FUZZTIME=10m)
	@.ci/fuzz all $(FUZZTIME)

# Ends with a table. Attempts of other users need root.
attack: build #+ attack a server and the built program (FOR=5m, ONLY=class)
	@.ci/test -count=1 -timeout=30m -run='^TestAbuse' ./mcpserver
	$(GO) test -count=1 -timeout=0 ./internal/testing/attack -run='^TestAttackTheWholeProgram$$' -for=$(or $(FOR),5m) -only="$(ONLY)" -program=$(CURDIR)/bin/understudy -v

crash: #+ kill the engine, services and clients in the middle of runs (KILLS=1000), then make deaths
	$(GO) test -v -count=1 -timeout=60m ./internal/testing/crash -kills=$(or $(KILLS),1000) -spread=20
	$(GO) test -v -count=1 -timeout=60m -run='^TestKillsDuringRuns$$' ./internal/testing/conformance -kills=$(or $(KILLS),500)
	@$(MAKE) --no-print-directory deaths

deaths: #+ kill engines, desktops and applications while runs play (DEATHS=500, DIES=seed)
	@CI= RACE=off .ci/test -count=1 -timeout=120m -run='^Test(RunsSurviveRandomKills|RunSurvivesKillsInAnyOrder)$$' ./internal/testing/lasting -deaths=$(or $(DEATHS),500) -seed=$(or $(DIES),0)

# Checks that each step was done once. Every second worker is of the version OLDER, if that exists.
chaos: #+ stop and disconnect parts of a fleet while runs play (RUNS=400, DIES=seed)
	@rm -f dist/older.test; mkdir -p dist; git worktree prune
	@[ -z "$(OLDER)" ] || { tree=$$(mktemp -d) && git worktree add -q --detach $$tree/older $(OLDER) && (cd $$tree/older && $(GO) test -c -o $(CURDIR)/dist/older.test ./internal/fleet) && git worktree remove --force $$tree/older && rmdir $$tree; }
	$(GO) test -v -count=1 -timeout=120m -run='^TestChaos$$' ./internal/fleet -runs=$(or $(RUNS),400) -seed=$(or $(DIES),0) $(if $(OLDER),-older=$(CURDIR)/dist/older.test)

build: ## build bin/understudy
	CGO_ENABLED=0 $(GO) build -ldflags "-s -w" -o bin/understudy .

cross: #+ build for every system, into dist/
	@.ci/cross

package: #+ build the packages, into dist/package
	@$(GO) run ./internal/packaging
	UNDERSTUDY_PACKAGES=$(CURDIR)/dist/package $(GO) test -count=1 ./internal/packaging

clients: #+ test with the MCP clients of others, fetched by npm
	@.ci/need-programs clients
	UNDERSTUDY_CLIENTS=1 UNDERSTUDY_CLIENTS_TOOLS=$(CURDIR)/dist/clients $(GO) test -v -count=1 -timeout=20m ./internal/testing/realclients
