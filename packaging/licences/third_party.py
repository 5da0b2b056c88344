#!/usr/bin/env python3
"""The licences of the crates that are compiled into a library or program of ours, for its distribution.

third_party.py PACKAGE > THIRD-PARTY-LICENSES

PACKAGE is one of the workspace, memory_search for example. cargo names the crates that are linked into
it; each is listed with its version and licence, and each licence file that it brings is copied to the letter. A crate
without a licence file is an error, until WITHOUT_TEXT names its copyright holder.
"""

import html.parser
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests/dependencies"))
import check_dependencies

# Licences of code that a crate has taken over from others count, too.
NAMES = re.compile(r"(licen[cs]es?|copying|copyright|notice|unlicense)([-_.].*)?", re.IGNORECASE)
PROGRAM = re.compile(r".*\.(rs|c|h|py|sh|toml|json|ya?ml)", re.IGNORECASE)
# Crates under the MIT licence without its text, with the copyright holder that their sources or their Cargo.toml name.
PGRX = [
    "Portions Copyright 2019-2021 ZomboDB, LLC.",
    "Portions Copyright 2021-2023 Technology Concepts & Design, Inc.",
    "Portions Copyright 2023-2023 PgCentral Foundation, Inc. <contact@pgcentral.org>",
]
WITHOUT_TEXT = {
    "maud": ["Copyright (c) Chris Wong"],
    "pgrx": PGRX,
    "pgrx-pg-sys": PGRX,
    "pgrx-sql-entity-graph": PGRX,
    "pulp-wasm-simd-flag": ["Copyright (c) sarah quiñones"],
    "seahash": ["Copyright (c) ticki, Tom Almeida"],
}
RULE = "=" * 100


def texts_of(package: dict) -> list[str]:
    """The texts of the crate's licence files."""
    folder = Path(package["manifest_path"]).parent
    found = {path for path in folder.rglob("*") if path.is_file() and is_text(path.relative_to(folder))}
    if package.get("license_file"):
        found.add(folder / package["license_file"])
    return [path.read_text(errors="replace").strip("\n") for path in sorted(found)]


def is_text(path: Path) -> bool:
    """Whether the file is a licence, by its own name or because its folder is one of licences."""
    named = NAMES.fullmatch(path.name) or any(NAMES.fullmatch(parent) for parent in path.parts[:-1])
    return bool(named) and not PROGRAM.fullmatch(path.name)


def collect(packages: Iterable[dict], without_text: dict[str, list[str]]) -> tuple[list[str], dict[str, list[str]]]:
    """Faults, and each text with its crates; texts that differ only in spaces count as one."""
    faults, texts, names = [], {}, {}
    for package in packages:
        label = f"{package['name']} {package['version']}"
        found = texts_of(package)
        holders = without_text.get(package["name"])
        if holders and found:
            faults.append(f"{label} brings its licence by now: remove it from WITHOUT_TEXT")
        elif holders and "MIT" not in (package["license"] or ""):
            faults.append(f"{label} has the licence {package['license']}: its text is not MIT.txt")
        elif holders:
            found = ["\n".join(holders) + "\n\n" + (Path(__file__).parent / "MIT.txt").read_text().strip("\n")]
        elif not found:
            faults.append(
                f"{label}, {package['license']}, brings no licence: say in WITHOUT_TEXT whose copyright it is"
            )
        for text in found:
            kept = names.setdefault(" ".join(text.split()), text)
            users = texts.setdefault(kept, [])
            if label not in users:
                users.append(label)
    return faults, texts


class Words(html.parser.HTMLParser):
    """The text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = False

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.hidden = tag in ("title", "style", "script")

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def standard_library() -> str:
    """Rust's standard library is in every program; the compiler brings its notices."""
    root = subprocess.run(["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True).stdout.strip()
    page = Path(root, "share/doc/rust/COPYRIGHT-library.html")
    if not page.is_file():
        raise SystemExit(f"third_party.py: {page} is missing: rustup's toolchain has it")
    words = Words()
    words.feed(page.read_text())
    lines = (line.rstrip() for line in "".join(words.parts).splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def document(root: str, packages: list[dict], texts: dict[str, list[str]], standard: str) -> str:
    parts = [f"What {root} is compiled of besides its own code: {len(packages)} crates and Rust's standard library."]
    parts[0] += "\nAfter their names follow the texts of their licences."
    parts.append("\n".join(f"{one['name']} {one['version']}: {one['license'] or 'see below'}" for one in packages))
    parts += [f"{RULE}\n{', '.join(users)}\n{RULE}\n\n{text}" for text, users in texts.items()]
    parts.append(f"{RULE}\nRust's standard library\n{RULE}\n\n{standard}")
    return "\n\n".join(parts) + "\n"


def others(root: str) -> list[dict]:
    """The crates linked into a package of the workspace, without the workspace's own."""
    metadata = check_dependencies.metadata(check_dependencies.host())
    if root not in (package["name"] for package in metadata["packages"] if package["source"] is None):
        raise SystemExit(f"third_party.py: there is no package {root} in this workspace")
    found = [package for package in check_dependencies.linked(metadata, root) if package["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit("usage: third_party.py PACKAGE")
    packages = others(sys.argv[1])
    faults, texts = collect(packages, WITHOUT_TEXT)
    if faults:
        raise SystemExit("\n".join(f"third_party.py: {fault}" for fault in faults))
    sys.stdout.write(document(sys.argv[1], packages, texts, standard_library()))


if __name__ == "__main__":
    main()
