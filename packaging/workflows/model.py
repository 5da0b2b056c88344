"""The workflows and actions of .github as a program sees them: jobs, one for each row of its matrix, with their steps.

`Expression` reads the contents of ${{ }}: names, texts, ==, !=, !, &&, ||, hashFiles(). A name that no context has is
an error: GitHub would silently take it for an empty text.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

HOLE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
TOKEN = re.compile(r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<name>[A-Za-z_][\w.-]*)|(?P<sign>==|!=|&&|\|\||!|\(|\)|,))")
PYTHON = {"&&": " and ", "||": " or ", "!": " not ", "==": "==", "!=": "!=", "(": "(", ")": ")", ",": ","}


class Fault(Exception):
    """A fault of a workflow; its text is for the author of the workflow."""


class Nothing(dict[str, str]):
    """The outputs of a step that was left out: each is empty."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return ""


@dataclass
class Job:
    """A job for one row of its matrix."""

    workflow: str
    name: str
    definition: dict[str, Any]
    matrix: dict[str, str]

    @property
    def title(self) -> str:
        row = ", ".join(self.matrix.values())
        return f"{self.workflow}: {self.name}" + (f" ({row})" if row else "")

    @property
    def steps(self) -> list[dict[str, Any]]:
        return self.definition["steps"]

    @property
    def needs(self) -> list[str]:
        needs = self.definition.get("needs", [])
        return [needs] if isinstance(needs, str) else list(needs)


@dataclass
class Workflow:
    """A file of .github/workflows."""

    path: Path
    definition: dict[str, Any]
    jobs: list[Job] = field(default_factory=list)


@lru_cache
def parse(text: str) -> dict[str, Any]:
    """The result is kept, because each job of a file asks for it, and parsing takes long."""
    return YAML(typ="safe", pure=True).load(text)


def read(path: Path) -> dict[str, Any]:
    return parse(path.read_text())


def rows(matrix: dict[str, Any]) -> list[dict[str, str]]:
    """The rows of a matrix: all combinations, and what `include` adds."""
    result: list[dict[str, str]] = [{}]
    for name, values in matrix.items():
        if name not in ("include", "exclude"):
            result = [row | {name: str(value)} for row in result for value in values]
    if "exclude" in matrix:
        raise Fault("a matrix with `exclude`, which is not understood here")
    names = [name for name in matrix if name != "include"]
    if not names:
        result = []
    for more in matrix.get("include", []):
        more = {name: str(value) for name, value in more.items()}
        fitting = [row for row in result if all(row[name] == more[name] for name in names if name in more)]
        if names and fitting and any(name in more for name in names):
            for row in fitting:
                row.update(more)
        else:
            result.append(more)
    return result


def workflows(repository: Path) -> list[Workflow]:
    found = []
    for path in sorted((repository / ".github/workflows").glob("*.y*ml")):
        workflow = Workflow(path, read(path))
        for name, job in workflow.definition["jobs"].items():
            matrix = job.get("strategy", {}).get("matrix", {})
            for row in rows(matrix) if matrix else [{}]:
                workflow.jobs.append(Job(path.name, name, job, row))
        found.append(workflow)
    return found


def lookup(name: str, contexts: dict[str, Any]) -> Any:
    value: Any = contexts
    for part in name.split("."):
        if not isinstance(value, dict) or part not in value:
            raise Fault(f"nothing is known of {name}")
        value = value[part]
    return value


def evaluate(expression: str, contexts: dict[str, Any]) -> Any:
    """The value of an expression. Its parts become Python's own, and it can contain nothing else."""
    python, position, names = "", 0, []
    expression = expression.strip()
    while position < len(expression):
        token = TOKEN.match(expression, position)
        if not token:
            raise Fault(f"an expression that is not understood here: {expression}")
        position = token.end()
        if token["text"]:
            python += repr(token["text"][1:-1].replace("''", "'"))
        elif token["sign"]:
            python += PYTHON[token["sign"]]
        elif token["name"] == "hashFiles":
            python += "hash_files"
        else:
            names.append(lookup(token["name"], contexts))
            python += f"names[{len(names) - 1}]"
    try:
        return eval(python, {"__builtins__": {}}, {"names": names, "hash_files": lambda *patterns: "hash"})
    except SyntaxError:
        raise Fault(f"an expression that is not understood here: {expression}") from None


def fill(text: Any, contexts: dict[str, Any]) -> str:
    """A value of a workflow with its expressions filled in, as GitHub writes it."""

    def value(hole: re.Match[str]) -> str:
        found = evaluate(hole.group(1), contexts)
        return str(found).lower() if isinstance(found, bool) else str(found)

    return HOLE.sub(value, str(text).lower() if isinstance(text, bool) else str(text))
