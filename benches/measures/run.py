#!/usr/bin/env python3
"""Measures speed, on the server that psql connects to (PGHOST, ...).

    run.py plain FILE       the embedder in a session, searches, additions; notes figures in FILE
    run.py preloaded FILE   the embedder again, with the library in shared_preload_libraries
    run.py report FILE MD   prints and writes the report; fails when a bar is missed

Python's standard library only.
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import corpus  # noqa: E402
import psql  # noqa: E402
import results  # noqa: E402
import search  # noqa: E402
import session  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["plain", "preloaded", "report"])
    parser.add_argument("figures", type=pathlib.Path)
    parser.add_argument("report", type=pathlib.Path, nargs="?")
    parser.add_argument("--build", default="", help="what the report says was measured")
    parser.add_argument("--corpus", type=pathlib.Path, default=pathlib.Path("absent"), help="folder of corpus.tsv.gz")
    arguments = parser.parse_args()
    if arguments.step == "report":
        return report(arguments)
    psql.run("CREATE EXTENSION IF NOT EXISTS memory_search CASCADE;")
    preloaded = "memory_search" in psql.value("SHOW shared_preload_libraries")
    if preloaded != (arguments.step == "preloaded"):
        raise SystemExit("the server's shared_preload_libraries are not as this step needs them")
    texts = corpus.load(arguments.corpus)
    session.measure(texts, preloaded, arguments.figures)
    if not preloaded:
        search.load(texts, arguments.figures)
        search.search(texts, arguments.figures)
        search.add(texts, arguments.figures)
        # A line for the report: the measured things, and their texts.
        measured = "; ".join(filter(None, [psql.versions(), arguments.build]))
        arguments.figures.with_suffix(".about").write_text(f"{measured}\n{texts.source}", encoding="utf-8")
    return 0


def report(arguments):
    records = results.read(arguments.figures)
    measured, source = arguments.figures.with_suffix(".about").read_text(encoding="utf-8").split("\n")
    text = results.markdown(records, measured, source)
    print(text)
    arguments.report.parent.mkdir(exist_ok=True)
    arguments.report.write_text(text, encoding="utf-8")
    missed = results.missed(records)
    for record in missed:
        print(f"FAILED: {record['what']}: {record['figure']:.3f}, the bar is {record['bar']:g} {record['unit']}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
