#!/usr/bin/env bash
# Builds the pages that docs/SUMMARY.md names into a site, by mdBook: `make docs` says where it is. A link of the site
# that leads nowhere fails it (tests/docs/check_site.py).
# mdBook is compiled into the dev folder when it is missing, which takes minutes.
set -euo pipefail
# shellcheck source=pgrx-config/paths.sh
. "$(dirname "${BASH_SOURCE[0]}")/paths.sh"

mdbook=$MEMORY_SEARCH_DEV/cargo/bin/mdbook
if [[ $(mdbook --version 2>/dev/null) == "mdbook v$MDBOOK_VERSION" ]]; then mdbook=mdbook; fi
if [[ $("$mdbook" --version 2>/dev/null) != "mdbook v$MDBOOK_VERSION" ]]; then
  say "compiling mdbook $MDBOOK_VERSION"
  make_dev_folder
  env -u CARGO_TARGET_DIR cargo install mdbook --version "=$MDBOOK_VERSION" --locked --no-default-features \
    --features search --root "$MEMORY_SEARCH_DEV/cargo"
fi

# Pages link to README.md, adr/ and tests/, which are outside docs/: so the book's source is a copy of the repository,
# with the same paths. Its summary is one folder higher there. mdBook calls each README.md index.html, in the summary
# and not in links.
site=$MEMORY_SEARCH_DEV/site
rm -rf "$site"
mkdir -p "$site/src"
cd "$MEMORY_SEARCH_REPO"
# The site has the files that git knows or would add, and so no builds and packages. git still lists a file that was
# removed. Without git, as in the distribution for PGXN, it has all files except builds.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git ls-files -z --cached --others --exclude-standard \
    | while IFS= read -r -d '' file; do if [[ -e $file ]]; then printf '%s\0' "$file"; fi; done \
    | tar -c --null -T - | tar -x -C "$site/src"
else
  tar -c --exclude=./target --exclude=./.dev --exclude=./dist . | tar -x -C "$site/src"
fi
mv "$site/src/docs/book.toml" "$site/"
sed -E 's|\]\(([^)]+)\)|](docs/\1)|; s|\]\(docs/\.\./|](|' docs/SUMMARY.md > "$site/src/SUMMARY.md"
rm "$site/src/docs/SUMMARY.md"
"$mdbook" build "$site" --dest-dir "$site/html"
find "$site/html" -name '*.html' -exec sed -i -E 's|(href="[^":]*)README\.html|\1index.html|g' {} +
PYTHONDONTWRITEBYTECODE=1 python3 tests/docs/check_site.py "$site/html"
say "the site is $site/html/index.html"
