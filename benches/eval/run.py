#!/usr/bin/env python3
"""Measures how well memory_search finds, on evaluation sets, through the extension itself.

    run.py EVAL_DIR [--smoke] [--sets A,B] [--models A,B] [--modes A,B] [--options JSON] [--reuse] [--scores FILE]
           [--report FILE]

Connects as psql does (PGHOST, ...); makes a store for each set and model. --options adds to the
options of every search, for example '{"weights": {"semantic": 0.4}}'. --reuse takes the stores of
an earlier run as they are. --scores are those to compare with; --report FILE.md also writes the new
ones, FILE_scores.tsv beside it. Python's standard library only.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import comparison
import foreign
import report
import scores
import searches
from dataset import DIMENSIONS, LOCAL, NOISE, Dataset, psql

SETS = ["locomo", "realtalk", "scifact", "cranfield", "dbpedia", "msmarco_dl19_pool", "longmemeval_mini"]
MODES = {
    "hybrid": {},
    "keyword": {"strategy": "keyword"},
    "semantic": {"strategy": "semantic"},
    "rrf": {"fusion": "rrf"},
    "weighted": {"fusion": "weighted"},
    "expand": {"expand": True},
    "preset cortex": {"preset": "cortex"},
    "preset alfred": {"preset": "alfred"},
}
DEFAULT_MODE = "hybrid"

# The sets and models of the smoke run, in the default mode.
SMOKE = [
    ("locomo", "minilm"),
    ("locomo", LOCAL),
    ("realtalk", "minilm"),
    ("scifact", "minilm"),
    ("scifact", NOISE),
    ("dbpedia", "minilm"),
]

# Relevance alone is measured: the sets have no ages and no importance.
BASE_OPTIONS = {"boosts": {"recency": 0, "importance": 0, "popularity": 0}}

# The least nDCG@10 that the default mode must reach.
FLOORS = {
    ("locomo", "minilm"): 0.535,
    ("locomo", LOCAL): 0.51,
    ("scifact", "minilm"): 0.76,
    ("scifact", LOCAL): 0.70,
    # By words alone it is 0.694.
    ("scifact", NOISE): 0.684,
}


def judged(eval_dir, dataset, found):
    """Runs the evaluation's own scoring of the entries found."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as run_file:
        for query, entries in found.items():
            run_file.write(json.dumps({"query_id": query, "entries": entries}) + "\n")
        run_file.flush()
        command = [sys.executable, str(eval_dir / "score.py"), run_file.name, str(dataset.folder), "--json"]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def score(eval_dir, dataset, found):
    """Its figures, and the score of each query; the mean of these must be the same."""
    result = judged(eval_dir, dataset, found)
    queries = scores.scored(dataset.queries)
    by_gain = {
        gain: {query["query_id"]: scores.ndcg(query, found.get(query["query_id"], []), gain) for query in queries}
        for gain in scores.GAINS
    }
    mean = statistics.fmean(by_gain[scores.KEPT_GAIN].values())
    if abs(mean - result["ndcg@10"]) > 0.0001:
        raise SystemExit(f"{dataset.name}: the queries' scores have the mean {mean}, score.py says {result['ndcg@10']}")
    result["scores"] = by_gain[scores.KEPT_GAIN]
    result["linear"] = statistics.fmean(by_gain["linear"].values())
    result["graded"] = sum(1 for query in queries if query.get("grades"))
    return result


