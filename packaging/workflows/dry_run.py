#!/usr/bin/env python3
"""Runs the workflows of .github here: every step of every job, for every row of its matrix, in a copy of the tree.

dry_run.py             prints the faults, or the number of steps that ran
dry_run.py --show      also prints each job's calls of programs, with their arguments

stand_in.py replaces the shell scripts of the repository and the programs that change this or another machine; make, the
Python programs of packaging/release and packaging/docker/images.sh are the real ones. So a step fails here if it names
a target, script, option, file, output or artifact that does not exist, or a program that is not listed below. All
workflows run as for a commit on main, then the release workflows run as for a tag, on a copy with the day of a release.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.dont_write_bytecode = True
import rules
from jobs import Run

REPOSITORY = Path(__file__).resolve().parents[2]
REAL_SCRIPTS = {"packaging/docker/images.sh"}
STOOD_IN = ["apt-get", "cargo", "docker", "gh", "rustup", "uname"]
REAL = """awk bash basename cat chmod cp cut date dirname env git grep head ls mkdir mktemp mv realpath rm sed sh
sha256sum sleep sort stat tail tar tr true wc xargs""".split()
# Most of the tree, which only the replaced scripts read.
NOT_CALLED = re.compile(r"\.(rs|out|spec|svg|png)$|^tests/.*\.(sql|py)$|^(src|benches|adr)/")
EVENTS: list[dict[str, str]] = [
    {"event_name": "push", "ref_type": "branch", "ref_name": "main", "ref": "refs/heads/main"},
    {"event_name": "push", "ref_type": "tag", "ref_name": "v{version}", "ref": "refs/tags/v{version}"},
]


def stand_in(name: str) -> str:
    """A script that replaces a program: it notes the call, and runs stand_in.py if that handles the program. Python
    starts sooner without site-packages, which stand_in.py does not need."""
    script = Path(__file__).with_name("stand_in.py")
    return (
        "#!/bin/bash\n"
        f'printf "%s\\x1f" "$DRY_RUN_JOB" {name} "$@" >> "$DRY_RUN_LOG"; printf "\\x1e" >> "$DRY_RUN_LOG"\n'
        f"case {name}/${{1-}} in apt-get/*|cargo/*|rustup/*|docker/rm|docker/run|docker/tag) exit ;; esac\n"
        f'exec {sys.executable} -I -S {script} {name} "$@"\n'
    )


def calls_of(log: Path) -> list[list[str]]:
    """Job, program and arguments of each call of a replaced program."""
    if not log.exists():
        return []
    return [call.split("\x1f")[:-1] for call in log.read_text().split("\x1e")[:-1]]


def copy_tree(repository: Path, to: Path) -> str:
    """Copies the files that steps may name (all that git knows or would add), with the day of a release; returns the
    version."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=repository,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and not NOT_CALLED.search(name) and (repository / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repository / name, to / name)
    sys.path.insert(0, str(REPOSITORY / "packaging/release"))
    import versions

    version = versions.version(to)
    log = to / "CHANGELOG.md"
    log.write_text(re.sub(r"(?m)^## .*$", f"## [{version}] - 2026-12-01", log.read_text(), count=1))
    for path in to.rglob("*.sh"):
        name = str(path.relative_to(to))
        if os.access(path, os.X_OK) and name not in REAL_SCRIPTS:
            path.write_text(stand_in(name))
    return version


def programs(folder: Path) -> None:
    """A PATH of the programs that steps may call."""
    for name in REAL:
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    # The python3 of the PATH may be one of a version manager.
    (folder / "python3").write_text(f'#!/bin/bash\nexec {sys.executable} "$@"\n')
    (folder / "python3").chmod(0o755)
    # make prints this for a name in .PHONY without a rule, and reports success.
    (folder / "make").write_text(
        f'#!/bin/bash\nsaid=$(LC_ALL=C {shutil.which("make")} "$@" 2>&1) || {{ echo "$said" >&2; exit 2; }}\n'
        'if [[ $said == *"Nothing to be done"* ]]; then echo "$said" >&2; exit 2; fi\n'
    )
    (folder / "make").chmod(0o755)
    for name in STOOD_IN:
        (folder / name).write_text(stand_in(name))
        (folder / name).chmod(0o755)


def dry_run(repository: Path, only: set[str] | None = None) -> tuple[list[str], int, list[list[str]]]:
    """(faults, number of steps that ran, each call of a replaced program), of all jobs or of these"""
    wrong, steps = list(rules.faults(repository)), 0
    with tempfile.TemporaryDirectory(prefix="memory_search-dry-run-") as folder:
        scratch = Path(folder)
        (scratch / "bin").mkdir()
        programs(scratch / "bin")
        tree = scratch / "tree"
        version = copy_tree(repository, tree)
        for event in EVENTS:
            run = Run(repository, scratch, tree, {name: text.format(version=version) for name, text in event.items()})
            wrong += run.workflows(only)
            steps += run.steps
        calls = calls_of(scratch / "log")
    return wrong, steps, calls


def main() -> None:
    if sys.argv[1:] not in ([], ["--show"]):
        raise SystemExit(__doc__)
    wrong, steps, calls = dry_run(REPOSITORY)
    if sys.argv[1:]:
        for job, *call in calls:
            print(f"{job}\t{' '.join(call)}")
    if wrong:
        raise SystemExit("\n".join(wrong))
    print(f"{steps} steps of the workflows ran dry")


if __name__ == "__main__":
    main()
