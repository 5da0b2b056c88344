#!/usr/bin/env python3
"""Measures searches against the contestants, on the server that psql connects to (PGHOST, ...).

    run.py libraries FOLDER     names the libraries to preload, of those in the server's folder
    run.py measure FILE         loads, measures, writes all figures down
    run.py report FILE MD       writes the report

Python's standard library only; plots.py needs matplotlib.
"""

import argparse
import datetime
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import contestant  # noqa: E402
import corpus  # noqa: E402
import psql  # noqa: E402
import quality  # noqa: E402
import report  # noqa: E402
import search  # noqa: E402
import store  # noqa: E402
import write  # noqa: E402
from session import Session, complain, say  # noqa: E402

MAIN, SMALLER = "bench", "bench_tenth"

SIZES = {
    # entries (0: all), queries in each scope, rounds, queries and rounds of the sweeps, seconds of each throughput, rows added
    "quick": {
        "entries": 50_000,
        "queries": 24,
        "rounds": 2,
        "sweep": 8,
        "sweep_rounds": 2,
        "seconds": 0.5,
        "added": 500,
        "checked": 12,
    },
    "full": {
        "entries": 0,
        "queries": 60,
        "rounds": 3,
        "sweep": 20,
        "sweep_rounds": 3,
        "seconds": 2.0,
        "added": 2000,
        "checked": 60,
    },
}
SETTINGS = (
    "shared_buffers",
    "work_mem",
    "maintenance_work_mem",
    "jit",
    "max_parallel_workers_per_gather",
    "synchronous_commit",
    "fsync",
    "full_page_writes",
    "autovacuum",
    "shared_preload_libraries",
)
CANDIDATES = (10, 75, 300, 1000)
AS_OF = '{"asOf": "2030-01-01T00:00:00Z"}'  # otherwise recency would change the answer from one second to the next


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["libraries", "measure", "report"])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("report", type=pathlib.Path, nargs="?")
    parser.add_argument("--build", default="", help="what the report says was measured")
    parser.add_argument("--command", default="benches/run_bench.sh", help="what made the report")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("absent"), help="folder of corpus.tsv.gz")
    parser.add_argument("--entries", type=int, help="entries of the store")
    parser.add_argument("--quick", action="store_true", help="a small store, fewer rounds: minutes")
    parser.add_argument("--plots", nargs="*", default=[], help="files of plots that the report shows")
    arguments = parser.parse_args()
    if arguments.step == "libraries":
        print(",".join(contestant.libraries(arguments.file)))
    elif arguments.step == "measure":
        arguments.file.write_text(json.dumps(measure(arguments), indent=1), encoding="utf-8")
    else:
        text = report.markdown(json.loads(arguments.file.read_text(encoding="utf-8")), arguments.plots)
        arguments.report.parent.mkdir(exist_ok=True)
        arguments.report.write_text(text, encoding="utf-8")
        print(text)


