"""Fills the store: texts of the corpus, again and again, each row in another memory than the row before.

So the rows of a memory are as far apart in the table as if many users wrote at the same time.
"""

import csv
import gzip
import io
import itertools
import time

import psql
from psql import rows, run, value
from session import Session, say

_ROWS_A_STATEMENT = 50_000
_GIVEN = """
CREATE EXTENSION memory_search CASCADE;
SELECT memory_create_store('many');
CREATE UNLOGGED TABLE texts (n serial, summary text, raw_entry text, tags text[], importance int2);
"""
_EMBEDDED = """
CREATE UNLOGGED TABLE given AS SELECT *, memory_embed(concat_ws(E'\\n', summary, raw_entry)) AS embedding FROM texts;
ALTER TABLE given ADD PRIMARY KEY (n);
DROP TABLE texts;
VACUUM ANALYZE given;
"""
# The texts repeat.
_ADDED = """
INSERT INTO many.entries (memory_id, user_id, summary, raw_entry, tags, importance, creation_time, embedding)
SELECT 'memory ' || i % {memories}, 'user ' || i % {memories}, summary, raw_entry, tags, importance,
       timestamptz '2026-01-01Z' + i * interval '1 second', embedding
  FROM generate_series({first}, {last}) i JOIN given ON n = 1 + i % {texts} ORDER BY i;
"""
_CONTEXTS = """
INSERT INTO many.contexts (memory_id, context, creation_time, embedding)
SELECT 'memory ' || i, summary || ' and ' || importance, timestamptz '2026-01-01Z' + i * interval '1 second', embedding
  FROM generate_series(0, {memories} - 1) i JOIN given ON n = 1 + i % {texts};
"""
_SIZES = """
SELECT c.relname, coalesce(am.amname, ''), pg_relation_size(c.oid) + CASE c.relkind WHEN 'r' THEN
         coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0) ELSE 0 END
  FROM pg_class c LEFT JOIN pg_am am ON am.oid = c.relam
 WHERE c.relnamespace = 'many'::regnamespace AND c.relkind IN ('r', 'i') ORDER BY 3 DESC;
"""


def _corpus(folder):
    with gzip.open(folder / "corpus.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(io.TextIOWrapper(file.buffer, "utf-8", newline=""), delimiter="\t"):
            yield row["summary"], row["raw_entry"], row["tags"], row["importance"]


def measure(folder, entries, memories):
    """Rows a second, WAL, sizes."""
    run(_GIVEN)
    say("embedding the texts")
    run(psql.copy("texts (summary, raw_entry, tags, importance)", itertools.islice(_corpus(folder), entries)))
    run(_EMBEDDED)
    texts = int(value("SELECT count(*) FROM given;"))
    say(f"adding {entries:,} entries to {memories:,} memories")
    with Session("scratch") as session:
        before, began, cpu = value("SELECT pg_current_wal_insert_lsn();"), time.monotonic(), session.cpu_ms()
        paces = []
        for first in range(0, entries, _ROWS_A_STATEMENT):
            count = min(_ROWS_A_STATEMENT, entries - first)
            statement = _ADDED.format(memories=memories, first=first, last=first + count - 1, texts=texts)
            paces.append(count / session.timed(statement.replace("\n", " ")) * 1000)
        seconds, cpu = time.monotonic() - began, session.cpu_ms() - cpu
        wal = float(value(f"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '{before}');"))
        session.timed(_CONTEXTS.format(memories=memories, texts=texts).replace("\n", " "))
        vacuum_s = session.timed("VACUUM ANALYZE many.entries, many.contexts, many.entry_access;") / 1000
    run("DROP TABLE given; CHECKPOINT;")
    return {
        "entries": entries,
        "memories": memories,
        "texts": texts,
        "per_s": entries / seconds,
        "first_per_s": paces[0],
        "last_per_s": paces[-1],
        "cpu_us": cpu * 1000 / entries,
        "wal_bytes": wal / entries,
        "vacuum_s": vacuum_s,
        "sizes": rows(_SIZES),
    }
