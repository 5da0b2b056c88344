#!/usr/bin/env python3
"""Checks licences, sources and duplicates of the crates in Cargo.lock, by `cargo metadata`.

cargo-deny checks the same and takes minutes to compile; this takes a second, so that every run of the lints can do it.
`make audit` checks known vulnerabilities, because their list is on the Internet.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCE = "registry+https://github.com/rust-lang/crates.io-index"

# Licences of crates that may be linked into a library under the PostgreSQL Licence, and distributed with it, with no
# duty but to name the authors.
LICENCES = {
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "PostgreSQL",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}

# Linked into the library in more than one version, and who still wants the older one.
DUPLICATES = {
    "foldhash": "0.1 by hashbrown 0.15",
    "getrandom": "0.3 by tokenizers",
    "half": "1 by serde_cbor, below pgrx",
    "hashbrown": "0.15 by petgraph, below pgrx; 0.16 by safetensors",
    "rand_core": "0.9 by rand, below tokenizers",
    "thiserror": "1 by pgrx",
}


def allowed(expression):
    """Whether one of the choices that an SPDX expression gives is allowed; "/" is an old way to write OR."""
    tokens = re.findall(r"[()]|[^\s()]+", (expression or "").replace("/", " OR ").replace(" WITH ", "-WITH-"))

    def alternatives():
        value = together()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            value = together() or value
        return value

    def together():
        value = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            value = one() and value
        return value

    def one():
        token = tokens.pop(0) if tokens else ""
        if token == "(":
            value = alternatives()
            tokens.pop(0)
            return value
        return token in LICENCES

    return alternatives()


def linked(metadata, root):
    """The packages in the library, without tests, build scripts, macros, and packages that only these need."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    found, to_visit = {}, [package["id"] for package in packages.values() if package["name"] == root]
    while to_visit:
        identity = to_visit.pop()
        if identity in found or any("proc-macro" in target["kind"] for target in packages[identity]["targets"]):
            continue
        found[identity] = packages[identity]
        for dependency in nodes[identity]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                to_visit.append(dependency["pkg"])
    return found.values()


def check(metadata, root="memory_search", duplicates=DUPLICATES):
    """The violations, a line each."""
    wrong = []
    for package in metadata["packages"]:
        name = f"{package['name']} {package['version']}"
        if not allowed(package["license"]):
            wrong.append(f"{name} has the licence {package['license']}, which LICENCES does not allow")
        if package["source"] not in (None, SOURCE):
            wrong.append(f"{name} comes from {package['source']}: take it from crates.io")
    versions = {}
    for package in linked(metadata, root):
        versions.setdefault(package["name"], set()).add(package["version"])
    several = {name for name, found in versions.items() if len(found) > 1}
    for name in sorted(several - duplicates.keys()):
        wrong.append(
            f"{name} is linked as {', '.join(sorted(versions[name]))}: make one of it ('cargo tree -i {name}@VERSION'"
            " says who wants which), or say in DUPLICATES why not"
        )
    for name in sorted(duplicates.keys() - several):
        wrong.append(f"{name} is linked once: remove it from DUPLICATES")
    return wrong


def metadata(platform):
    """The metadata of the workspace by cargo, with the crates for one platform."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--no-default-features", "--features", "pg18"]
    command += ["--filter-platform", platform]
    return json.loads(subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True).stdout)


def host():
    """The platform of this machine, as the compiler calls it."""
    said = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    return re.search(r"^host: (\S+)$", said, re.MULTILINE).group(1)


def main():
    found = metadata("x86_64-unknown-linux-gnu")
    wrong = check(found)
    for line in wrong:
        print(f"tests/dependencies/check_dependencies.py: {line}", file=sys.stderr)
    if not wrong:
        print(f"{len(found['packages'])} crates: licences and sources are allowed, {len(DUPLICATES)} known duplicates")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
