#!/usr/bin/env bash
# Builds the images of a release by docker, from the packages in dist/ (make deb tarball):
#   images.sh build                    memory_search:pgNN of every PostgreSQL, and memory_search:extension-pg18
#   images.sh try                      starts each server, stores and searches; checks the files of the other image
#   images.sh push REPOSITORY          pushes them as REPOSITORY:VERSION-pgNN-amd64, or -arm64
#   images.sh join REPOSITORY IMAGE    makes REPOSITORY:VERSION-IMAGE of both processors' (IMAGE: pgNN, extension-pg18);
#                                      the last two lines are name=... and digest=... of it
# The newest PostgreSQL is REPOSITORY:VERSION and REPOSITORY:latest too.
set -euo pipefail
# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"
folder=$MEMORY_SEARCH_REPO/packaging/docker
newest=${SUPPORTED_MAJORS##* }
usage="usage: images.sh build|try, images.sh push REPOSITORY, or images.sh join REPOSITORY IMAGE"
images=()
for major in $SUPPORTED_MAJORS; do images+=("pg$major"); done
images+=("extension-pg$newest")

build() {
  local major
  compgen -G "$PACKAGES/*.deb" >/dev/null || die "dist/ has no packages: make deb tarball"
  for major in $SUPPORTED_MAJORS; do
    say "memory_search:pg$major"
    docker build --quiet --provenance=false --build-arg "PG_MAJOR=$major" -f "$folder/Dockerfile" -t "memory_search:pg$major" "$PACKAGES"
  done
  say "memory_search:extension-pg$newest"
  docker build --quiet --provenance=false -f "$folder/extension.Dockerfile" -t "memory_search:extension-pg$newest" "$PACKAGES"
}

# Tries an image as a user would: by the network of the container, in the database that the image makes.
try_server() { # IMAGE
  local name=memory_search-try-$$ found tries=0
  # shellcheck disable=SC2064 # this one's name, now
  trap "docker rm --force $name >/dev/null" EXIT
  docker run --detach --name "$name" -e POSTGRES_PASSWORD=try -e POSTGRES_DB=app "memory_search:$1" >/dev/null
  # While the first database is made, the server listens on its socket only.
  until docker exec "$name" pg_isready --quiet -h 127.0.0.1 -U postgres -d app; do
    tries=$(( tries + 1 ))
    (( tries < 60 )) || { docker logs "$name" >&2; die "memory_search:$1 does not start"; }
    sleep 1
  done
  found=$(docker exec "$name" psql -X -q -At -v ON_ERROR_STOP=1 -U postgres -d app \
    -c 'DO $$ BEGIN PERFORM memory_create_store(); END $$' \
    -c "DO \$\$ BEGIN PERFORM memory_add('trip', 'She prefers guesthouses.'); END \$\$" \
    -c "SELECT raw_entry FROM memory_search_entries('trip', 'where does she like to stay?', options => '{\"strategy\": \"semantic\"}')")
  [[ $found == 'She prefers guesthouses.' ]] || die "memory_search:$1 found: $found"
  docker rm --force "$name" >/dev/null
  trap - EXIT
  say "memory_search:$1 stores and finds"
}

try_extension() { # IMAGE
  local container files file
  container=$(docker create "memory_search:$1" none)
  files=$(docker export "$container" | tar -t)
  docker rm "$container" >/dev/null
  for file in lib/memory_search.so share/extension/memory_search.control \
    "share/memory_search/models/$MODEL_NAME/model.safetensors" LICENSE; do
    grep -qx "$file" <<< "$files" || die "memory_search:$1 lacks $file"
  done
  say "memory_search:$1 has the extension"
}

# The registry's name of this processor.
processor() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) die "images are made for x86_64 and aarch64, and this is $(uname -m)" ;;
  esac
}

push() { # REPOSITORY
  local image name
  for image in "${images[@]}"; do
    name=$1:$SOURCE_VERSION-$image-$(processor)
    say "$name"
    docker tag "memory_search:$image" "$name"
    docker push --quiet "$name"
  done
}

join() { # REPOSITORY IMAGE
  local name=$1:$SOURCE_VERSION-$2 names digest
  names=(-t "$name" -t "$1:$2")
  if [[ $2 == "pg$newest" ]]; then names+=(-t "$1:$SOURCE_VERSION" -t "$1:latest"); fi
  docker buildx imagetools create "${names[@]}" "$name-amd64" "$name-arm64" >&2
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$name")
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || die "the digest of $name is none: $digest"
  printf 'name=%s\ndigest=%s\n' "$1" "$digest"
}

# A registry takes names in small letters only, and an account may have others.
repository=${2:-}
repository=${repository,,}
case ${1:-}/$# in
  build/1) build ;;
  try/1)
    for image in "${images[@]}"; do
      if [[ $image == extension-* ]]; then try_extension "$image"; else try_server "$image"; fi
    done ;;
  push/2) push "$repository" ;;
  join/3)
    [[ " ${images[*]} " == *" $3 "* ]] || die "there is no image $3: ${images[*]}"
    join "$repository" "$3" ;;
  *) die "$usage" ;;
esac
