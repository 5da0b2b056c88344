"""The rules that every workflow of this repository keeps, in addition to the rules of actionlint."""

import re
from collections.abc import Iterator
from pathlib import Path

from model import HOLE, Workflow, read, workflows

USES = re.compile(r"^\s*(?:- )?uses:\s*(\S+)\s*(#.*)?$")
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
# The keys that the dry run treats as GitHub does. Another key would not have been tried before a push.
JOB_KEYS = set("name needs if runs-on timeout-minutes permissions strategy container environment env steps".split())
STEP_KEYS = set("id name if run uses with env shell".split())
VERSION = re.compile(r"# v\d+(\.\d+)*$")


def faults(repository: Path) -> Iterator[str]:
    found = workflows(repository)
    actions = sorted((repository / ".github/actions").glob("*/action.yml"))
    for path in [*(workflow.path for workflow in found), *actions]:
        for fault in pins(path, repository):
            yield f"{path.relative_to(repository)}:{fault}"
    for workflow in found:
        for fault in [*whole(workflow), *jobs(workflow), *keys(workflow), *containers(workflow, repository)]:
            yield f"{workflow.path.name}: {fault}"
    yield from targets((repository / "Makefile").read_text())
    for path in actions:
        for step in read(path)["runs"]["steps"]:
            if HOLE.search(str(step.get("run", ""))):
                yield f"{path.relative_to(repository)}: an expression in a script: hand it over by env"


def targets(makefile: str) -> Iterator[str]:
    """Finds names in .PHONY that are no target, for which make reports success without a message, and targets that are
    not in it."""
    phony = set(re.search(r"(?m)^\.PHONY: *((?:.*\\\n)*.*)$", makefile).group(1).replace("\\\n", " ").split())
    made = set(re.findall(r"(?m)^([a-z][\w-]*):", makefile))
    for name in sorted(phony ^ made):
        yield f"Makefile: {name} is " + ("in .PHONY and no target" if name in phony else "a target and not in .PHONY")


def pins(path: Path, repository: Path) -> Iterator[str]:
    """An action is a commit, with its version beside it: a tag may be moved to another one."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        uses = USES.match(line)
        if not uses:
            # In braces this check would not find the version.
            if re.match(r"[^#]*[{,]\s*uses:", line):
                yield f"{number}: {line.split('uses:')[1].strip(' }')} is not on a line of its own"
            continue
        name, remark = uses.group(1), (uses.group(2) or "").strip()
        if name.startswith("./"):
            if not (repository / name / "action.yml").is_file():
                yield f"{number}: there is no action {name}"
        elif not PINNED.fullmatch(name):
            yield f"{number}: {name} is not pinned by the whole hash of a commit"
        elif not VERSION.fullmatch(remark):
            yield f"{number}: {name} has no version beside it: # v1.2.3"


def whole(workflow: Workflow) -> Iterator[str]:
    if workflow.definition.get("permissions") != {}:
        yield "permissions of the workflow are not {}: each job says its own"
    if "concurrency" not in workflow.definition:
        yield "has no concurrency group"
    if "pull_request_target" in workflow.definition["on"]:
        yield "runs others' code with our rights: pull_request_target"


def keys(workflow: Workflow) -> Iterator[str]:
    for name, job in workflow.definition["jobs"].items():
        for key in sorted(job.keys() - JOB_KEYS):
            yield f"{name} is a job with {key}, which the dry run does not know"
        for step in job["steps"]:
            for key in sorted(step.keys() - STEP_KEYS):
                yield f"{name} has a step with {key}, which the dry run does not know"


def containers(workflow: Workflow, repository: Path) -> Iterator[str]:
    """The compiler whose lints must be silent is pinned in one place."""
    pinned = re.search(r"(?m)^LINTS_RUST=(\S+)", (repository / "pgrx-config/versions.sh").read_text()).group(1)
    for name, job in workflow.definition["jobs"].items():
        container = job.get("container", "")
        image = container if isinstance(container, str) else container["image"]
        if image.startswith("rust:") and image.partition("-")[0] != f"rust:{pinned}":
            yield f"the job {name} runs in {image}, and LINTS_RUST in pgrx-config/versions.sh is {pinned}"


def jobs(workflow: Workflow) -> Iterator[str]:
    for name, job in workflow.definition["jobs"].items():
        if not isinstance(job.get("permissions"), dict):
            yield f"the job {name} does not list its permissions"
        if "timeout-minutes" not in job:
            yield f"the job {name} has no timeout"
        for step in job["steps"]:
            if HOLE.search(str(step.get("run", ""))):
                yield f"the job {name} has an expression in a script: hand it over by env"
            if str(step.get("uses", "")).startswith("actions/checkout@"):
                if step.get("with", {}).get("persist-credentials") is not False:
                    yield f"the job {name} leaves its token in the clone: persist-credentials: false"
