#!/usr/bin/env bash
# Tests the Dockerfile without a builder of images: its RUN and COPY, unchanged, in a clean Debian 12 that has the
# server as the official image would, and pgvector in its list of sources. Then the server is started as compose.yaml
# starts it. Needs root, mmdebstrap and Debian's archive; dist/ must have the packages (make deb).
set -euo pipefail
# Mounts of the test end with it.
if [[ -z ${OWN_MOUNTS:-} ]]; then
  (( EUID == 0 )) || { echo "test.sh: a Debian of its own is made by root only" >&2; exit 1; }
  OWN_MOUNTS=1 exec unshare --mount --propagation private "$0" "$@"
fi
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"
# shellcheck source=packaging/debian/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/../debian/packages.sh"
# shellcheck source=packaging/checks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../checks.sh"
# shellcheck source=packaging/debian/root.sh
. "$(dirname "${BASH_SOURCE[0]}")/../debian/root.sh"
# shellcheck source=packaging/debian/stand_in.sh
. "$(dirname "${BASH_SOURCE[0]}")/../debian/stand_in.sh"
folder=$MEMORY_SEARCH_REPO/packaging/docker

# The text of an instruction, its lines joined, without the text of a heredoc.
instruction() { # WORD
  awk -v word="$1" '$1 == word { on = 1 } on { line = $0; more = sub(/ *\\$/, "", line); printf "%s ", line; if (!more) exit }' \
    "$folder/Dockerfile"
}
argument() { sed -n "s/^ARG $1=//p" "$folder/Dockerfile"; } # NAME

major=$(argument PG_MAJOR)
compgen -G "$PACKAGES/postgresql-$major-memory-search_*.deb" >/dev/null || die "dist/ lacks the package for $major: make deb"
trap root_remove EXIT
root_make "$(argument DEBIAN)"
cp "$PACKAGES"/*.deb "$ROOT/packages"
mkdir "$ROOT/stand-ins"
stand_ins "$major" "$ROOT/stand-ins"
# A list of sources as the image has it, which has pgvector as well.
in_root_quietly apt-get install -y --no-install-recommends apt-utils
in_root bash -c 'cd /stand-ins && apt-ftparchive packages . > Packages'
echo 'deb [trusted=yes] file:/stand-ins ./' > "$ROOT/etc/apt/sources.list.d/stand-ins.list"
in_root_quietly apt-get update
in_root_quietly apt-get install -y --no-install-recommends "postgresql-$major"

run=$(instruction RUN)
same "RUN mounts the packages" 'RUN --mount=type=bind,target=/packages' "$(grep -oE '^RUN --mount=\S+' <<< "$run")"
shell=$(instruction SHELL)
same "and is run by a shell that fails with the first of a pipe" 'SHELL ["/bin/bash", "-o", "pipefail", "-c"] ' "$shell"
holds "RUN runs" in_root env PG_MAJOR="$major" /bin/bash -o pipefail -c "${run#* * }"
same "and leaves no lists of packages" '' "$(ls "$ROOT/var/lib/apt/lists")"

copy=$(instruction COPY)
[[ $copy =~ ^COPY\ --chmod=644\ \<\<EOF\ (/[^ ]+)\ $ ]] || die "COPY is another than this test knows: $copy"
file=$ROOT${BASH_REMATCH[1]}
mkdir -p "$(dirname "$file")"
sed -n '/^COPY .*<<EOF/,/^EOF$/ { /EOF/! p }' "$folder/Dockerfile" > "$file"
in_root_quietly pg_createcluster "$major" main
command=$(sed -nE 's/^ *command: \["postgres", "-c", "(.*)"\]$/\1/p' "$folder/compose.yaml")
[[ $command == *=* ]] || die "compose.yaml has no command of the form that this test knows"
echo "${command/=/ = }" > "$ROOT/etc/postgresql/$major/main/conf.d/compose.conf"
server_start "$major"
sql postgres 'CREATE DATABASE app TEMPLATE template0'
# The image's entrypoint runs the files of that folder in the same way.
holds "the file that COPY writes makes the extension" \
  psql -X -q -v ON_ERROR_STOP=1 --no-password -d app -f "$file"
sql app 'SELECT memory_create_store()' >/dev/null
sql app "SELECT memory_add('trip', 'She prefers guesthouses.')" >/dev/null
same "with its model, and the settings of compose.yaml" 'She prefers guesthouses.' \
  "$(sql app "SELECT raw_entry FROM memory_search_entries('trip', 'where does she like to stay?', options => '{\"strategy\": \"semantic\"}')")"
same "its library is loaded by the server" memory_search "$(sql app 'SHOW shared_preload_libraries')"
holds "the server's log tells of no crash and no internal error" log_is_clean
echo "$PASSED passed, 0 failed"
