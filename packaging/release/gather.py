#!/usr/bin/env python3
"""Makes the folder that is published: the files that `make release` has left on each processor, with all checksums.

gather.py OUT FOLDER...     OUT must not be there, or be empty

Each folder must be complete by its own SHA256SUMS, must be for one processor, and must have the same packages as the
others. A file for every processor (the model, the client, the sources) comes from the first folder.
"""

import hashlib
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import versions

SUMS = "SHA256SUMS"
# The names of processors in wheels and tar files, and in Debian.
PROCESSORS = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
NAMED = re.compile(r"(?<=[_-])(" + "|".join(PROCESSORS) + r")(?=\.)")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def processor(name: str) -> str | None:
    """The processor that a file is for; None if it is for all."""
    found = NAMED.search(name)
    return PROCESSORS[found.group(1)] if found else None


def kind(name: str) -> str:
    """The name without the processor, and of a wheel also without the oldest glibc. It is the same on every
    processor."""
    if name.endswith(".whl") and processor(name):
        return name.rpartition("-")[0] + "-PROCESSOR.whl"
    return NAMED.sub("PROCESSOR", name)


def wanted(repository: Path) -> dict[str, str]:
    """The least contents of a release, as patterns of file names, each with a description."""
    version = re.escape(versions.version(repository))
    pins = (repository / "pgrx-config/versions.sh").read_text()
    majors = re.search(r'(?m)^SUPPORTED_MAJORS="([\d ]+)"', pins).group(1).split()
    kinds = {}
    for major in majors:
        for symbols in ("", "-dbgsym"):
            name = f"postgresql-{major}-memory-search{symbols}"
            kinds[rf"{name}_{version}-\w+_PROCESSOR\.deb"] = f"the Debian package {name}"
    kinds[rf"memory-search-model-\w+_{version}-\w+_all\.deb"] = "the Debian package of a model"
    kinds[rf"memory_search-{version}-pg\d+-PROCESSOR\.tar\.gz"] = "the tar file"
    kinds[rf"memory_search-{version}\.zip"] = "the distribution for PGXN"
    for project in sorted(repository.glob("*/*/pyproject.toml")):
        name = re.search(r'(?m)^name = "([^"]+)"', project.read_text()).group(1).replace("-", "_")
        kinds[rf"{name}-{version}-.*\.whl"] = f"the wheel of {project.parent.relative_to(repository)}"
    # Packed without a project file, because it has no Python code.
    kinds[rf"memory_search_server-{version}-.*\.whl"] = "the wheel of packaging/server_wheel"
    return kinds


def read(folder: Path) -> dict[str, Path]:
    """The files of a folder by their kinds."""
    if not (folder / SUMS).is_file():
        raise SystemExit(f"{folder} has no {SUMS}: it is not what 'make release' leaves")
    said = dict(line.split(maxsplit=1)[::-1] for line in (folder / SUMS).read_text().splitlines())
    found = {path.name: path for path in sorted(folder.iterdir()) if path.name != SUMS}
    for name in sorted(said.keys() | found.keys()):
        if name not in found:
            raise SystemExit(f"{folder} lacks {name}, which its {SUMS} names")
        if name not in said:
            raise SystemExit(f"{folder / name} is not in its {SUMS}")
        if digest(found[name]) != said[name]:
            raise SystemExit(f"{folder / name} is not the file that its {SUMS} means")
    kinds: dict[str, Path] = {}
    for name, path in found.items():
        if kind(name) in kinds:
            raise SystemExit(f"{folder} has two of one kind: {kinds[kind(name)].name} and {name}")
        kinds[kind(name)] = path
    return kinds


def of_one_processor(folder: Path, files: dict[str, Path]) -> str:
    found = sorted({processor(path.name) for path in files.values()} - {None})
    if len(found) != 1:
        raise SystemExit(f"{folder} is for {' and '.join(found) or 'no processor'}: one is meant")
    return found[0]


def faults(folders: list[Path], read_folders: list[dict[str, Path]], repository: Path) -> list[str]:
    everything = {name for files in read_folders for name in files}
    wrong = [
        f"{folder} has no {name}, which another has"
        for folder, files in zip(folders, read_folders)
        for name in sorted(everything - files.keys())
    ]
    for pattern, what in wanted(repository).items():
        if not any(re.fullmatch(pattern, name) for name in everything):
            wrong.append(f"no folder has {what}")
    version = versions.version(repository)
    wrong += [f"{name} is not of version {version}" for name in sorted(everything) if version not in name]
    return wrong


def gather(out: Path, folders: list[Path], repository: Path = versions.REPOSITORY) -> list[str]:
    """Fills OUT. Reports each file that differs between folders, of which it takes the first."""
    if out.exists() and any(out.iterdir()):
        raise SystemExit(f"{out} is not empty")
    read_folders = [read(folder) for folder in folders]
    processors = [of_one_processor(folder, files) for folder, files in zip(folders, read_folders)]
    for index, name in enumerate(processors):
        if name in processors[:index]:
            raise SystemExit(f"{folders[processors.index(name)]} and {folders[index]} are both for {name}")
    if wrong := faults(folders, read_folders, repository):
        raise SystemExit("\n".join(wrong))
    remarks = []
    out.mkdir(parents=True, exist_ok=True)
    for files in read_folders:
        for path in files.values():
            if not (out / path.name).exists():
                shutil.copy2(path, out / path.name)
            elif digest(path) != digest(out / path.name):
                remarks.append(f"{path.name} differs between processors: that of {folders[0]} is taken")
    lines = [f"{digest(path)}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / SUMS).write_text("".join(lines))
    return [*remarks, f"{len(lines)} files for {' and '.join(processors)}, and {SUMS}"]


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    print("\n".join(gather(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])))