def measure(arguments):
    """All combinations; one dict each."""
    results = []
    # Foreign questions come from every set there is, also when few are measured; the smoke run asks none.
    there = [] if arguments.smoke else [name for name in SETS if (arguments.eval_dir / name).exists()]
    datasets = {name: Dataset(arguments.eval_dir / name) for name in dict.fromkeys([*arguments.sets, *there])}
    for name in arguments.sets:
        dataset = datasets[name]
        keyword_done = False
        for model in filter(dataset.has, arguments.models):
            if arguments.smoke and (name, model) not in SMOKE:
                continue
            dataset.load(model, arguments.reuse)
            for mode in arguments.modes:
                # A search by words alone gives the same answers with the vectors of every model.
                if mode == "keyword" and keyword_done:
                    continue
                keyword_done |= mode == "keyword"
                options = {**BASE_OPTIONS, **MODES[mode], **arguments.options}
                answers, median_ms = searches.search(dataset, model, dataset.query_rows(model), options)
                found = {
                    dataset.queries[number]["query_id"]: [entry_id for entry_id, _ in answer]
                    for number, answer in answers.items()
                }
                result = {"set": name, "model": model, "mode": mode, "median_ms": median_ms}
                result.update(score(arguments.eval_dir, dataset, found))
                result["kinds"] = {query["query_id"]: str(query.get("category", "")) for query in scores.scored(dataset.queries)}
                if mode == DEFAULT_MODE and not arguments.smoke:
                    others = [datasets[other] for other in there if other != name and datasets[other].has(model)]
                    result["foreign"] = foreign.measure(dataset, others, model, options, answers)
                results.append(result)
                print(report.progress(result), file=sys.stderr, flush=True)
    return results


def missed_floors(results):
    """The bars that the default mode missed, in words."""
    for result in results:
        floor = FLOORS.get((result["set"], result["model"]))
        if floor and result["mode"] == DEFAULT_MODE and result["ndcg@10"] < floor:
            yield f"{result['set']} with {result['model']}: nDCG@10 {result['ndcg@10']} is below {floor}"


def failures(arguments, results, differences, problems):
    """The reasons for which this run fails. A run with other options cannot fail."""
    if arguments.options:
        return
    yield from missed_floors(results)
    yield from foreign.missed(results)
    # A whole run brings a new ranking into the report, which shows its losses for people to judge.
    if arguments.smoke:
        remedy = "; if that is wanted, run `make eval` and commit the report with its scores"
        for failure in [*problems, *comparison.losses(differences, DEFAULT_MODE)]:
            yield failure + remedy


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def some_of(known):
        def parse(text):
            names = text.split(",")
            for name in names:
                if name not in known:
                    raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(known)}")
            return names

        return parse

    parser.add_argument("eval_dir", type=pathlib.Path)
    parser.add_argument("--smoke", action="store_true", help="few sets, default mode only; fails on a loss")
    parser.add_argument("--sets", type=some_of(SETS), default=SETS)
    parser.add_argument("--models", type=some_of(list(DIMENSIONS)), help=f"all but {NOISE} if none is named")
    parser.add_argument("--modes", type=some_of(list(MODES)), default=list(MODES))
    parser.add_argument("--options", type=json.loads, default={})
    parser.add_argument("--reuse", action="store_true")
    parser.add_argument("--scores", type=pathlib.Path, help="the scores of the last report")
    parser.add_argument("--scores-of", default="none was kept", help="what the report says the last report is")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--command", default="benches/eval/run.py", help="what the report says it was made by")
    parser.add_argument("--build", default="", help="what the report says was measured")
    arguments = parser.parse_args()
    if not arguments.models:
        # The report compares models; only the default mode of the noise vectors counts, as a floor.
        arguments.models = [model for model in DIMENSIONS if arguments.smoke or model != NOISE]
    if arguments.smoke:
        arguments.sets = list(dict.fromkeys(name for name, _ in SMOKE))
        arguments.modes = [DEFAULT_MODE]
    return arguments


def main():
    arguments = parse_arguments()
    psql.run("CREATE EXTENSION IF NOT EXISTS memory_search CASCADE;")
    results = measure(arguments)
    by_set = scores.kept([result for result in results if result["model"] != NOISE])
    last = scores.read(arguments.scores) if arguments.scores else {}
    differences, problems = comparison.since(last, by_set)
    text = report.markdown(
        results,
        by_set,
        (arguments.scores_of, differences, problems),
        f"{psql.versions()}; {arguments.build}",
        arguments.command,
        arguments.options,
    )
    print(text)
    if arguments.report:
        arguments.report.parent.mkdir(exist_ok=True)
        arguments.report.write_text(text, encoding="utf-8")
        scores.write(arguments.report.with_name(arguments.report.stem + "_scores.tsv"), by_set)
    failed = list(failures(arguments, results, differences, problems))
    for failure in failed:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
