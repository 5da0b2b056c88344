#!/usr/bin/env bash
# Debian packages into dist/: build.sh [MAJOR...]; without one for every PostgreSQL that is supported.
#   postgresql-NN-memory-search          the extension, in the folders of Debian's PostgreSQL NN
#   postgresql-NN-memory-search-dbgsym   its debug symbols
#   memory-search-model-NAME             an embedding model, one for all servers; MODEL='wordllama minilm' for both
# From the environment:
#   DEBFULLNAME, DEBEMAIL   who hands them out
#   DEBIAN_REVISION         what stands behind the version, 1 where nothing is said
# dpkg-deb is enough; neither root nor debhelper is needed.
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
