#!/usr/bin/env python3
"""Checks that each part of the source names only parts below it.

    check_layers.py [FOLDER]          checks the repository, or another copy of it
    check_layers.py --table           prints the table of exceptions for CONTRIBUTING.md

The rules and their exceptions are in rules.py. Each finding has file, line and remedy.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import rules
from rust_source import Tree
from templates import check_templates

REPOSITORY = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- exceptions: by tests/layers/check_layers.py --table -->", "<!-- end of exceptions -->"


class Findings:
    """The violations, without the listed exceptions."""

    def __init__(self, exceptions):
        self.messages, self.exceptions, self.needed = [], exceptions, set()

    def add(self, place, message, rule=None, where=None, what=""):
        for exception in self.exceptions:
            if (exception.rule, exception.where, exception.what) == (rule, where, what):
                self.needed.add(exception)
                return
        self.messages.append(f"{place}: {message}")

    def add_unneeded(self):
        for exception in self.exceptions:
            if exception not in self.needed:
                self.add(
                    "tests/layers/rules.py",
                    f"the exception for {exception.where} {exception.what} ({exception.rule}) is not needed any more:"
                    " remove it",
                )


def name_of(module):
    return "::".join(module) or "the root"


def layer_of(module):
    """The longest layer that a module is in; None if there is none."""
    for length in range(len(module), 0, -1):
        if (layer := "::".join(module[:length])) in rules.LAYERS:
            return layer
    return None if module else ""


def check_layers(tree, findings):
    """No module names one of a layer above its own, or of one beside it that it may not know."""
    for module in tree.files:
        if layer_of(module) is None:
            findings.add(
                tree.place(module),
                "is in no layer: move it into one, or give it a place in LAYERS of tests/layers/rules.py",
            )
    for module, line, target in tree.edges():
        layer, below = layer_of(module), layer_of(target)
        if None in (layer, below) or layer == below or below in rules.LAYERS[layer]:
            continue
        may = ", ".join(rules.LAYERS[layer]) or "nothing above it"
        findings.add(
            f"{tree.place(module)}:{line}",
            f"{layer} names {name_of(target)}; it may name {may}. Move what both need down, or hand it in as an"
            " argument",
            "layer",
            tree.place(module),
            name_of(target),
        )


def check_rooms(repository, findings):
    """A folder of rooms holds no file beside its own."""
    for folder in rules.ONLY_ROOMS:
        for path in sorted((repository / folder).iterdir()):
            if path.is_file() and path.name != "mod.rs":
                findings.add(
                    str(path.relative_to(repository)), f"is beside the rooms of {folder}: move it into one of them"
                )


def strongly_connected(graph):
    """Tarjan's algorithm: the sets of nodes that reach each other, of more than one node."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            members = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(members) > 1:
                found.append(sorted(members))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def check_cycles(tree, findings):
    """No file or folder of a folder leads back to itself. The folder's own file counts as one of them.

    The folders in src/ itself are the layers, of which check_layers says more.
    """
    folders = {}
    for module, line, target in tree.edges():
        common = 0
        while common < min(len(module), len(target)) and module[common] == target[common]:
            common += 1
        folder = module[:common]
        if not folder and tree.root == tree.repository / "src":
            continue
        from_child, to_child = (path[common] if len(path) > common else "mod.rs" for path in (module, target))
        graph, places = folders.setdefault(folder, ({}, {}))
        graph.setdefault(from_child, set()).add(to_child)
        places.setdefault((from_child, to_child), f"{tree.place(module)}:{line}")
    for folder, (graph, places) in sorted(folders.items()):
        for members in strongly_connected(graph):
            arrows = [
                f"\n    {place}: {one} names {other}"
                for (one, other), place in sorted(places.items())
                if one in members and other in members
            ]
            where = "/".join((str(tree.root.relative_to(tree.repository)), *folder))
            findings.add(
                where,
                f"{', '.join(members)} name each other in a circle. Move what they share into a file of its own, or"
                f" merge them:{''.join(arrows)}",
                "cycle",
                where,
                ", ".join(members),
            )


def check_crates(packages, findings):
    """Cargo.toml: crates of this repository, and PostgreSQL where it must not be known."""
    names = {package["name"] for package in packages}
    for package in packages:
        name, place = package["name"], package["manifest_path"]
        if name not in rules.CRATES:
            findings.add(place, f"{name} has no place in CRATES of tests/layers/rules.py: give it one")
            continue
        for dependency in sorted({dependency["name"] for dependency in package["dependencies"]}):
            if dependency in names and dependency not in rules.CRATES[name]:
                findings.add(place, f"{name} may not depend on {dependency}", "crate", name, dependency)
            if name in rules.WITHOUT_POSTGRESQL and dependency.startswith(rules.OF_POSTGRESQL):
                findings.add(place, f"{name} knows no PostgreSQL: remove {dependency}", "crate", name, dependency)


def says(file, attribute):
    return attribute in "".join(file.code.split())


