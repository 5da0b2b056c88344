"""Searches in a memory of 1,000 entries among 100,000, and additions to a store."""
import re
import time

from psql import literal, rows, run, value
import psql
import results

SEARCH_MS = 6
ADDED = 5_000
WARM_UP = 5

STORE = "measured"

LOAD_SQL = f"""
INSERT INTO {STORE}.entries (memory_id, summary, raw_entry, tags, importance, creation_time, embedding)
SELECT memory_id, summary, raw_entry, tags, importance, creation_time, memory_embed(concat_ws(E'\\n', summary, raw_entry))
  FROM given ORDER BY n;
"""

SEARCHES_SQL = """
CREATE FUNCTION pg_temp.search_all(memory text, store text) RETURNS SETOF float8 LANGUAGE plpgsql AS $$
DECLARE
  query record;
  started timestamptz;
BEGIN
  FOR query IN SELECT * FROM queries ORDER BY n LOOP
    started := clock_timestamp();
    PERFORM memory_search(memory, query.text, store => search_all.store);
    IF query.n >= 0 THEN  -- the others warm up
      RETURN NEXT extract(epoch FROM clock_timestamp() - started) * 1000;
    END IF;
  END LOOP;
END $$;
"""

# One statement a row, as an application would write them, but without its round trips.
ADD_LOOP_SQL = """
DO $$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT * FROM pg_temp.added LOOP
    {statement}
  END LOOP;
END $$;
"""


def load(corpus, out):
    """The store of 100,000 entries, embedded in SQL."""
    given = "given (memory_id, summary, raw_entry, tags, importance, creation_time)"
    script = [
        f"SELECT memory_create_store('{STORE}');",
        "CREATE TABLE given (n serial, memory_id text, summary text, raw_entry text, tags text[], importance int2, "
        "creation_time timestamptz);",
        psql.copy(given, corpus.rows),
    ]
    run("\n".join(script))
    started = time.monotonic()
    run(LOAD_SQL)
    speed = len(corpus.rows) / (time.monotonic() - started)
    run(f"DROP TABLE given; VACUUM ANALYZE {STORE}.entries; CHECKPOINT;")
    found = value(
        f"SELECT count(*) || ' ' || count(DISTINCT memory_id) || ' ' || "
        f"count(*) FILTER (WHERE memory_id = {literal(corpus.target)}) FROM {STORE}.entries"
    )
    entries, memories, of_target = map(int, found.split())
    if of_target != 1000:
        raise SystemExit(f"the memory to search has {of_target} entries, not 1,000")
    how = f"`INSERT INTO ... SELECT ..., memory_embed(...)`: {entries:,} entries in {memories:,} memories"
    results.note(out, "loading and embedding", speed, "rows/s", how)


def search(corpus, out):
    """Every query twice: timed in the server, and as psql sees it."""
    numbered = [(n - WARM_UP, text) for n, text in enumerate(corpus.queries[:WARM_UP] + corpus.queries)]
    script = ["CREATE TEMP TABLE queries (n int, text text);", psql.copy("queries", numbered), SEARCHES_SQL]
    script.append(f"SELECT * FROM pg_temp.search_all({literal(corpus.target)}, '{STORE}');")
    in_server = [float(ms) for (ms,) in rows("\n".join(script))]
    how = "`clock_timestamp()` before and after `memory_search(memory, text)` in PL/pgSQL; {} queries, embedding included"
    _percentiles("a search among 1,000 entries, in the server", in_server, how.format(len(in_server)), out)

    script = [f"SET memory_search.store = '{STORE}';", "\\timing on"]
    script += [f"SELECT memory_search({literal(corpus.target)}, {literal(text)});" for _, text in numbered]
    seen = [float(ms) for ms in re.findall(r"^Time: ([\d.]+) ms", run("\n".join(script)), re.MULTILINE)][WARM_UP:]
    how = f"psql's `\\timing` of `SELECT memory_search(memory, text)`; {len(seen)} queries, one session"
    _percentiles("the same, as psql sees it", seen, how, out)


def _percentiles(what, times, how, out):
    for share in (50, 95, 99):
        bar = SEARCH_MS if share == 50 else None
        results.note(out, f"{what}, p{share}", results.percentile(times, share), "ms", how if share == 50 else "the same", bar)


def add(corpus, out):
    """Additions by memory_add and by plain INSERT."""
    run("SELECT memory_create_store('added');")
    texts = [(row[0], row[2]) for row in corpus.rows[:: len(corpus.rows) // ADDED][:ADDED]]
    script = ["CREATE TEMP TABLE added (memory_id text, text text, embedding vector);"]
    script.append(psql.copy("added (memory_id, text)", texts))
    script.append("UPDATE added SET embedding = memory_embed(text);\nVACUUM ANALYZE added;\n\\timing on")
    plain = "INSERT INTO added.entries (memory_id, raw_entry, embedding)"
    ways = [
        ("`memory_add`, embedding the text", "PERFORM memory_add(given.memory_id, given.text, store => 'added');"),
        (
            "`memory_add`, embedding given",
            "PERFORM memory_add(given.memory_id, given.text, embedding => given.embedding, store => 'added');",
        ),
        ("`INSERT ... VALUES`, embedding given", f"{plain} VALUES (given.memory_id, given.text, given.embedding);"),
        ("`INSERT ... SELECT` of all, embedding given", None),
    ]
    for _, statement in ways:
        looped = ADD_LOOP_SQL.format(statement=statement)
        script.append(looped if statement else f"{plain} SELECT memory_id, text, embedding FROM pg_temp.added;")
        script.append("\\timing off\nTRUNCATE added.entries CASCADE;\n\\timing on")
    times = re.findall(r"^Time: ([\d.]+) ms", run("\n".join(script)), re.MULTILINE)
    for (what, statement), ms in zip(ways, times):
        how = f"{ADDED:,} rows, one transaction" + (", a PL/pgSQL loop" if statement else "")
        results.note(out, what, ADDED * 1000 / float(ms), "rows/s", how)
