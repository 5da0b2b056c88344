"""The rate at which rows are added, one for each statement and transaction, and the WAL that they take."""

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
# Joins new texts of two stored ones, so that their embeddings are new: an index adds an embedding that it has already
# at almost no cost.
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
_ADD = (
    "PERFORM memory_add(given.memory_id, given.raw_entry, given.summary, tags => given.tags, importance => given.importance, "
)
# The timed call, the table it writes into, and the statement.
_STORE = [
    (
        "store, `memory_add`, embedding given",
        "bench.entries",
        f"{_ADD} embedding => given.embedding, user_id => given.user_id, store => 'bench');",
    ),
    ("store, `memory_add`, embedding made", "bench.entries", f"{_ADD} user_id => given.user_id, store => 'bench');"),
    ("store, plain `INSERT`", "bench.entries", f"INSERT INTO bench.entries ({_COLUMNS}) VALUES ({_VALUES});"),
]
# GIN collects additions in a pending list, and the statement that fills the list pays for moving all of them into the
# index. Here no statement fills it: the list is moved at the end, and each row pays its share.
_COLLECT = "SET gin_pending_list_limit = '1GB';"
_SORT_IN = """
SELECT count(gin_clean_pending_list(c.oid))
  FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am am ON am.oid = c.relam
 WHERE x.indrelid = '{table}'::regclass AND am.amname = 'gin';
"""


def measure(database, count):
    """A list of figures, one for each way. The ways take turns, so that a busy moment affects all equally."""
    by_hand = ("by_hand.entries", f"INSERT INTO by_hand.entries ({_COLUMNS}) VALUES ({_VALUES});")
    figures = _turns(database, [*_STORE, ("hand-written table, plain `INSERT`: GIN and HNSW", *by_hand)], count)
    _drop_index(database, "hnsw")
    # In turns with the store: beside HNSW, whose inserts sweep the processor's caches, all others are slower.
    what, *of_store = _STORE[0]
    figures += _turns(database, [("the same without HNSW", *by_hand), (f"{what}, in turns with that", *of_store)], count)
    _drop_index(database, "gin")
    return figures + _turns(database, [("the same without HNSW and GIN", *by_hand)], count)


def _drop_index(database, method):
    indexes = (
        "SELECT indexname FROM pg_indexes WHERE schemaname = 'by_hand' AND tablename = 'entries' AND indexdef ~ 'USING {}';"
    )
    run("\n".join(f"DROP INDEX by_hand.{name};" for (name,) in rows(indexes.format(method), "-d", database)), database=database)


class _Cost:
    """Time, the backend's CPU time and WAL of a session's statements."""

    def __init__(self, session):
        self._session, self.ms, self.cpu_ms, self.wal = session, [], [], []

    def take(self, statement):
        session = self._session
        before, cpu = session.value("SELECT pg_current_wal_insert_lsn();"), session.cpu_ms()
        self.ms.append(session.timed(statement))
        if cpu is not None:
            self.cpu_ms.append(session.cpu_ms() - cpu)
        self.wal.append(float(session.value(f"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '{before}');")))


def _turns(database, ways, count):
    turns = count // _CHUNK
    with Session(database, _COLLECT) as session:
        # No row goes into a table twice. The first turn warms up.
        needed = (turns + 1) * _CHUNK * len(ways) * 2
        there = int(session.value("SELECT count(*) FROM bench.entries;"))
        session.rows(_ADDED.format(count=needed, salts=-(-needed // there)))
        session.timed("SELECT memory_embed('loads the model');")
        tables = {table for _, table, _ in ways}
        first = 0
        for turn in range(turns + 1):
            if turn < 2:
                costs = {(what, commit): _Cost(session) for what, _, _ in ways for commit in ("off", "on")}
                for table in tables:
                    session.rows(_SORT_IN.format(table=table))
            for what, _, statement in ways:
                for commit in ("off", "on"):
                    session.rows(f"SET synchronous_commit = {commit};")
                    costs[what, commit].take(_LOOP.format(first=first, count=_CHUNK, statement=statement))
                    first += _CHUNK
        shares = {}
        for table in tables:
            shares[table] = _Cost(session)
            shares[table].take(_SORT_IN.format(table=table).replace("\n", " "))
    figures = []
    for what, table, _ in ways:
        figure, share = {"what": what}, shares[table]
        added = turns * _CHUNK * 2 * sum(other == table for _, other, _ in ways)
        for commit in ("off", "on"):
            cost = costs[what, commit]
            figure[commit] = {
                "per_s": 1000 / (statistics.median(cost.ms) / _CHUNK + share.ms[0] / added),
                "cpu_ms": statistics.fmean(cost.cpu_ms) / _CHUNK + share.cpu_ms[0] / added if cost.cpu_ms else None,
                "wal": statistics.fmean(cost.wal) / _CHUNK + share.wal[0] / added,
            }
        figures.append(figure)
    return figures
