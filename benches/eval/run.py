#!/usr/bin/env python3
"""Measures how well memory_search finds, on evaluation sets, through the extension itself.

    run.py EVAL_DIR [--smoke] [--sets A,B] [--models A,B] [--modes A,B] [--options JSON] [--reuse] [--report FILE]

Connects as psql does (PGHOST, ...); makes a store for each set and model. --options adds to the
options of every search, for example '{"weights": {"semantic": 0.4}}'. --reuse takes the stores of
an earlier run as they are. Python's standard library only.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import report
from dataset import DIMENSIONS, LOCAL, Dataset, psql

SETS = ["locomo", "scifact", "msmarco_dl19_pool", "longmemeval_mini"]
MODES = {
    "hybrid": {},
    "keyword": {"strategy": "keyword"},
    "semantic": {"strategy": "semantic"},
    "rrf": {"fusion": "rrf"},
    "weighted": {"fusion": "weighted"},
    "preset cortex": {"preset": "cortex"},
    "preset alfred": {"preset": "alfred"},
}
DEFAULT_MODE = "hybrid"

# Relevance alone is measured: the sets say nothing about ages or importance.
BASE_OPTIONS = {"boosts": {"recency": 0, "importance": 0, "popularity": 0}}

# nDCG@10 of the default mode that must not be missed.
FLOORS = {
    ("locomo", "minilm"): 0.535,
    ("locomo", LOCAL): 0.51,
    ("scifact", "minilm"): 0.76,
    ("scifact", LOCAL): 0.70,
}

TOP = 10

# The clock is read in the server, around each search; the loop itself is not measured.
SEARCH_SQL = """
CREATE FUNCTION pg_temp.search_all(options jsonb, store text, OUT n int, OUT ids text, OUT ms float8)
RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
  query record;
  response jsonb;
  started timestamptz;
BEGIN
  FOR query IN SELECT * FROM queries ORDER BY queries.n LOOP
    started := clock_timestamp();
    response := memory_search(query.memory_id, query.query, %(top)s, embedding => query.embedding,
                              options => search_all.options, store => search_all.store);
    ms := extract(epoch FROM clock_timestamp() - started) * 1000;
    n := query.n;
    SELECT string_agg(entry ->> 'entryId', ' ' ORDER BY place) INTO ids
      FROM jsonb_array_elements(response -> 'entries') WITH ORDINALITY AS e (entry, place);
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM pg_temp.search_all(%(options)s, %(store)s);
"""


def search(dataset, model, options, run_file):
    """Runs every query in one session, writes the run; gives the median ms of a search."""
    script = ["CREATE TEMP TABLE queries (n int, memory_id text, query text, embedding vector);"]
    script.append(psql.copy("queries", dataset.query_rows(model)))
    parts = {"top": TOP, "options": psql.literal(json.dumps(options)), "store": psql.literal(dataset.store(model))}
    script.append(SEARCH_SQL % parts)
    times = []
    with open(run_file, "w", encoding="utf-8") as out:
        for number, ids, ms in psql.rows("\n".join(script)):
            times.append(float(ms))
            found = [dataset.original_id[entry_id] for entry_id in ids.split()]
            query_id = dataset.queries[int(number)]["query_id"]
            out.write(json.dumps({"query_id": query_id, "entries": found}) + "\n")
    return statistics.median(times)


def score(eval_dir, run_file, dataset):
    """The evaluation's own judgement."""
    command = [sys.executable, str(eval_dir / "score.py"), str(run_file), str(dataset.folder), "--json"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def linear_ndcg(run_file, dataset):
    """nDCG@10 with the grade itself as gain; score.py's gain is 2^grade - 1. None without grades."""
    grades = {q["query_id"]: q["grades"] for q in dataset.queries if q.get("grades")}
    if not grades:
        return None

    def gain(ordered):
        return sum(grade / math.log2(place + 2) for place, grade in enumerate(ordered[:TOP]))

    total = 0.0
    for line in run_file.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        of_query = grades[run["query_id"]]
        best = gain(sorted(of_query.values(), reverse=True))
        total += gain([of_query.get(entry, 0) for entry in run["entries"]]) / best
    return total / len(grades)


def measure(arguments, runs_folder):
    """All combinations; one dict each."""
    results = []
    for name in arguments.sets:
        dataset = Dataset(arguments.eval_dir / name)
        keyword_done = False
        for model in filter(dataset.has, arguments.models):
            dataset.load(model, arguments.reuse)
            for mode in arguments.modes:
                # Words alone are the same whatever the vectors.
                if mode == "keyword" and keyword_done:
                    continue
                keyword_done |= mode == "keyword"
                run_file = runs_folder / f"{name}.{model}.{mode}.jsonl"
                options = {**BASE_OPTIONS, **MODES[mode], **arguments.options}
                median_ms = search(dataset, model, options, run_file)
                result = {"set": name, "model": model, "mode": mode, "median_ms": median_ms}
                result.update(score(arguments.eval_dir, run_file, dataset), linear=linear_ndcg(run_file, dataset))
                results.append(result)
                print(report.progress(result), file=sys.stderr, flush=True)
    return results


def missed_floors(results):
    """What the default mode should have reached, in words."""
    for result in results:
        floor = FLOORS.get((result["set"], result["model"]))
        if floor and result["mode"] == DEFAULT_MODE and result["ndcg@10"] < floor:
            yield f"{result['set']} with {result['model']}: nDCG@10 {result['ndcg@10']} is below {floor}"


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
    parser.add_argument("--smoke", action="store_true", help="locomo only, default mode only")
    parser.add_argument("--sets", type=some_of(SETS), default=SETS)
    parser.add_argument("--models", type=some_of(list(DIMENSIONS)), default=list(DIMENSIONS))
    parser.add_argument("--modes", type=some_of(list(MODES)), default=list(MODES))
    parser.add_argument("--options", type=json.loads, default={})
    parser.add_argument("--reuse", action="store_true")
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--command", default="benches/eval/run.py", help="what the report says it was made by")
    parser.add_argument("--build", default="", help="what the report says was measured")
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.sets, arguments.models, arguments.modes = ["locomo"], ["minilm", LOCAL], [DEFAULT_MODE]
    return arguments


def main():
    arguments = parse_arguments()
    psql.run("CREATE EXTENSION IF NOT EXISTS memory_search CASCADE;")
    with tempfile.TemporaryDirectory() as runs_folder:
        results = measure(arguments, pathlib.Path(runs_folder))
    text = report.markdown(results, f"{psql.versions()}; {arguments.build}", arguments.command, arguments.options)
    print(text)
    if arguments.report:
        arguments.report.parent.mkdir(exist_ok=True)
        arguments.report.write_text(text, encoding="utf-8")
    # The floors are the defaults'; whoever tries other options knows what he does.
    failures = [] if arguments.options else list(missed_floors(results))
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
