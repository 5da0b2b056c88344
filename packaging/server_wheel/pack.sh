# shellcheck shell=bash
# Packs a tree as a wheel, by the package `wheel`, which writes its list of files. Sourced.
#   pack_wheel NAME TAG TREE FOLDER   TREE has the files, and METADATA and licenses/ for the .dist-info folder; it is used up
#   platform_tag FILE...              the tag of what these compiled files need of the system: manylinux_2_28_x86_64

# shellcheck source=packaging/stage.sh
. "$(dirname "${BASH_SOURCE[0]}")/../stage.sh"

# The Python with the packages that pack wheels: `wheel`, and the Python client's own builder.
wheel_python() {
  local folder=$MEMORY_SEARCH_DEV/wheel/packer requirements
  requirements=$(printf '%s --hash=sha256:%s\n%s' "$WHEEL" "$WHEEL_HASH" "$FLIT"; printf ' --hash=sha256:%s' "${FLIT_HASHES[@]}")
  if [[ ! -e $folder/requirements.txt || $(< "$folder/requirements.txt") != "$requirements" ]]; then
    rm -rf "$folder"
    python3 -m venv "$folder"
    echo "$requirements" > "$folder/requirements.new"
    "$folder/bin/python" -m pip install -q --disable-pip-version-check --no-deps --only-binary=:all: --require-hashes \
      -r "$folder/requirements.new" >&2
    mv "$folder/requirements.new" "$folder/requirements.txt"
  fi
  echo "$folder/bin/python"
}

platform_tag() { # FILE...
  local newest
  newest=$(objdump -T "$@" | sed -nE 's/.*\(?GLIBC_(2\.[0-9]+).*/\1/p' | sort -uV | tail -n 1)
  [[ -n $newest ]] || die "no version of glibc is named in $*"
  # The wheel with PostgreSQL needs at least this version.
  newest=$(printf '%s\n' "$newest" 2.28 | sort -V | tail -n 1)
  echo "manylinux_${newest/./_}_$(uname -m)"
}

pack_wheel() { # NAME TAG TREE FOLDER
  local info=$3/${1//-/_}-$SOURCE_VERSION.dist-info
  mkdir -p "$info" "$4"
  mv "$3/METADATA" "$3/licenses" "$info"
  printf 'Wheel-Version: 1.0\nGenerator: memory_search\nRoot-Is-Purelib: false\nTag: %s\n' "$2" > "$info/WHEEL"
  settle_files "$3"
  find "$3" -path '*.data/scripts/*' -type f -exec chmod 755 {} +
  rm -f "$4/${1//-/_}"-*.whl
  "$(wheel_python)" -m wheel pack --dest-dir "$4" "$3" > /dev/null
  rm -rf "$3"
}
