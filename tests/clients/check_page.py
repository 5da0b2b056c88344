#!/usr/bin/env python3
"""Runs the programs of docs/guide/drivers.md, each of which prints "north", in stores of their own: check_page.py

tests/run_clients.sh sets DATABASE_URL and, if the machine has the languages, NODE_CLIENT and RUST_PACKAGE, a copy of
the package with the crates. The last line has the number of programs that passed."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import psycopg

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/drivers.md"
PROGRAM = re.compile(r"^## (.+?)$(?:(?!^## ).)*?^```(python|typescript|rust)\n(.*?)^```$", re.M | re.S)
MAKE = "DROP SCHEMA IF EXISTS own CASCADE; SELECT memory_create_store('own', dimensions => 3)"


def command(language, text, folder):
    """The command that runs a program, or None, if its language is not on this machine."""
    if language == "python":
        (folder / "program.py").write_text(text)
        return [sys.executable, folder / "program.py"]
    if language == "typescript" and "NODE_CLIENT" in os.environ:
        # Beside the modules; there are no types in it that node could not read.
        program = pathlib.Path(os.environ["NODE_CLIENT"]).with_name("program.mjs")
        program.write_text(text)
        return ["node", program]
    if language == "rust" and "RUST_PACKAGE" in os.environ:
        package = pathlib.Path(os.environ["RUST_PACKAGE"])
        (package / "src/bin/page.rs").write_text(text)
        return ["cargo", "run", "--quiet", "--locked", "--manifest-path", package / "Cargo.toml", "--bin", "page"]
    return None


def main():
    passed = failed = 0
    programs = PROGRAM.findall(PAGE.read_text(encoding="utf-8"))
    if len(programs) < 8:
        sys.exit(f"{PAGE}: {len(programs)} programs were found")
    for name, language, text in programs:
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
            connection.execute("SET client_min_messages = error")
            connection.execute(MAKE)
        with tempfile.TemporaryDirectory() as folder:
            words = command(language, text, pathlib.Path(folder))
            if words is None:
                print(f"*** NOT run: the program of {name}: its language is not on this machine")
                continue
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        good = done.returncode == 0 and done.stdout == "north\n"
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"--- {name}: exit code {done.returncode}\n{done.stdout}{done.stderr}", file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
