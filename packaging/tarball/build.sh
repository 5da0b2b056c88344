#!/usr/bin/env bash
# Tar files into dist/, laid out for servers that look for extensions in folders of their own: build.sh [MAJOR...]
#   memory_search-VERSION-pgNN-ARCHITECTURE.tar.gz
#     memory_search/lib/                       what dynamic_library_path names
#     memory_search/share/extension/           extension_control_path names memory_search/share
#     memory_search/share/memory_search/models/wordllama
#     memory_search/settings.sql               sets both
# PostgreSQL has these settings from 18 on, so without a MAJOR a file is made for each. MODEL: see make install.
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"

majors=("$@")
if (( ${#majors[@]} == 0 )); then
  for major in $SUPPORTED_MAJORS; do if (( major >= 18 )); then majors+=("$major"); fi; done
fi
models=()
if [[ ${MODEL:-} != none ]]; then read -ra models <<< "${MODEL:-$MODEL_NAME}"; fi
are_supported "${majors[@]}"
are_models ${models[@]+"${models[@]}"}
for major in "${majors[@]}"; do
  (( major >= 18 )) || die "PostgreSQL $major looks for extensions in its own folders only: install a package, or by make install"
done

mkdir -p "$PACKAGES"
for major in "${majors[@]}"; do
  stage_release "$major"
  tree=$STAGE/tarball
  rm -rf "$tree"
  mkdir -p "$tree/memory_search"/{lib,share}
  cp "$STAGE/$major/memory_search.so" "$tree/memory_search/lib"
  cp -r "$STAGE/$major/extension" "$tree/memory_search/share"
  cp "$MEMORY_SEARCH_REPO/LICENSE" "$STAGE/$major/THIRD-PARTY-LICENSES" \
    "$MEMORY_SEARCH_REPO/packaging/tarball/settings.sql" "$tree/memory_search"
  for model in ${models[@]+"${models[@]}"}; do
    stage_model "$model"
    mkdir -p "$tree/memory_search/share/memory_search/models"
    cp -r "$STAGE/models/$model" "$tree/memory_search/share/memory_search/models"
  done
  settle_files "$tree"
  file=$PACKAGES/memory_search-$SOURCE_VERSION-pg$major-$(uname -m).tar.gz
  rm -f "$PACKAGES"/memory_search-*"-pg$major-$(uname -m).tar.gz" # of an earlier version
  tar -C "$tree" --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -cf - memory_search | gzip -9 -n > "$file"
  rm -rf "$tree"
  say "$(basename "$file"), $(du -k "$file" | cut -f 1) kB"
done
