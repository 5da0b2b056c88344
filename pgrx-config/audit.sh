#!/usr/bin/env bash
# Known vulnerabilities of the crates in Cargo.lock, by cargo-audit. Not a part of the tests: the list of them is on the
# Internet (github.com/rustsec/advisory-db), and grows without any change here.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"
cd "$MEMORY_SEARCH_REPO"
cargo audit --version >/dev/null 2>&1 || die "cargo-audit is not installed: cargo install cargo-audit --locked (it compiles for minutes)"
# Unsound and unmaintained crates are reported as well, as failures: each is one to replace.
cargo audit --deny warnings
