#!/usr/bin/env python3
"""META.json by the rules of PGXN's meta spec 1.0.0: fields, forms, and files that are there. Prints every fault.

check_meta.py [META.json]
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# Three numbers without leading zeros, and perhaps a word behind them.
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)([-+]?[A-Za-z][\w.-]*)?")
# At least two characters, each of which may be in a path.
TERM = re.compile(r"[^\s/\\\x00-\x1f\x7f]{2,}")
LICENCES = {
    "agpl_3", "apache_1_1", "apache_2_0", "artistic_1", "artistic_2", "bsd", "freebsd", "gfdl_1_2", "gfdl_1_3", "gpl_1",
    "gpl_2", "gpl_3", "lgpl_2_1", "lgpl_3_0", "mit", "mozilla_1_0", "mozilla_1_1", "openssl", "perl_5", "postgresql",
    "qpl_1_0", "ssleay", "sun", "zlib", "open_source", "restricted", "unrestricted", "unknown",
}  # fmt: skip
REQUIRED = {"name", "version", "abstract", "maintainer", "license", "provides", "meta-spec"}
OPTIONAL = {"description", "generated_by", "no_index", "prereqs", "release_status", "resources", "tags"}
PHASES = {"configure", "build", "test", "runtime", "develop"}
RELATIONS = {"requires", "recommends", "suggests", "conflicts"}


def faults(meta: dict, folder: Path) -> Iterator[str]:
    for key in sorted(REQUIRED - meta.keys()):
        yield f"{key} is missing"
    for key in sorted(meta.keys() - REQUIRED - OPTIONAL):
        if not key.lower().startswith("x_"):
            yield f"{key} is no field of the spec"
    for key in ("abstract", "description", "generated_by"):
        if key in meta and not (isinstance(meta[key], str) and meta[key].strip()):
            yield f"{key} is not a text"
    if not isinstance(meta.get("name"), str) or not TERM.fullmatch(meta["name"]):
        yield f"name is no name: {meta.get('name')!r}"
    yield from version(meta.get("version"), "version")
    yield from texts(meta.get("maintainer"), "maintainer")
    licence = meta.get("license")
    for name in [licence] if isinstance(licence, str) else licence or []:
        if not isinstance(licence, dict) and name not in LICENCES:
            yield f"license {name!r} is none that the spec knows"
    if meta.get("release_status", "stable") not in ("stable", "testing", "unstable"):
        yield "release_status is none of stable, testing, unstable"
    if "tags" in meta:
        yield from texts(meta["tags"], "tags")
    spec = meta.get("meta-spec")
    if not isinstance(spec, dict) or spec.get("version") != "1.0.0":
        yield "meta-spec.version is not 1.0.0"
    yield from provides(meta.get("provides"), folder)
    yield from prereqs(meta.get("prereqs", {}))


def version(value: object, where: str) -> Iterator[str]:
    if not isinstance(value, str) or not VERSION.fullmatch(value):
        yield f"{where} is no version of three numbers: {value!r}"


def texts(value: object, where: str) -> Iterator[str]:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not values or not all(isinstance(one, str) and one.strip() for one in values):
        yield f"{where} is neither a text nor a list of texts"


def provides(value: object, folder: Path) -> Iterator[str]:
    if not isinstance(value, dict) or not value:
        yield "provides names no extension"
        return
    for name, extension in value.items():
        yield from version(extension.get("version"), f"provides.{name}.version")
        if "file" not in extension:
            yield f"provides.{name}.file is missing"
        for key in ("file", "docfile"):
            if key in extension and not (folder / extension[key]).is_file():
                yield f"provides.{name}.{key} is no file: {extension[key]}"


def prereqs(value: dict) -> Iterator[str]:
    for phase, relations in value.items():
        if phase not in PHASES:
            yield f"prereqs.{phase} is no phase: {', '.join(sorted(PHASES))} are"
        for relation, required in relations.items():
            if relation not in RELATIONS:
                yield f"prereqs.{phase}.{relation} is no relation: {', '.join(sorted(RELATIONS))} are"
            for name, wanted in required.items():
                where = f"prereqs.{phase}.{relation}.{name}"
                for one in str(wanted).split(","):
                    if wanted != 0:
                        yield from version(re.sub(r"^\s*(<=|>=|==|!=|<|>)?\s*", "", one).strip(), where)


if __name__ == "__main__":
    path = Path(sys.argv[1]) if sys.argv[1:] else REPOSITORY / "META.json"
    if found := list(faults(json.loads(path.read_text()), REPOSITORY)):
        raise SystemExit("\n".join(f"{path.name}: {fault}" for fault in found))
    print(f"{path.name} is as PGXN wants it")
