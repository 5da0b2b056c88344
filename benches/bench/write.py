"""How many rows a second can be added, one a statement and a transaction, and the WAL they take."""

import statistics

from psql import rows, run

from session import Session

_CHUNK = 100

# One transaction a row, as an application adds them, but without its round trips.
_LOOP = """
DO $$
DECLARE
  given record;
BEGIN
  FOR given IN SELECT * FROM pg_temp.added WHERE n >= {first} AND n < {first} + {count} LOOP
    {statement}
    COMMIT;
  END LOOP;
END $$;
"""
# New texts out of two that are there, so that no embedding is there already: an index would take that in passing.
_ADDED = """
CREATE TEMP TABLE added AS
SELECT row_number() OVER () - 1 AS n, memory_id, user_id, summary, raw_entry, tags, importance,
       memory_embed(raw_entry) AS embedding
  FROM (SELECT memory_id, user_id, summary, tags, importance,
               raw_entry || E'\\n' || lead(raw_entry, 1, 'the end') OVER in_disorder AS raw_entry
          FROM (SELECT *, md5(entry_id::text || salt) AS place FROM bench.entries, generate_series(1, {salts}) salt) salted
        WINDOW in_disorder AS (ORDER BY place) ORDER BY place LIMIT {count}) made;
CREATE INDEX ON added (n);
ANALYZE added;
"""
_COLUMNS = "memory_id, user_id, summary, raw_entry, tags, importance, embedding"
_VALUES = ", ".join(f"given.{column}" for column in _COLUMNS.split(", "))
_BY_HAND = f"INSERT INTO by_hand.entries ({_COLUMNS}) VALUES ({_VALUES});"
_ADD = (
    "PERFORM memory_add(given.memory_id, given.raw_entry, given.summary, tags => given.tags, importance => given.importance, "
)
_STORE = [
    (
        "store, `memory_add`, embedding given",
        f"{_ADD} embedding => given.embedding, user_id => given.user_id, store => 'bench');",
    ),
    ("store, `memory_add`, embedding made", f"{_ADD} user_id => given.user_id, store => 'bench');"),
    ("store, plain `INSERT`", f"INSERT INTO bench.entries ({_COLUMNS}) VALUES ({_VALUES});"),
]


def measure(database, count):
    """A list of figures, one for each way. The ways take turns, so that a busy moment hits all alike."""
    figures = _turns(database, [*_STORE, ("hand-written table, plain `INSERT`: GIN and HNSW", _BY_HAND)], count)
    _drop_index(database, "hnsw")
    figures += _turns(database, [("the same without HNSW", _BY_HAND)], count)
    _drop_index(database, "gin")
    return figures + _turns(database, [("the same without HNSW and GIN", _BY_HAND)], count)


def _drop_index(database, method):
    indexes = (
        "SELECT indexname FROM pg_indexes WHERE schemaname = 'by_hand' AND tablename = 'entries' AND indexdef ~ 'USING {}';"
    )
    run("\n".join(f"DROP INDEX by_hand.{name};" for (name,) in rows(indexes.format(method), "-d", database)), database=database)


def _turns(database, ways, count):
    taken = {(what, commit): [] for what, _ in ways for commit in ("off", "on")}
    with Session(database) as session:
        # No row goes into a table twice.
        needed = (count + _CHUNK) * len(taken)
        there = int(session.value("SELECT count(*) FROM bench.entries;"))
        session.rows(_ADDED.format(count=needed, salts=-(-needed // there)))
        session.timed("SELECT memory_embed('loads the model');")
        first = 0
        for turn in range(count // _CHUNK + 1):
            for what, statement in ways:
                for commit in ("off", "on"):
                    session.rows(f"SET synchronous_commit = {commit};")
                    before = session.value("SELECT pg_current_wal_insert_lsn();")
                    cpu = session.cpu_ms()
                    ms = session.timed(_LOOP.format(first=first, count=_CHUNK, statement=statement))
                    cpu = None if cpu is None else session.cpu_ms() - cpu
                    wal = float(session.value(f"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '{before}');"))
                    if turn:  # the first warms up
                        taken[what, commit].append((ms, cpu, wal))
                    first += _CHUNK
    figures = []
    for what, _ in ways:
        figure = {"what": what}
        for commit in ("off", "on"):
            turns = taken[what, commit]
            figure[commit] = {
                "per_s": _CHUNK * 1000 / statistics.median(ms for ms, _, _ in turns),
                "cpu_ms": None if turns[0][1] is None else sum(cpu for _, cpu, _ in turns) / len(turns) / _CHUNK,
                "wal": sum(wal for _, _, wal in turns) / len(turns) / _CHUNK,
            }
        figures.append(figure)
    return figures
