#!/usr/bin/env python3
"""Runs the programs of docs/cookbook unchanged, and compares their output with the output on the pages.

    check_cookbook.py [--fill] [PAGE...]

Each page has a database of its own, empty at first: its SQL sets it up, in the order of the page. From the environment:
PGHOST, PGPORT and PGUSER of the server, POOL_HOST and POOL_PORT of PgBouncer, PROGRAM_PATH with python and
memory-search-import. --fill writes the output into the pages: read it before you commit it. The last line is "N passed,
M failed"; the exit code is 1 unless all passed."""

import difflib
import glob
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

REPOSITORY = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.append(os.path.join(REPOSITORY, "tests", "docs"))

from comparison import FAILURE  # noqa: E402
from database import psql, throwaway  # noqa: E402
from model import Model  # noqa: E402
from recipe import PageError, Recipe, Step  # noqa: E402

FOLDER = "docs/cookbook"
INDEX = f"{FOLDER}/README.md"
# Pages that compare or explain: the first has SQL, which tests/run_docs.sh runs, as it runs that of the others.
WITHOUT_PROGRAM = {f"{FOLDER}/pgvector.md", f"{FOLDER}/comparison.md"}
LINK = re.compile(r"\]\(([\w-]+\.md)\)")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
LONGEST = 60  # seconds that a program may take
LEAST = 8  # pages with programs


def all_pages() -> list[str]:
    """The pages that the index names, which are all there are."""
    with open(INDEX, encoding="utf-8") as file:
        named = [f"{FOLDER}/{name}" for name in LINK.findall(file.read())]
    there = {path for path in glob.glob(f"{FOLDER}/*.md") if path != INDEX}
    if there != set(named) or len(named) != len(set(named)):
        raise PageError(
            f"{INDEX} names each page of the folder once; not so: "
            f'{", ".join(sorted(there ^ set(named))) or "a page is named twice"}'
        )
    return named


def url(host: str, port: str, role: str, database: str) -> str:
    """A connection string whose host may be the folder of a socket."""
    return f'postgresql://{role}@{urllib.parse.quote(host, safe="")}:{port}/{database}'


def environment_of(recipe: Recipe, database: str, model: Model) -> dict[str, str]:
    """The environment of a page's programs: no setting of the server besides DATABASE_URL."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    server = url(os.environ["PGHOST"], os.environ["PGPORT"], os.environ["PGUSER"], database)
    if recipe.pooled_role:
        server = url(os.environ["POOL_HOST"], os.environ["POOL_PORT"], recipe.pooled_role, database)
    name = os.path.basename(recipe.path).removesuffix(".md")
    return {
        **kept,
        "DATABASE_URL": server,
        "PATH": f'{os.environ["PROGRAM_PATH"]}:{kept["PATH"]}',
        **model.settings(name),
    }


def run(step: Step, folder: str, environment: dict[str, str]) -> tuple[str, str | None]:
    """The output of a program, and a fault besides that."""
    command = (
        ["python", "-W", "error", "-c", step.text] if step.language == "python" else ["bash", "-eu", "-c", step.text]
    )
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            check=False,
            text=True,
            encoding="utf-8",
            timeout=LONGEST,
            capture_output=True,
        )
    except subprocess.TimeoutExpired:
        return "", f"it took longer than {LONGEST} s"
    if done.returncode:
        return done.stdout, f"it ended with {done.returncode}:\n{done.stderr}"
    if done.stderr:
        return done.stdout, f"it wrote to standard error:\n{done.stderr}"
    return done.stdout, None


def difference(step: Step, got: str, own_numbers: bool) -> str | None:
    """The difference between an output and the page's, to the letter."""
    shown, printed = step.shown or "", got
    if own_numbers:
        shown, printed = (re.sub(" +", " ", NUMBER.sub("N", text)) for text in (shown, printed))
    if shown == printed:
        return None
    lines = difflib.unified_diff(shown.splitlines(), printed.splitlines(), "shown", "printed", lineterm="")
    return "another output\n" + "\n".join(lines)


def check_page(path: str, model: Model, filling: bool) -> tuple[int, int]:
    """The number of a page's programs that passed and that failed; after the first failure no further one is run."""
    recipe = Recipe(path)
    if bool(recipe.programs()) == (recipe.path in WITHOUT_PROGRAM):
        raise PageError(f"{path}: a page has a program, unless WITHOUT_PROGRAM names it")
    for step in recipe.left_out():
        print(f"{step}: not run: {step.reason}")
    outputs: dict[int, str] = {}
    with (
        throwaway([step.text for step in recipe.steps if step.language == "sql"]) as database,
        tempfile.TemporaryDirectory() as folder,
    ):
        environment = environment_of(recipe, database, model)
        for step in recipe.steps:
            if step.reason:
                continue
            if step.file:
                with open(os.path.join(folder, step.file), "w", encoding="utf-8") as file:
                    file.write(step.text)
            elif step.language == "sql":
                printed = psql(database, step.text)
                if FAILURE.search(printed):
                    raise PageError(f"{step}: the set-up failed:\n{printed}")
            else:
                got, wrong = run(step, folder, environment)
                if not filling or wrong:
                    wrong = wrong or difference(step, got, recipe.own_numbers)
                if wrong:
                    print(f"--- {step}: {wrong}\n--- all that it printed:\n{got}")
                    return len(outputs), len(recipe.programs()) - len(outputs)
                outputs[step.line] = got
    if filling:
        recipe.fill(outputs)
    unasked = model.unasked(os.path.basename(path).removesuffix(".md"))
    if unasked:
        raise PageError(f"{path}: the model has answers that no program asked for: {unasked}")
    return len(outputs), 0


def main() -> None:
    os.chdir(REPOSITORY)
    asked = [os.path.relpath(os.path.abspath(path), REPOSITORY) for path in sys.argv[1:] if path != "--fill"]
    passed = failed = pages = 0
    try:
        paths = asked or all_pages()
    except PageError as error:
        sys.exit(f"--- {error}")
    with Model() as model:
        for path in paths:
            try:
                good, bad = check_page(path, model, "--fill" in sys.argv)
            except (PageError, OSError) as error:
                print(f"--- {error}\n")
                good, bad = 0, 1
            passed, failed, pages = passed + good, failed + bad, pages + bool(good and not bad)
            print(f"{path}: {good} passed, {bad} failed", flush=True)
    print(f"{pages} pages run")
    if not asked and not failed and pages < LEAST:
        failed += 1
        print(f"--- {INDEX}: at least {LEAST} pages have programs")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
