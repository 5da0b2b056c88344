"""Measures a store of many memories of few entries, step by step; each step keeps its figures for the report."""

import argparse
import json
import pathlib

import filling
import report
import searching
import writing

STEPS = {
    "load": lambda options, _: filling.measure(options.corpus, options.entries, options.memories),
    "cold": lambda _, figures: searching.cold(figures["load"]["memories"]),
    "warm": lambda _, figures: searching.warm(figures["load"]["memories"]),
    "writes": lambda _, figures: writing.measure(figures["load"]["memories"]),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("step", choices=[*STEPS, "report"])
    parser.add_argument("--figures", type=pathlib.Path, required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--settings", required=True)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--entries", type=int)
    parser.add_argument("--memories", type=int)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    figures = json.loads(options.figures.read_text()) if options.figures.exists() else {}
    if options.step == "report":
        options.out.write_text(report.text(figures, options.build, options.settings), encoding="utf-8")
        return
    figures[options.step] = STEPS[options.step](options, figures)
    options.figures.write_text(json.dumps(figures))


main()
