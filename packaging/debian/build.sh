#!/usr/bin/env bash
# Debian packages into dist/: build.sh [MAJOR...]; without one for every PostgreSQL that is supported.
#   postgresql-NN-memory-search          the extension, in the folders of Debian's PostgreSQL NN
#   postgresql-NN-memory-search-dbgsym   its debug symbols
#   memory-search-model-NAME             an embedding model, one for all servers; MODEL='wordllama minilm' for both
# From the environment:
#   DEBFULLNAME, DEBEMAIL   the maintainer of the packages
#   DEBIAN_REVISION         the revision after the version; 1 by default
# It needs dpkg-deb, but neither root nor debhelper.
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"
# shellcheck source=packaging/debian/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

command -v dpkg-deb >/dev/null || die "dpkg-deb is missing: these packages are built on Debian or what is made of it"
read -ra majors <<< "${*:-$SUPPORTED_MAJORS}"
read -ra models <<< "${MODEL:-$MODEL_NAME}"
are_supported "${majors[@]}"
are_models "${models[@]}"

mkdir -p "$PACKAGES"
for model in "${models[@]}"; do
  stage_model "$model"
  pack_model "$model"
done
for major in "${majors[@]}"; do
  stage_release "$major"
  pack_server "$major"
  pack_symbols "$major"
done