def measure(arguments):
    """All figures."""
    size = dict(SIZES["quick" if arguments.quick else "full"])
    if arguments.entries is not None:
        size["entries"] = arguments.entries
    steps = Steps()
    texts = corpus.load(arguments.data, size["entries"], size["queries"])
    smaller = texts.smaller()
    available = {name for (name,) in psql.rows("SELECT name FROM pg_available_extensions;")}
    contestants, skipped = contestant.able(contestant.every(), available)
    for line in skipped:
        complain(f"SKIPPED: {line}")
    for database in (MAIN, SMALLER):
        psql.run(f"CREATE DATABASE {database};")
    os.environ["PGDATABASE"] = MAIN
    loaded = store.load(texts, MAIN, contestants)
    steps.done("load and build")
    loaded_smaller = store.load(smaller, SMALLER, contestants)
    steps.done("load and build the smaller store")
    _embed(texts, MAIN)

    entrants = [search.Entrant(one.name, one, MAIN) for one in contestants]
    say(f"{len(entrants)} contestants, {len(texts.queries)} queries, {size['rounds']} rounds")
    found = {
        "date": datetime.date.today().isoformat(),
        "versions": psql.versions(),
        "build": arguments.build,
        "command": arguments.command,
        "source": texts.source,
        "entries": texts.entries,
        "memories": len(texts.quota),
        "rounds": size["rounds"],
        "settings": {name: psql.value(f"SHOW {name}") for name in SETTINGS},
        "contestants": [
            {
                "name": one.name,
                "what": one.what,
                "kind": one.kind,
                "baseline": one.baseline,
                "ours": one.key.startswith("memory_search"),
            }
            for one in contestants
        ],
        "skipped": skipped,
        "loaded": loaded,
        "loaded_smaller": loaded_smaller,
        "scopes": _scopes(texts),
    }
    found["searches"] = search.race(entrants, texts.queries, size["rounds"])
    steps.done("searches")
    some = _some(texts.queries, size["checked"])
    found["buffers"] = search.buffers(entrants, _some(texts.queries, size["sweep"]))
    found["recall"] = quality.recall(entrants, some)
    steps.done("buffers and recall")
    found["words"] = quality.words(entrants, _some(texts.queries, size["checked"] // 3))
    found["checked"] = size["checked"]
    steps.done("agreement with BM25")
    racing = [entrant for entrant in entrants if entrant.contestant.kind == "hybrid"] if arguments.quick else entrants
    found["throughput"] = search.throughput(racing, texts.queries, found["searches"], size["seconds"])
    steps.done("throughput")
    found["by_k"] = _by_k(contestants, texts, size)
    found["by_candidates"] = _by_candidates(contestants, texts, size)
    steps.done("more entries, more candidates")
    found["by_store"] = _by_store(contestants, smaller, texts, size)
    steps.done("store of a tenth")
    found["added"], found["added_rows"] = write.measure(MAIN, size["added"]), size["added"]
    steps.done("additions")
    found["steps"] = steps.taken
    return found


class Steps:
    """The time of each part."""

    def __init__(self):
        self.taken, self._begun = [], time.monotonic()

    def done(self, what):
        now = time.monotonic()
        self.taken.append([what, now - self._begun])
        say(f"{what}: {now - self._begun:.0f} s")
        self._begun = now


def _embed(texts, database):
    """Gives each query its embedding, as a literal."""
    with Session(database) as session:
        for number, query in enumerate(texts.queries):
            embedding = session.value(f"SELECT memory_embed({psql.literal(query.text)})::halfvec;")
            texts.queries[number] = Embedded(query, embedding)


class Embedded:
    """A query and its embedding."""

    def __init__(self, query, embedding):
        self.scope, self.memory_id, self.text, self.embedding = query.scope, query.memory_id, query.text, embedding


def _scopes(texts):
    sizes = {}
    for query in texts.queries:
        sizes.setdefault(query.scope, {})[query.memory_id] = texts.quota[query.memory_id]
    asked = {scope: sum(query.scope == scope for query in texts.queries) for scope in sizes}
    return {
        scope: {"queries": asked[scope], "memories": len(of), "least": min(of.values()), "greatest": max(of.values())}
        for scope, of in sizes.items()
    }


def _some(queries, count):
    """This many queries of each scope, spread over its queries."""
    chosen = []
    for scope in corpus.SCOPES:
        of_scope = [query for query in queries if query.scope == scope]
        step = max(1.0, len(of_scope) / count)
        chosen += [of_scope[int(place * step)] for place in range(min(count, len(of_scope)))]
    return chosen


def _main_two(contestants):
    return [one for one in contestants if one.key == "memory_search" or one.baseline]


def _by_k(contestants, texts, size):
    entrants = [search.Entrant(f"{one.name}|{k}", one, MAIN, k=k) for one in _main_two(contestants) for k in (1, 5, 10)]
    return search.race(entrants, _some(texts.queries, size["sweep"]), size["sweep_rounds"])


def _by_candidates(contestants, texts, size):
    ours = next(one for one in contestants if one.key == "memory_search")
    entrants = []
    for candidates in CANDIDATES:
        asked = "SELECT memory_search($1, $2, top_ke => $4, embedding => $3, store => 'bench', "
        asked += f"options => '{{\"candidates\": {candidates}}}');"
        settings = f"PREPARE sweep {contestant.TYPES} AS {asked}"
        entrants.append(search.Entrant(f"{ours.name}|{candidates}", ours, MAIN, statement="sweep", settings=settings))
    return search.race(entrants, _some(texts.queries, size["sweep"]), size["sweep_rounds"])


def _by_store(contestants, smaller, texts, size):
    """Both stores have the same memories: the answers of memory_search must not differ, and its times should not."""
    whole = {memory for memory, entries in smaller.quota.items() if texts.quota.get(memory) == entries}
    queries = [query for query in texts.queries if query.scope != "large" and query.memory_id in whole]
    databases = ((MAIN, "full"), (SMALLER, "tenth"))
    entrants = [search.Entrant(f"{one.name}|{which}", one, database) for one in contestants for database, which in databases]
    times = search.race(entrants, queries, size["rounds"])
    with Session(MAIN) as one, Session(SMALLER) as other:
        same = 0
        for query in queries:
            asked = f"{psql.literal(query.memory_id)}, {psql.literal(query.text)}, embedding => '{query.embedding}'::halfvec"
            answer = f"SELECT memory_search({asked}, store => 'bench', options => '{AS_OF}');"
            same += one.value(answer) == other.value(answer)
    return {"times": times, "queries": len(queries), "same": same, "entries": smaller.entries, "memories": len(smaller.quota)}


if __name__ == "__main__":
    try:
        main()
    except (psql.SqlError, contestant.Malformed) as error:
        sys.exit(f"run.py: {error}")
