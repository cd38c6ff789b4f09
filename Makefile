# Every command of this repository. `make help` lists them.

GO        ?= go
BENCHTIME ?= 1s
COUNT     ?= 10
SEED      ?= $(shell git rev-parse --short HEAD)
SHARD     ?= 1/1
PART      ?= 1/4
OLDER     ?= $(shell git rev-parse -q --verify HEAD~20 2>/dev/null)
PARALLEL  ?= $(shell nproc 2>/dev/null || echo 2)

.DEFAULT_GOAL := help
.PHONY: help run test length length-applications length-contracts length-others e2e e2e-all long promises soak loop check lint fmt golden bench bench-fleet bench-model fuzz crash deaths chaos build cross package clients debian13 attack

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## show the program at work: a real editor on a virtual display, and its pictures; installs what it needs through apt
	@.ci/show

test: ## build, and run all tests with the race detector; installs what they need through apt
	@.ci/test

length: ## run the tests that take long: those that are named TestAtLength, and those that measure memory
	@$(MAKE) --no-print-directory -k -j2 -Otarget length-applications length-contracts length-others

# The race detector would be most of the work on what takes its time, and falsifies
# what memory is used; it looks at the same packages in `make test` and in the contracts.
length-applications:
	@RACE=off .ci/test -count=1 -timeout=30m -run='^TestAtLength' -skip='^TestAtLengthContract' ./internal/desktop/local
length-contracts:
	@.ci/test -count=1 -timeout=30m -run='^TestAtLengthContract' $$(.ci/packages TestAtLengthContract)
length-others:
	@RACE=off .ci/test -count=1 -timeout=30m -p=1 -run='^Test(AtLength|Memory)' -skip='^TestAtLengthContract' $$(.ci/packages 'Test\(AtLength\|Memory\)' | grep -vx ./internal/desktop/local)

e2e: ## play every workflow on real applications, PARALLEL at a time, and PART of the variations and recordings, by default a quarter, which SEED chooses; ends with a table of what came of each
	@mkdir -p dist && rm -f dist/e2e.txt dist/recorded.txt
	@echo "the variations and recordings of SEED=$(SEED)"
	@UNDERSTUDY_E2E=1 RACE=off AGAIN="understudy/internal/testing/e2e understudy/recorder/watch" UNDERSTUDY_E2E_TABLE=$(CURDIR)/dist/e2e.txt \
		UNDERSTUDY_E2E_SHARD=$(PART) UNDERSTUDY_E2E_SEED=$(SEED) UNDERSTUDY_E2E_RECORDED=$(CURDIR)/dist/recorded.txt \
		.ci/test -count=1 -timeout=60m -p=1 -parallel=$(PARALLEL) -skip=TestSoak ./internal/testing/e2e ./internal/testing/manual ./recorder/...; \
		status=$$?; cat dist/e2e.txt; sort dist/recorded.txt; exit $$status

e2e-all: ## play workflows in every variation, and record a person at work in every scenario and play that in every variation; SHARD=i/n plays a part; ends with a table of what came of each
	@mkdir -p dist && rm -f dist/e2e-all.txt dist/recorded.txt
	@UNDERSTUDY_E2E=1 RACE=off UNDERSTUDY_E2E_VARIATIONS=1 UNDERSTUDY_E2E_SHARD=$(SHARD) \
		UNDERSTUDY_E2E_TABLE=$(CURDIR)/dist/e2e-all.txt UNDERSTUDY_E2E_RECORDED=$(CURDIR)/dist/recorded.txt \
		.ci/test -count=1 -timeout=120m -p=1 -parallel=$(PARALLEL) -run='TestScenarios|TestWhatWasRecordedIsPlayedAgain' ./internal/testing/e2e ./recorder/watch; \
		status=$$?; cat dist/e2e-all.txt; sort dist/recorded.txt; exit $$status

