"""Loads the store, lets each contestant make its tables, and measures the time and size of the indexes."""

import re
import time

from psql import rows, run
import psql

from contestant import FOLDER
from session import say

# An entry has the same id in any store. Contexts come as an app makes them: one for each 200 entries of a memory.
_STORE_SQL = r"""
INSERT INTO bench.entries (memory_id, entry_id, user_id, summary, raw_entry, tags, importance, creation_time, embedding)
SELECT memory_id, md5('entry ' || place || ' of ' || memory_id)::uuid, user_id, summary, raw_entry, tags, importance,
       creation_time, memory_embed(concat_ws(E'\n', summary, raw_entry))
  FROM (SELECT *, row_number() OVER (PARTITION BY memory_id ORDER BY n) AS place FROM given) numbered ORDER BY n;
"""
_CONTEXTS_SQL = r"""
INSERT INTO bench.contexts (memory_id, context_id, context, creation_time, embedding)
SELECT memory_id, md5('context ' || place || ' of ' || memory_id)::uuid, context, creation_time, memory_embed(context)
  FROM (SELECT memory_id, creation_time, row_number() OVER memory AS place,
               string_agg(summary, '; ') OVER (memory ROWS 9 PRECEDING) AS context
          FROM given WINDOW memory AS (PARTITION BY memory_id ORDER BY n)) numbered
 WHERE place % 200 = 10;
INSERT INTO bench.entry_access (memory_id, entry_id, access_count, last_accessed_at)
SELECT memory_id, md5('entry ' || place || ' of ' || memory_id)::uuid, 1 + place % 7, creation_time
  FROM (SELECT *, row_number() OVER (PARTITION BY memory_id ORDER BY n) AS place FROM given) numbered WHERE place % 50 = 1;
"""
_RELATIONS_SQL = """
SELECT n.nspname, c.relname, c.relkind, coalesce(t.relname, ''),
       CASE c.relkind WHEN 'i' THEN pg_relation_size(c.oid) ELSE pg_table_size(c.oid) END, coalesce(am.amname, '')
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_index x ON x.indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = x.indrelid LEFT JOIN pg_am am ON am.oid = c.relam
 WHERE c.relkind IN ('r', 'i') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast', 'public')
   AND pg_relation_size(c.oid) > 0 ORDER BY 1, coalesce(t.relname, c.relname), c.relkind DESC, 2;
"""
_PREWARM_SQL = """
CREATE EXTENSION IF NOT EXISTS pg_prewarm;
SELECT sum(pg_prewarm(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('r', 'i', 't', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND c.relpersistence = 'p';
"""
_TIMED = re.compile(r"^Time: ([\d.]+) ms", re.MULTILINE)


def load(corpus, database, contestants):
    """Everything that the searches need; figures of it."""
    figures = {}
    extensions = ["memory_search", *dict.fromkeys(name for contestant in contestants for name in contestant.needs)]
    run("\n".join(f'CREATE EXTENSION "{name}" CASCADE;' for name in extensions), database=database)
    run("SELECT memory_create_store('bench');", database=database)
    say(f"{database}: {corpus.entries:,} entries in {len(corpus.quota):,} memories")
    table = (
        "CREATE UNLOGGED TABLE given (n serial, memory_id text, user_id text, summary text, raw_entry text, tags text[], "
        "importance int2, creation_time timestamptz);\n"
    )
    run(
        table + psql.copy("given (memory_id, user_id, summary, raw_entry, tags, importance, creation_time)", corpus.rows()),
        database=database,
    )
    started = time.monotonic()
    run(_STORE_SQL, database=database)
    figures["embedded_per_s"] = corpus.entries / (time.monotonic() - started)
    run(_CONTEXTS_SQL, database=database)
    builds = _reindex(database)
    # The rows are made up or public; only their ids and embeddings are needed from here on.
    run("DROP TABLE given; VACUUM ANALYZE bench.entries, bench.contexts, bench.entry_access; CHECKPOINT;", database=database)
    dimensions = rows("SELECT vector_dims(embedding) FROM bench.entries WHERE embedding IS NOT NULL LIMIT 1;", "-d", database)[
        0
    ][0]
    made = set()
    for contestant in contestants:
        scripts = [FOLDER / "tables" / f"{name}.sql" for name in contestant.tables if name not in made]
        made.update(contestant.tables)
        texts = [file.read_text(encoding="utf-8") for file in scripts] + [contestant.sections.get("setup", "")]
        for text in filter(None, texts):
            builds.update(_set_up(text, dimensions, database))
    figures["relations"] = [
        {
            "schema": schema,
            "name": name,
            "index": kind == "i",
            "table": table,
            "bytes": int(size),
            "method": method,
            "build_s": builds.get((schema, name)),
        }
        for schema, name, kind, table, size, method in rows(_RELATIONS_SQL, "-d", database)
    ]
    _into_cache(database)
    return figures


def _reindex(database):
    """Rebuilds the store's indexes, which grew with the rows: for the time of a build, and because the others are
    compact too."""
    names = rows("SELECT schemaname, indexname FROM pg_indexes WHERE schemaname = 'bench' ORDER BY 2;", "-d", database)
    script = "\\timing on\n" + "\n".join(f'REINDEX INDEX {schema}."{name}";' for schema, name in names)
    times = _TIMED.findall(run(script, database=database))
    return {(schema, name): float(ms) / 1000 for (schema, name), ms in zip(names, times)}


def _set_up(text, dimensions, database):
    """Runs a script; psql echoes each statement before its time."""
    output = run(f"\\set dimensions {dimensions}\n\\set ECHO queries\n\\timing on\n{text}", database=database)
    builds = {}
    pattern = r"CREATE INDEX (\w+)\s+ON (\w+)\.|ALTER TABLE (\w+)\.(\w+) ADD (?:CONSTRAINT \w+ )?PRIMARY KEY|^Time: ([\d.]+) ms"
    index = None
    for found in re.finditer(pattern, output, re.MULTILINE):
        if found.group(1):
            index = (found.group(2), found.group(1))
        elif found.group(3):
            index = (found.group(3), f"{found.group(4)}_pkey")
        elif index:
            builds[index], index = float(found.group(5)) / 1000, None
    return builds


def _into_cache(database):
    """Reads everything into memory, if the server has pg_prewarm; a warm-up follows in any case."""
    if not rows("SELECT name FROM pg_available_extensions WHERE name = 'pg_prewarm';", "-d", database):
        return
    run(_PREWARM_SQL, database=database)