def check_unsafe(repository, trees, findings):
    for tree in trees:
        for file in tree.files.values():
            place = str(file.path.relative_to(repository))
            if any(place == there or place.startswith(there + "/") for there in rules.MAY_BE_UNSAFE):
                continue
            for number, line in enumerate(file.code.splitlines(), 1):
                if "unsafe" in line.replace("(", " ").replace("{", " ").split():
                    findings.add(
                        f"{place}:{number}",
                        f"unsafe outside {' and '.join(rules.MAY_BE_UNSAFE)}: let a safe function there do it",
                        "unsafe",
                        place,
                    )
                    break
        root = tree.files[()]
        place = str(root.path.relative_to(repository))
        if place in rules.DENY_UNSAFE:
            wanted = {place: ["#![deny(unsafe_code)]"]}
            for declared_in, modules in rules.DENY_UNSAFE[place].items():
                wanted.setdefault(declared_in, []).extend(f"#[allow(unsafe_code)]mod{name};" for name in modules)
            files = {str(file.path.relative_to(repository)): file for file in tree.files.values()}
            for where, attributes in wanted.items():
                for attribute in attributes:
                    if where not in files or not says(files[where], attribute):
                        findings.add(where, f"{attribute} is missing: the compiler holds the rule of unsafe too")
        elif any(place.startswith(folder + "/") for folder in rules.FORBID_UNSAFE):
            if not says(root, "#![forbid(unsafe_code)]"):
                findings.add(place, "#![forbid(unsafe_code)] is missing: add it")
        else:
            findings.add(place, "is in neither FORBID_UNSAFE nor DENY_UNSAFE of tests/layers/rules.py: add it")


def check_lengths(repository, findings):
    for folder in rules.WRITTEN_BY_HAND:
        for path in sorted((repository / folder).rglob("*")):
            if path.suffix not in rules.ENDINGS or not path.is_file():
                continue
            lines, place = path.read_bytes().count(b"\n"), str(path.relative_to(repository))
            if lines > rules.LONGEST_FILE:
                findings.add(
                    f"{place}:{rules.LONGEST_FILE + 1}",
                    f"has {lines} lines, {rules.LONGEST_FILE} at most: split it by subject",
                    "length",
                    place,
                )


def table(exceptions):
    """The exceptions as CONTRIBUTING.md shows them."""
    if not exceptions:
        return "There is none today.\n"
    rows = [f"| {e.rule} | `{e.where}` | {f'`{e.what}`' if e.what else ''} | {e.reason} |\n" for e in exceptions]
    return "".join(["| rule | where | what | why |\n|---|---|---|---|\n", *rows])


def layer_rows():
    """The beginning and the end of each row of CONTRIBUTING.md that says what a part may name."""
    folder = lambda crate: "crates/" + crate.removeprefix("memory-search-").replace("-", "_")  # noqa: E731
    for layer, others in rules.LAYERS.items():
        if layer:
            # A part that may name a layer may name everything within it.
            named = [other for other in others if other.rpartition("::")[0] not in others]
            yield f"| `src/{layer.replace('::', '/')}/` |", named
    for crate, others in rules.CRATES.items():
        if crate != "memory_search":
            yield f"| `{folder(crate)}/` |", [folder(other) for other in others]


def check_table(repository, exceptions, findings):
    page = repository / "CONTRIBUTING.md"
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    for begin, named in layer_rows():
        end = " | ".join(["", ", ".join(f"`{name}`" for name in named), ""]).replace("|  |", "| |").rstrip()
        if not any(line.startswith(begin) and line.endswith(end) for line in text.splitlines()):
            findings.add(
                "CONTRIBUTING.md",
                f"no row of its table of layers begins with {begin} and ends with{end}, as"
                " tests/layers/rules.py has it",
            )
    _, begin, rest = text.partition(BEGIN + "\n")
    shown, end, _ = rest.partition(END)
    if not begin or not end or shown.strip() != table(exceptions).strip():
        findings.add(
            "CONTRIBUTING.md",
            f"its table of exceptions is not that of tests/layers/rules.py: between the lines {BEGIN} and {END} must"
            " be the output of tests/layers/check_layers.py --table",
        )


def check(repository, packages, exceptions):
    """All findings, as lines."""
    findings = Findings(exceptions)
    trees = []
    for root in [repository / "src", *sorted(repository.glob("crates/*/src"))]:
        tree = Tree(root, repository)
        trees.append(tree)
        if root == repository / "src":
            check_layers(tree, findings)
            check_rooms(repository, findings)
        check_cycles(tree, findings)
    check_crates(packages, findings)
    check_unsafe(repository, trees, findings)
    check_lengths(repository, findings)
    check_templates(repository, findings)
    check_table(repository, exceptions, findings)
    findings.add_unneeded()
    return findings.messages, sum(len(tree.files) for tree in trees)


def packages_of(repository):
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline"]
    packages = json.loads(subprocess.run(command, cwd=repository, check=True, capture_output=True).stdout)["packages"]
    for package in packages:
        package["manifest_path"] = str(Path(package["manifest_path"]).relative_to(repository))
    return packages


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=REPOSITORY)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.table:
        print(BEGIN, table(rules.EXCEPTIONS), END, sep="\n", end="\n")
        return 0
    folder = arguments.folder.resolve()
    messages, files = check(folder, packages_of(folder), rules.EXCEPTIONS)
    for message in messages:
        print(message, file=sys.stderr)
    if messages:
        print(f"{len(messages)} findings; CONTRIBUTING.md explains the rules", file=sys.stderr)
        return 1
    print(f"the arrows of {files} files point down; {len(rules.EXCEPTIONS)} exceptions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