long: ## play a workflow of 200 steps over five applications TIMES times, and type 10,000 characters as often in each toolkit, with LOAD processes beside it
	UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_E2E=1 $(GO) test -v -count=1 -timeout=0 -parallel=1 -run=TestTheLongWorkflow ./internal/testing/e2e -long-times=$(or $(TIMES),20) -long-load=$(or $(LOAD),0)
	UNDERSTUDY_REQUIRE_DESKTOP=1 $(GO) test -v -count=1 -timeout=0 -parallel=1 -run='ALongTextIsExact' ./internal/desktop/local -long-text=10000 -long-times=$(or $(TIMES),20) -long-load=$(or $(LOAD),0)

promises: ## play the tests of what steps promise, beside LOAD processes; ends with a table; ONLY is a pattern of its rows
	@LOAD=$(LOAD) ONLY="$(ONLY)" .ci/promises

TREE ?= /var/tmp/understudy-debian13
debian13: ## play what differs with the GTK and the GNOME of Debian 13, in a tree at TREE that debootstrap makes (as root)
	@test -e $(TREE) || .ci/debian-tree trixie $(TREE)
	UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_TREE=$(TREE) $(GO) test -v -count=1 -timeout=30m -run='TestPaddingsOfGTK4|OnGNOME$$|TestAtLengthGNOME' ./internal/desktop/local ./internal/desktop/wayland
	UNDERSTUDY_E2E=1 UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_TREE=$(TREE) $(GO) test -v -count=1 -timeout=30m -run='OnGNOME$$' ./recorder/watch

soak: ## type, capture, look and call by the thousand, play examples in a loop for SOAK, and look that nothing grows
	UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_SOAK=1 $(GO) test -v -count=1 -timeout=0 -run=TestALongRunDoesNotGrow ./internal/desktop/x11
	UNDERSTUDY_REQUIRE_DESKTOP=1 UNDERSTUDY_LOOKUPS=100000 $(GO) test -v -count=1 -timeout=0 -run=TestMemoryOfManyLookups ./internal/desktop/atspi
	$(GO) test -v -count=1 -timeout=60m -run=TestMemoryOfManyCalls ./mcpserver -calls=10000
	UNDERSTUDY_REQUIRE_DESKTOP=1 $(GO) test -v -count=1 -timeout=60m -run=TestAtLengthNoClickIsLost ./internal/desktop/local -clicks=200
	UNDERSTUDY_REQUIRE_DESKTOP=1 $(GO) test -v -count=1 -timeout=60m -run=TestTheCaretStaysAfterManyCalls ./internal/testing/e2e -calls=100
	@$(MAKE) --no-print-directory loop SOAK=$(or $(SOAK),30m)

loop: ## play examples in a loop for SOAK, and look that nothing grows
	@mkdir -p dist && rm -f dist/soak.txt
	@RACE=off UNDERSTUDY_E2E_TABLE=$(CURDIR)/dist/soak.txt \
		.ci/test -count=1 -timeout=0 -run=TestSoak ./internal/testing/e2e -soak=$(or $(SOAK),2m); \
		status=$$?; cat dist/soak.txt; exit $$status

check: lint cross ## what CI runs beyond the tests
	@.ci/fuzz changed
	$(GO) mod tidy -diff
	$(GO) mod verify
	$(GO) fix -diff ./...

lint: ## gofumpt, deadcode, golangci-lint, and staticcheck for the other systems
	@.ci/lint

fmt: ## format the code
	$(GO) tool gofumpt -w .

golden: ## write the golden files and generated pages again; look at the difference before you commit it
	$(GO) test $$(grep -rlE 'flag\.Bool\("update"' --include='*_test.go' . | xargs -r -n1 dirname | sort -u) -update

bench: ## run the benchmarks COUNT times into dist/bench.txt, and compare with dist/bench.old.txt when it is there
	@mkdir -p dist
	UNDERSTUDY_E2E=1 $(GO) test -run='^$$' -bench=. -benchmem -timeout=2h -benchtime=$(BENCHTIME) -count=$(COUNT) ./... | tee dist/bench.txt
	@$(GO) tool benchstat $(wildcard dist/bench.old.txt) dist/bench.txt

