#!/usr/bin/env bash
# Installs embedding models into a server; fetches what is not there. install.sh calls it. From the environment:
#   PG_CONFIG   the server's pg_config; else the one on PATH
#   MODEL       wordllama (the default), minilm, both ("wordllama minilm"), or none. A model that is installed stays
#   SUDO=1      use sudo to copy the files
#   install_models.sh --check   only says whether MODEL names models
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

export MODEL=${MODEL:-$MODEL_NAME}
read -ra models <<< "$MODEL"
if [[ $MODEL == none ]]; then models=(); fi
for model in ${models[@]+"${models[@]}"}; do
  case $model in
    "$MODEL_NAME"|"$MINILM_NAME") ;;
    *) die "MODEL is $MODEL_NAME (the default), $MINILM_NAME, \"$MODEL_NAME $MINILM_NAME\" for both, or none" ;;
  esac
done
if [[ ${1:-} == --check ]]; then exit; fi

as_owner=()
if [[ ${SUDO:-} == 1 ]]; then as_owner=(sudo); fi
sharedir=$("${PG_CONFIG:-pg_config}" --sharedir)
for model in ${models[@]+"${models[@]}"}; do
  if [[ ! -e $MODELS_DIR/$model/.version ]]; then "$MEMORY_SEARCH_REPO/pgrx-config/setup.sh" --for-own-server; fi
  while IFS= read -r file; do
    # A running server has the weights mapped: install(1) puts a new file in the place of the old one.
    ${as_owner[@]+"${as_owner[@]}"} install -D -m 644 \
      "$MODELS_DIR/$model/$file" "$sharedir/memory_search/models/$model/$file"
  done < <(cd "$MODELS_DIR/$model" && find . -type f ! -name .version)
  if [[ $model != "$MODEL_NAME" ]]; then
    say "the model $model is installed; to embed by it: ALTER SYSTEM SET memory_search.model = '$model';"
  fi
done
