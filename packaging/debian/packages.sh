# shellcheck shell=bash
# The layout and the fields of each Debian package, made of the files that stage.sh has staged. Sourced by build.sh and
# the test.

ARCHITECTURE=$(dpkg --print-architecture)
DEBIAN_VERSION=$SOURCE_VERSION-${DEBIAN_REVISION:-1}
# A maintainer who distributes packages sets these variables of Debian's own tools.
MAINTAINER="${DEBFULLNAME:-memory_search contributors} <${DEBEMAIL:-memory-search@localhost}>"
# One copy serves all servers; a model that the administrator puts beside the link is his own.
MODELS_OF_SYSTEM=/usr/share/memory-search/models

# Packs the extension for one server, from the files that are staged for it or in another folder.
pack_server() { # MAJOR [STAGED]
  local name=postgresql-$1-memory-search root staged=${2:-$STAGE/$1} share=/usr/share/postgresql/$1 model
  new_root "$name"
  install -D "$staged/memory_search.so" "$root/usr/lib/postgresql/$1/lib/memory_search.so"
  mkdir -p "$root$share/extension" "$root$share/memory_search/models"
  cp "$staged/extension/"* "$root$share/extension"
  for model in "$MODEL_NAME" "$MINILM_NAME"; do
    ln -s --relative "$root$MODELS_OF_SYSTEM/$model" "$root$share/memory_search/models/$model"
  done
  document "$name" "$MEMORY_SEARCH_REPO/LICENSE" "$staged/THIRD-PARTY-LICENSES"
  write_control "$name" "$ARCHITECTURE" database <<EOF
Depends: postgresql-$1, postgresql-$1-pgvector (>= $PGVECTOR_MINIMUM), $(libraries_of "$staged/memory_search.so")
Recommends: memory-search-model-$MODEL_NAME
Suggests: memory-search-model-$MINILM_NAME
Description: long-term memory for agents and apps, searched inside PostgreSQL $1
 An extension of PostgreSQL that stores what was said or happened as entries of
 a memory, and finds what matters now by meaning (pgvector), by words (BM25), by
 recency, importance and use. Everything is kept in ordinary tables.
 .
 In each database: CREATE EXTENSION memory_search CASCADE;
EOF
  pack "$name" "$ARCHITECTURE"
}

# gdb and perf look for symbols below the build id.
pack_symbols() { # MAJOR
  local name=postgresql-$1-memory-search-dbgsym of=postgresql-$1-memory-search root id
  new_root "$name"
  id=$(readelf -n "$STAGE/$1/memory_search.so" | sed -n 's/.*Build ID: //p')
  [[ $id =~ ^[0-9a-f]{40}$ ]] || die "the library has no build id, by which debuggers find its symbols"
  install -D "$STAGE/$1/memory_search.so.debug" "$root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
  mkdir -p "$root/usr/share/doc"
  ln -s "$of" "$root/usr/share/doc/$name"
  write_control "$name" "$ARCHITECTURE" debug <<EOF
Depends: $of (= $DEBIAN_VERSION)
Auto-Built-Package: debug-symbols
Build-Ids: $id
Description: debug symbols for $of
EOF
  pack "$name" "$ARCHITECTURE"
}

# A model changes with its wheel, not with the extension, and is the same on every processor.
pack_model() { # NAME
  local name=memory-search-model-$1 root
  new_root "$name"
  mkdir -p "$root$MODELS_OF_SYSTEM"
  cp -r "$STAGE/models/$1" "$root$MODELS_OF_SYSTEM/$1"
  rm "$root$MODELS_OF_SYSTEM/$1/LICENSE" # as the copyright file
  document "$name" "$STAGE/models/$1/LICENSE"
  write_control "$name" all database <<EOF
Enhances: $(for major in $SUPPORTED_MAJORS; do printf '%spostgresql-%s-memory-search' "${separator-}" "$major"; separator=', '; done)
Description: embedding model $1 for the PostgreSQL extension memory_search
 With it memory_search makes the embeddings of texts and questions itself, in
 the database's own processes. One copy serves the servers of all versions.
EOF
  pack "$name" all
}

# An empty tree for a package; sets root of the caller.
new_root() { # NAME
  root=$STAGE/debian/$1
  rm -rf "$root"
  mkdir -p "$root/DEBIAN"
}

document() { # NAME LICENCE...
  local folder=$root/usr/share/doc/$1
  mkdir -p "$folder"
  cat "${@:2}" > "$folder/copyright"
  gzip -9 -n -c "$MEMORY_SEARCH_REPO/CHANGELOG.md" > "$folder/changelog.gz"
  gzip -9 -n -c > "$folder/changelog.Debian.gz" <<EOF
memory-search ($DEBIAN_VERSION) unstable; urgency=medium

  * What is new is in changelog.gz, and what to do at an upgrade.

 -- $MAINTAINER  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
EOF
}

# Writes the fields that every package has, and the further ones on the standard input.
write_control() { # NAME ARCHITECTURE SECTION
  {
    printf 'Package: %s\nSource: memory-search\nVersion: %s\nArchitecture: %s\n' "$1" "$DEBIAN_VERSION" "$2"
    printf 'Maintainer: %s\nSection: %s\nPriority: optional\n' "$MAINTAINER" "$3"
    printf 'Installed-Size: %s\n' "$(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f 1)"
    cat
  } > "$root/DEBIAN/control"
}

# The versions of glibc and libgcc that the library needs, by the versions of the symbols that it uses.
libraries_of() { # FILE
  local glibc
  glibc=$(objdump -T "$1" | grep -oE 'GLIBC_[0-9.]+' | sort -V | tail -n 1)
  printf 'libc6 (>= %s), libgcc-s1' "${glibc#GLIBC_}"
  if readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(lib(c|m|gcc_s|dl|pthread|rt)\.so\.[0-9]|ld-linux.*)$' >&2; then
    die "the library needs what is named above, and no package that has it is among the dependencies"
  fi
}

pack() { # NAME ARCHITECTURE
  local file=$PACKAGES/${1}_${DEBIAN_VERSION}_$2.deb
  settle_files "$root"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$root/DEBIAN/md5sums"
  touch -d "@$SOURCE_DATE_EPOCH" "$root/DEBIAN/md5sums" "$root/DEBIAN"
  rm -f "$PACKAGES/${1}"_*_"$2.deb" # of an earlier version
  dpkg-deb --root-owner-group -Zxz --build "$root" "$file" >/dev/null
  rm -rf "$root"
  say "$(basename "$file"), $(du -k "$file" | cut -f 1) kB"
}