bench-fleet: ## print the figures of docs/fleet.md in one run: a sync of the disk, durable steps of one machine, one hub and three, runs with 1, 2 and 4 workers, and how long a run stands still whose worker is gone
	@git log -1 --format='commit %h'; uptime
	@$(GO) test -run='^$$' -bench=Append ./store/jetstream
	@$(GO) test -run='^$$' -bench=Runs -benchtime=$(or $(RUNS),40)x ./internal/fleet 2>&1 | grep -v -e level= -e output
	@$(GO) test -run='^$$' -bench=Takeover -benchtime=1x ./internal/fleet 2>&1 | grep -v -e level= -e output
	@uptime

bench-model: ## play the jobs of a language model with real applications, and print what they cost; and hold what was said to internal/testing/modelbench/testdata, which UPDATE=1 writes again; TRANSCRIPTS=folder keeps all of it, SERVER=program measures another version, PEER=program plays two of them by Playwright
	UNDERSTUDY_MODEL_JOBS=$(or $(TRANSCRIPTS),1) UNDERSTUDY_MODEL_SERVER=$(SERVER) UNDERSTUDY_MODEL_PEER=$(PEER) $(GO) test -v -run='Test(Jobs|Peer)' -count=1 -timeout=30m ./internal/testing/modelbench $(if $(UPDATE),-update)

fuzz: ## fuzz every target for FUZZTIME, or for the time that stands above it
	@.ci/fuzz all $(FUZZTIME)

attack: build ## abuse a server, then attack the program that was built, for FOR=5m, and end with a table; attempts of other users need root; ONLY=secrets plays one class
	@.ci/test -count=1 -timeout=15m -run='^TestAbuse' ./mcpserver
	$(GO) test -count=1 -timeout=0 ./internal/testing/attack -run='^TestAttackTheWholeProgram$$' -for=$(or $(FOR),5m) -only="$(ONLY)" -program=$(CURDIR)/bin/understudy -v

crash: ## kill the engine KILLS times in the middle of a run, and look that all was done once; then make deaths
	$(GO) test -v -count=1 -timeout=60m ./internal/testing/crash -kills=$(or $(KILLS),1000) -spread=20
	@$(MAKE) --no-print-directory deaths

deaths: ## let engines, keepers, X servers, window managers and applications die DEATHS times while runs play on desktops, as DIES chooses
	@CI= RACE=off .ci/test -count=1 -timeout=120m -run='^Test(WhoeverDies|InWhateverOrderTheyDie)$$' ./internal/testing/lasting -deaths=$(or $(DEATHS),500) -seed=$(or $(DIES),0)

chaos: ## let workers and servers of a fleet die, stop, be cut off and come back while RUNS runs play, as DIES chooses, and look that each step was done once; every other worker is of the version OLDER, where that is there
	@rm -f dist/older.test; mkdir -p dist; git worktree prune
	@[ -z "$(OLDER)" ] || { tree=$$(mktemp -d) && git worktree add -q --detach $$tree/older $(OLDER) && (cd $$tree/older && $(GO) test -c -o $(CURDIR)/dist/older.test ./internal/fleet) && git worktree remove --force $$tree/older && rmdir $$tree; }
	$(GO) test -v -count=1 -timeout=120m -run='^TestChaos$$' ./internal/fleet -runs=$(or $(RUNS),400) -seed=$(or $(DIES),0) $(if $(OLDER),-older=$(CURDIR)/dist/older.test)

build: ## build bin/understudy
	CGO_ENABLED=0 $(GO) build -o bin/understudy .

cross: ## build for linux, windows and darwin, amd64 and arm64, into dist/
	@.ci/cross

package: ## archives, .deb, npm packages, MCP bundles and their checksums, into dist/package
	@$(GO) run ./internal/packaging
	UNDERSTUDY_PACKAGES=$(CURDIR)/dist/package $(GO) test -count=1 ./internal/packaging

clients: ## let MCP clients that others wrote use the program, fetched by npm into dist/clients
	@.ci/need-programs clients
	UNDERSTUDY_CLIENTS=1 UNDERSTUDY_CLIENTS_TOOLS=$(CURDIR)/dist/clients $(GO) test -v -count=1 -timeout=20m ./internal/testing/realclients
