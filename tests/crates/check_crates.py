#!/usr/bin/env python3
"""Checks the crates that are useful without PostgreSQL: the contents of their packages, and the output of examples in
their READMEs.

    check_crates.py TARGET_FOLDER MODEL_FOLDER

TARGET_FOLDER is cargo's, with the examples compiled. MODEL_FOLDER has a model for the embedder's example; without one
that example is not run, and a line says so. Packages are made as for the registry but are not compiled: `cargo publish
--dry-run` compiles them, and takes minutes."""

import json
import os
import re
import shlex
import subprocess
import sys
import tarfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# In the order in which the registry must get them: each after its dependencies.
CRATES = ["analyzer", "core", "index", "tiles", "embedder"]
WITH_README = ["analyzer", "index", "tiles", "embedder"]
# Their READMEs show commands with what these print.
WITH_EXAMPLE = ["analyzer", "index", "embedder"]
# Files that a package holds besides its sources.
MUST_HOLD = {"Cargo.toml", "LICENSE", "src/lib.rs"}
MAY_HOLD = re.compile(
    r"(\.cargo_vcs_info\.json|Cargo\.(toml|toml\.orig|lock)|README\.md|LICENSE|(src|examples|tests)/.*\.rs"
    # The models of random weights that the tests of encoders read, and the scripts that made them.
    r"|tests/(cross_encoder|xlm_roberta)/\w+\.(json|py|safetensors))"
)
# A command and its output, as a page shows them.
SHOWN = re.compile(r"^```sh\n(cargo run [^\n]*)\n```\n\n```text\n(.*?)^```$", re.M | re.S)


def faults_of_package(crate: str, target: Path, version: str) -> list[str]:
    """The faults of a package that `cargo package` has made."""
    name = f"memory-search-{crate}-{version}"
    with tarfile.open(target / "package" / f"{name}.crate") as package:
        files = {member.name.removeprefix(f"{name}/") for member in package.getmembers()}
        wanted = MUST_HOLD | ({"README.md"} if crate in WITH_README else set())
        faults = [f"the package of {crate} lacks {file}" for file in sorted(wanted - files)]
        faults += [f"the package of {crate} holds {file}" for file in sorted(files) if not MAY_HOLD.fullmatch(file)]
        licence = package.extractfile(f"{name}/LICENSE") if "LICENSE" in files else None
        if licence and licence.read() != (REPOSITORY / "LICENSE").read_bytes():
            faults.append(f"the package of {crate} has another LICENSE than the repository")
    return faults


def package(target: Path) -> list[str]:
    """Makes all packages; cargo takes those that the registry does not have from each other, and asks nobody."""
    names = [f"--package=memory-search-{crate}" for crate in CRATES]
    command = ["cargo", "package", "--quiet", "--locked", "--offline", "--no-verify", "--allow-dirty", *names]
    subprocess.run(command, cwd=REPOSITORY, check=True, env={**os.environ, "CARGO_TARGET_DIR": str(target)})
    metadata = ["cargo", "metadata", "--format-version=1", "--no-deps", "--offline"]
    found = subprocess.run(metadata, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    versions = {package["name"]: package["version"] for package in json.loads(found)["packages"]}
    return [fault for crate in CRATES for fault in faults_of_package(crate, target, versions[f"memory-search-{crate}"])]


def example(target: Path, name: str) -> Path:
    """The compiled example."""
    program = target / "debug/examples" / name
    if not program.exists():
        sys.exit(f"the example {name} is not compiled in {target}: tests/run_core.sh does it")
    return program


def faults_of_readme(crate: str, target: Path, model: Path) -> list[str]:
    """Commands of a README whose output differs from the one that it shows."""
    text = (REPOSITORY / "crates" / crate / "README.md").read_text(encoding="utf-8")
    shown = [match.groups() for match in SHOWN.finditer(text) if "--release" not in match[1]]
    if not shown:
        return [f"crates/{crate}/README.md shows no example with its output"]
    faults = []
    for command, expected in shown:
        before, _, arguments = command.partition(" -- ")
        words = [str(model) if word == "FOLDER" else word for word in shlex.split(arguments)]
        if "FOLDER" in arguments and not (model / "model.safetensors").exists():
            print(f"*** NOT RUN, for there is no model in {model}: {command}", file=sys.stderr)
            continue
        program = example(target, before.split("--example ")[1].strip())
        run = subprocess.run([program, *words], capture_output=True, text=True)
        if run.returncode != 0 or run.stdout != expected:
            printed = run.stdout + run.stderr
            faults.append(f"crates/{crate}/README.md: `{command}` prints\n{printed}instead of\n{expected}")
    return faults


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    target, model = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    faults = package(target)
    for crate in WITH_EXAMPLE:
        faults += faults_of_readme(crate, target, model)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(CRATES)} packages hold what they should, {len(WITH_EXAMPLE)} READMEs show what examples print")


if __name__ == "__main__":
    main()
