# Each target calls a script; pgrx-config/README.md describes them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo demo-stop check test test-long test-core test-sql test-isolation test-docs test-reference test-cluster test-clients \
  test-python test-typescript test-mastra test-cookbook test-suites test-mcp test-embedded test-explore test-failover test-wheel test-packages test-fuzz \
  reference lint audit docs eval bench measure all install install-script wheel deb tarball dist release clean

# Handed to the scripts as they were typed: make would take a $ in them for a variable of its own.
override MEMORY := $(value MEMORY)
override MAP := $(value MAP)
override QUERY := $(value QUERY)
override MEMORY_ID := $(value MEMORY_ID)
export LANES ENTRIES QUICK BENCH_DATA_DIR SKIP_INSTALL MEMORY MAP QUERY MEMORY_ID PG_CONFIG MODEL SUDO DEBUG_SYMBOLS

help: ## this list
	@echo 'memory_search: long-term memory for agents and apps, searched inside PostgreSQL'
	@echo
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 24

demo: ## set up, build, load the sample memories and search them (your own: MEMORY=file.jsonl QUERY='...')
	@demo/run.sh

demo-stop: ## stop the demo's server
	@pgrx-config/server.sh stop demo

check: ## before a commit: lint, the engine's tests, the tests in SQL
	@tests/run_all.sh --check

test: ## before a merge: all tests, what takes long in short (LANES=n: so many beside each other)
	@tests/run_all.sh

test-long: ## before a release: all tests, what takes long in full, PostgreSQL 16 in full
	@tests/run_all.sh --long

test-core: ## the engine's tests, without PostgreSQL: seconds
	@tests/run_core.sh

test-sql: ## the tests in SQL, on a server of their own
	@tests/run_sql.sh

test-isolation: ## what concurrent sessions see of each other
	@tests/run_isolation.sh

test-docs: ## the examples of README and docs, run without changes
	@tests/run_docs.sh

test-reference: ## docs/reference against the code
	@tests/run_reference.sh

test-cluster: ## the tests that need several servers or sessions
	@tests/run_cluster.sh

test-clients: ## every function by every driver
	@tests/run_clients.sh

test-python: ## the Python client
	@tests/run_python.sh

test-typescript: ## the TypeScript client
	@tests/run_typescript.sh

test-cookbook: ## the programs of docs/cookbook, run without changes
	@tests/run_cookbook.sh

test-mastra: ## the TypeScript client's adapter to Mastra, with Mastra
	@tests/run_mastra.sh

test-suites: ## test suites of frameworks on the adapters of the Python client
	@tests/run_suites.sh

test-mcp: ## the program memory-search by clients of the Model Context Protocol
	@tests/run_mcp.sh

test-embedded: ## the server that comes with the Python package, from its wheels, as an ordinary user
	@tests/run_embedded.sh

test-explore: ## the pages of memory-search explore in Chromium, with pictures of them
	@tests/run_explore.sh

test-failover: ## by hand: Patroni promotes while clients write and search
	@tests/run_failover.sh

test-wheel: ## these wheels, installed in an environment of their own
	@tests/run_wheel.sh

test-fuzz: ## random requests: no crash, no internal error
	@tests/run_fuzz.sh

reference: ## fill in what docs/reference takes from the code
	@tests/run_reference.sh --write

lint: ## formatting and lints, warnings are errors
	@pgrx-config/lint.sh

audit: ## known vulnerabilities of the crates, by cargo-audit; needs the Internet
	@pgrx-config/audit.sh

docs: ## the documentation as a site, by mdBook
	@pgrx-config/site.sh

eval: ## how good the search is, on the evaluation sets
	@benches/run_eval.sh

bench: ## how fast it is beside what people write or install instead (ENTRIES=n, QUICK=1)
	@benches/run_bench.sh

measure: ## how fast the search is
	@benches/run_measures.sh

install: ## into your own server: PG_CONFIG=/path/to/pg_config (MODEL=minilm: a better embedding model; SUDO=1: copy with sudo)
	@pgrx-config/install.sh

wheel: ## the program memory-search, the Python client and the server with its model as wheels, for pip
	@pgrx-config/wheel.sh

all: ## build it for that server, and install nothing
	@pgrx-config/install.sh --build

install-script: ## write the SQL of this version anew, after a change of the SQL functions
	@pgrx-config/install_script.sh

deb: ## Debian packages into dist/, for PostgreSQL 16, 17 and 18 (MAJORS=17: one)
	@packaging/debian/build.sh $(MAJORS)

tarball: ## a tar file into dist/, for PostgreSQL 18 with extensions in a folder of their own
	@packaging/tarball/build.sh

dist: ## the distribution for PGXN into dist/
	@packaging/pgxn/build.sh

test-packages: ## what dist/ has, in a clean Debian (root only) and on a server that is read-only
	@packaging/test.sh

release: ## may this commit be released? Then everything that is handed out into dist/
	@packaging/release/release.sh

clean: ## stop the servers and remove everything that was made here
	@pgrx-config/clean.sh
