#!/usr/bin/env python3
"""Replaces a program in the dry run of the workflows: refuses a call that the program would refuse, and leaves the
files that later steps need. The script that calls this (dry_run.py) notes each call.

stand_in.py PROGRAM [ARGUMENT...]    PROGRAM: a script of this repository, by its path, or one of outside by its name
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
REPOSITORY = Path(__file__).resolve().parents[2]
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}


def script(path: str, arguments: list[str]) -> None:
    """Refuses an option or a word that does not occur in the script."""
    text = (REPOSITORY / path).read_text()
    majors = re.search(r'(?m)^SUPPORTED_MAJORS="(.*)"', (REPOSITORY / "pgrx-config/versions.sh").read_text())
    known = set(majors.group(1).split())
    for argument in arguments:
        word = argument.partition("=")[0]
        if word not in known and not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text):
            raise SystemExit(f"{path} knows no {argument}")
    if path == "packaging/release/release.sh" and not arguments:
        release(os.environ["DRY_RUN_PROCESSOR"])
    elif path == "pgrx-config/site.sh":
        site = Path(os.environ["MEMORY_SEARCH_DEV"], "site/html")
        site.mkdir(parents=True)
        (site / "index.html").write_text("the site\n")


def release(processor: str) -> None:
    """Makes the files that `make release` leaves in dist/, by name only, with their checksums."""
    sys.path.insert(0, str(REPOSITORY / "packaging/release"))
    import gather
    import versions

    version = versions.version(Path.cwd())
    out = Path("dist")
    out.mkdir()
    names = []
    for pattern, what in gather.wanted(Path.cwd()).items():
        for placeholder, text in ((r"model-\w+", "model-wordllama"), (r"\w+", "1"), (r"\d+", "18"), ("\\", "")):
            pattern = pattern.replace(placeholder, text)
        name = pattern
        if name.endswith(".whl"):
            platform = "none-any" if "clients/" in what else f"none-manylinux_2_34_{processor}"
            name = name.replace(".*", f"py3-{platform}")
        names.append(name.replace("PROCESSOR", DEBIAN[processor] if name.endswith(".deb") else processor))
    for name in names:
        assert version in name and "*" not in name, name
        (out / name).write_text(name)
    sums = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in sorted(names)]
    (out / "SHA256SUMS").write_text("".join(sums))


def docker(arguments: list[str]) -> None:
    if arguments[0] == "login":
        if not sys.stdin.read().strip():
            raise SystemExit("docker login: no password")
    elif arguments[0] == "build":
        dockerfile, context = Path(arguments[arguments.index("-f") + 1]), Path(arguments[-1])
        if not dockerfile.is_file() or not any(context.glob("*.deb")):
            raise SystemExit(f"docker build: {dockerfile} or the packages in {context} are not there")
    elif arguments[0] == "exec" and "psql" in arguments:
        print("She prefers guesthouses.")
    elif arguments[0] == "create":
        print("container")
    elif arguments[0] == "export":
        files = ["lib/memory_search.so", "share/extension/memory_search.control", "LICENSE"]
        files.append("share/memory_search/models/wordllama/model.safetensors")
        for file in files:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_text("")
        subprocess.run(["tar", "-c", *files], check=True)
    elif arguments[0] == "push":
        if arguments[-1] in pushed():
            raise SystemExit(f"docker push: {arguments[-1]} is pushed already")
    elif arguments[:3] == ["buildx", "imagetools", "create"]:
        sources = [name for name, before in zip(arguments[3:], arguments[2:]) if name != "-t" and before != "-t"]
        if lacking := set(sources) - pushed():
            raise SystemExit(f"docker buildx: nobody has pushed {sorted(lacking)[0]}")
    elif arguments[:3] == ["buildx", "imagetools", "inspect"]:
        print("sha256:" + hashlib.sha256(arguments[-1].encode()).hexdigest())
    elif arguments[0] != "exec":
        raise SystemExit(f"docker {arguments[0]} is not known here")


def pushed() -> set[str]:
    """The images that were pushed before this call."""
    calls = [call.split("\x1f")[1:-1] for call in Path(os.environ["DRY_RUN_LOG"]).read_text().split("\x1e")[:-2]]
    return {call[-1] for call in calls if call[:2] == ["docker", "push"]}


def gh(arguments: list[str]) -> None:
    if arguments[:2] != ["release", "create"]:
        raise SystemExit(f"gh {' '.join(arguments[:2])} is not known here")
    if not os.environ.get("GH_TOKEN"):
        raise SystemExit("gh has no token")
    rest, with_value = arguments[3:], {"--title", "--notes-file"}
    while rest:
        word = rest.pop(0)
        value = rest.pop(0) if word in with_value else ""
        file = value if word == "--notes-file" else "" if word.startswith("-") else word
        if file and not (Path(file).is_file() and Path(file).stat().st_size):
            raise SystemExit(f"gh: {file} is not there, or empty")


def main() -> None:
    program, arguments = sys.argv[1], sys.argv[2:]
    if program == "uname":
        print(os.environ["DRY_RUN_PROCESSOR"])
    elif "/" in program:
        script(program, arguments)
    elif program in ("docker", "gh"):
        {"docker": docker, "gh": gh}[program](arguments)


if __name__ == "__main__":
    main()
