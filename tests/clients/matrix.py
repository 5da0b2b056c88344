#!/usr/bin/env python3
"""Every case by every driver: matrix.py [DRIVER...]

DATABASE_URL names the server, and POOLED_URL PgBouncer, if there is one. A cell passes if the case gives its answer, or
is refused with the message that refused.py expects of this driver. The last line has the number of cells that
passed."""
import json
import os
import re
import subprocess
import sys
import warnings

import cases
import refused

# Set by tests/run_clients.sh where the machine has the language.
NODE, RUST = ["node", os.environ.get("NODE_CLIENT", "")], [os.environ.get("RUST_CLIENT", "")]
PROGRAMS = {
    "node-postgres": ([*NODE, "pg"], "", "pooled"),
    "node-postgres prepared": ([*NODE, "pg"], "prepared", ""),
    "postgres.js": ([*NODE, "postgres"], "", "pooled"),
    "postgres.js prepared": ([*NODE, "postgres"], "prepared", ""),
    "tokio-postgres": ([*RUST, "tokio"], "", ""),
    "sqlx": ([*RUST, "sqlx"], "", ""),
    "sqlx unprepared": ([*RUST, "sqlx"], "unprepared", "pooled"),
}


def by_library(driver, options, url, todo):
    asked = driver(url, **options)
    for case in todo:
        try:
            yield {"answer": asked.ask(case.sql, case.arguments)}
        except Exception as error:  # its user sees any exception of a driver
            said = getattr(error, "diag", None)
            yield {"error": " | ".join(str(part) for part in (error, said and said.message_hint) if part)}


def by_program(words, way, url, todo):
    given = json.dumps([{"sql": case.sql, "arguments": case.arguments} for case in todo])
    done = subprocess.run([*words, url, *filter(None, [way])], input=given, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def drivers():
    """Each driver with the function that runs it, and whether its calls go through the pooler."""
    # These modules are slow to import, and warn of things that do not matter here.
    warnings.simplefilter("ignore")
    from drivers import with_others, with_psycopg
    for name, (driver, options, pooled) in (with_psycopg.DRIVERS | with_others.DRIVERS).items():
        yield name, pooled, lambda url, todo, d=driver, o=options: by_library(d, o, url, todo)
    for name, (words, way, pooled) in PROGRAMS.items():
        if all(words):
            yield name, pooled, lambda url, todo, w=words, y=way: by_program(w, y, url, todo)
        else:
            print(f"*** NOT run: {name}: its language is not on this machine")


def said(outcome):
    """The message on one line, without parts that differ from run to run."""
    return re.sub(r"\s+", " ", outcome["error"]).strip()


def judge(name, todo, outcomes):
    """The numbers of correct answers and of expected refusals, and the complaints about other cases."""
    answered, no, complaints = 0, 0, []
    for case, outcome in zip(todo, outcomes, strict=True):
        expected = refused.message(name, case.name)
        if expected is None:
            good = "answer" in outcome and case.answer in (None, str(outcome["answer"]))
            answered += good
        else:
            good = "error" in outcome and re.search(expected, said(outcome)) is not None
            no += good
        if not good:
            complaints.append(f"{name}: {case.name}: {outcome}, expected {expected or repr(case.answer)}")
    return answered, no, complaints


def main():
    names, todo = sys.argv[1:], cases.all_cases()
    assert len({case.name for case in todo}) == len(todo), "each case has a name of its own"
    total, complaints = 0, []
    for name, pooled, run in drivers():
        if names and name not in names:
            continue
        ways = [] if pooled == "pooled only" else [("", os.environ["DATABASE_URL"])]
        if pooled and os.environ.get("POOLED_URL"):
            ways.append((" by PgBouncer", os.environ["POOLED_URL"]))
        for way, url in ways:
            answered, no, wrong = judge(name, todo, list(run(url, todo)))
            total, complaints = total + answered + no, complaints + wrong
            print(f"{name + way:32} {answered:4} calls answered, {no:3} refused as expected, {len(wrong):3} otherwise",
                  flush=True)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    print(f"{total} passed, {len(complaints)} failed")
    sys.exit(1 if complaints or not total else 0)


if __name__ == "__main__":
    main()
