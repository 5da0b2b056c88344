#!/usr/bin/env python3
"""Measures the gain by memory_learn on evaluation sets: each question with its right entries is a judgement.

learn.py EVAL_DIR [--sets A,B] [--models A,B]

Connects as psql does (PGHOST, ...), and makes a store for each set and model. Prints a line of Markdown for each. The
gain
is memory_learn's own, on questions that did not choose the weights. As a check of it, the weights that every second
question gives are applied, and the other questions are searched before and after.
"""
import argparse
import json
import pathlib
import statistics

import scores
import searches
from dataset import LOCAL, Dataset, entry_uuid, psql
from run import SETS


def judgements(dataset, model, numbers):
    """The judgements of these questions, as JSON."""
    rows = {row[0]: row for row in dataset.query_rows(model)}
    given = []
    for number in numbers:
        _, memory, text, vector = rows[number]
        request = {"memoryId": memory, "query": text}
        if vector:
            request["embedding"] = json.loads(vector)
        helpful = [str(entry_uuid(memory, entry)) for entry in dataset.queries[number]["relevant"]]
        given.append({"request": request, "helpful": helpful})
    return json.dumps(given)


def learned(dataset, model, numbers, apply=False):
    """The report of memory_learn."""
    store = psql.literal(dataset.store(model))
    script = ["CREATE TEMP TABLE given (judgements jsonb);", psql.copy("given", [(judgements(dataset, model, numbers),)])]
    script.append(f"SELECT memory_learn(judgements, {store}, apply => {str(apply).lower()}) FROM given;")
    return json.loads(next(iter(psql.rows("\n".join(script))))[0])


def mean_ndcg(dataset, model, numbers):
    """nDCG@10 of these questions, searched by the store's scoring."""
    rows = [row for row in dataset.query_rows(model) if row[0] in numbers]
    answers, _ = searches.search(dataset, model, rows, {})
    return statistics.fmean(
        scores.ndcg(dataset.queries[number], [entry for entry, _ in answer]) for number, answer in answers.items()
    )


def line(dataset, model):
    """A row of the table."""
    dataset.load(model)
    counted = {query["query_id"] for query in scores.scored(dataset.queries)}
    numbers = [n for n, query in enumerate(dataset.queries) if query["query_id"] in counted][:2000]
    report = learned(dataset, model, numbers)
    interval = "[{:+.3f}, {:+.3f}]".format(*report["interval"]) if report["interval"] else ""
    changes = ", ".join(f"{c['option']} {c['before']:g} → {c['after']:g}" for c in report["changes"])
    cells = [dataset.name, model, report["used"], f"{report['before']:.3f}", f"{report['gain'] or 0:+.3f} {interval}", changes]
    seen, others = numbers[::2], set(numbers[1::2])
    before = mean_ndcg(dataset, model, others)
    try:
        learned(dataset, model, seen, apply=True)
    except psql.SqlError as refusal:
        if "applied nothing" not in str(refusal):
            raise
        cells.append("nothing applied")
    else:
        cells.append(f"{before:.3f} → {mean_ndcg(dataset, model, others):.3f}")
    return "| " + " | ".join(map(str, cells)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("eval_dir", type=pathlib.Path)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=SETS)
    parser.add_argument("--models", type=lambda text: text.split(","), default=["minilm", LOCAL])
    arguments = parser.parse_args()
    psql.run("CREATE EXTENSION IF NOT EXISTS memory_search CASCADE;")
    print("| set | model | questions | nDCG@10 | gain | weights | every other question, by weights of the rest |")
    print("|---|---|--:|--:|--:|---|--:|")
    for name in arguments.sets:
        dataset = Dataset(arguments.eval_dir / name)
        for model in filter(dataset.has, arguments.models):
            print(line(dataset, model), flush=True)


if __name__ == "__main__":
    main()
