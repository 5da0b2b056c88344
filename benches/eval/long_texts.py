#!/usr/bin/env python3
"""Measures what the embeddings of passages gain in long texts.

    long_texts.py EVAL_DIR [--sets A,B] [--model NAME]

Connects as psql does (PGHOST, ...). The sessions of a set's conversations become one entry each, and a question's right
entries are the sessions that hold its right turns; a set without sessions is taken as it is. The installed model embeds
entries and questions. Each question is asked with the embeddings of passages and, after these are removed, without.
Prints a line of Markdown for each set and mode: nDCG@10, the difference with its 95 % interval, and the median time.
"""
import argparse
import collections
import pathlib
import statistics

import comparison
import scores
import searches
from dataset import LOCAL, Dataset, entry_uuid, psql
from run import BASE_OPTIONS, DEFAULT_MODE, MODES

SETS = ["locomo", "realtalk", "scifact"]


class LongTexts(Dataset):
    """A set whose sessions are entries."""

    def __init__(self, folder, model):
        super().__init__(folder)
        self.model = model
        self.name = f"{folder.name}_long"
        if len({entry["session"] for entry in self.entries}) > 1:
            self._join_sessions()
        self.original_id = {str(entry_uuid(e["memory_id"], e["entry_id"])): e["entry_id"] for e in self.entries}

    def _join_sessions(self):
        sessions, session_of = collections.OrderedDict(), {}
        for entry in self.entries:
            key = entry["memory_id"], str(entry["session"])
            sessions.setdefault(key, []).append(entry)
            session_of[entry["memory_id"], entry["entry_id"]] = key[1]
        self.entries = [
            {
                "memory_id": memory,
                "entry_id": session,
                "content": "\n".join(turn["content"] for turn in turns),
                "created_at": turns[0]["created_at"],
            }
            for (memory, session), turns in sessions.items()
        ]
        for query in self.queries:
            query["relevant"] = sorted({session_of[query["memory_id"], entry] for entry in query["relevant"]})

    def store(self, model):
        return f"{self.name}_{self.model or LOCAL}"


def asked(dataset, mode):
    """nDCG@10 of each query, and the median ms of a search."""
    answers, median_ms = searches.search(dataset, LOCAL, dataset.query_rows(LOCAL), {**BASE_OPTIONS, **MODES[mode]})
    counted = {query["query_id"] for query in scores.scored(dataset.queries)}
    return {
        dataset.queries[n]["query_id"]: scores.ndcg(dataset.queries[n], [entry for entry, _ in answer])
        for n, answer in answers.items()
        if dataset.queries[n]["query_id"] in counted
    }, median_ms


def lines(dataset):
    """The rows of the table."""
    dataset.load(LOCAL)
    table = f"{dataset.store(LOCAL)}.entries"
    counts = f"count(*) || ' / ' || count(passage_embeddings) || ' / ' || coalesce(sum(cardinality(passage_embeddings)), 0)"
    sizes = psql.value(f"SELECT {counts} FROM {table}")
    modes = [DEFAULT_MODE, "semantic"]
    with_passages = {mode: asked(dataset, mode) for mode in modes}
    psql.run(f"UPDATE {table} SET passage_embeddings = NULL; VACUUM FULL {table}; VACUUM ANALYZE {table};")
    words, _ = asked(dataset, "keyword")
    for mode in modes:
        (new, new_ms), (old, old_ms) = with_passages[mode], asked(dataset, mode)
        cells = [dataset.folder.name, sizes, mode, f"{statistics.fmean(words.values()):.3f}"]
        cells += [f"{statistics.fmean(old.values()):.3f}", f"{statistics.fmean(new.values()):.3f}"]
        cells += [comparison.compare(old, new), f"{old_ms:.2f}", f"{new_ms:.2f}"]
        yield "| " + " | ".join(map(str, cells)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("eval_dir", type=pathlib.Path)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=SETS)
    parser.add_argument("--model", help="the name of an installed model; the default is the server's")
    arguments = parser.parse_args()
    psql.run("CREATE EXTENSION IF NOT EXISTS memory_search CASCADE;")
    if arguments.model:
        psql.run(f"ALTER DATABASE {psql.value('SELECT quote_ident(current_database())')} "
                 f"SET memory_search.model = {psql.literal(arguments.model)};")
    print("| set | entries / long / passages | mode | words | whole texts | passages | difference | ms | ms |")
    print("|---|---|---|--:|--:|--:|--:|--:|--:|")
    for name in arguments.sets:
        for line in lines(LongTexts(arguments.eval_dir / name, arguments.model)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
