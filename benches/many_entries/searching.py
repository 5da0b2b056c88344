"""Searches of memories taken at random, an embedding given, as an application does it: with all five fields of the
response."""

import json
import random
import statistics

from psql import literal, rows
from session import Session, say

_SEED = 20_261_123
_COLD, _WARM = 300, 3000
_QUERIES = ("fix the build", "add a test", "memory leak on error", "update documentation", "support for arm64")


class Asked:
    """Searches of chosen memories, one statement each."""

    def __init__(self, session, memories):
        self._session, self._random, self._memories = session, random.Random(_SEED), memories
        session.rows(
            "PREPARE ask (text, text, real[]) AS SELECT memory_search($1, $2, embedding => $3, store => 'many');"
        )
        self._vectors = [session.value(f"SELECT memory_embed({literal(query)})::real[];") for query in _QUERIES]

    def statement(self):
        """One search of a memory that is not likely to have been searched."""
        memory = f"memory {self._random.randrange(self._memories)}"
        place = self._random.randrange(len(_QUERIES))
        return f"EXECUTE ask ({literal(memory)}, {literal(_QUERIES[place])}, '{self._vectors[place]}');"

    def blocks(self):
        """Blocks that a search finds in the server's buffers and that it reads, by relation and in all."""
        lines = self._session.rows(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {self.statement()}")
        plan = json.loads("\n".join("\t".join(line) for line in lines))[0]
        top = plan["Plan"]
        return top["Shared Hit Blocks"], top["Shared Read Blocks"], plan["Execution Time"]


def summary(times):
    """p50 and p99."""
    times = sorted(times)
    return {"p50": statistics.median(times), "p99": times[int(0.99 * (len(times) - 1))], "count": len(times)}


def cold(memories):
    """In a server that has just started: each memory's own pages have to be read from the operating system."""
    say("searching with empty buffers")
    with Session("scratch") as session:
        asked = Asked(session, memories)
        # The searches read the pages that all memories share: catalogs, the upper pages of trees, the session's own
        # plans.
        for _ in range(5):
            session.rows(asked.statement())
        found = [asked.blocks() for _ in range(_COLD)]
    hit, read, times = zip(*found)
    return {
        "hit": statistics.median(hit),
        "read": statistics.median(read),
        "read_most": max(read),
        **summary(times),
    }


def warm(memories):
    """Searches the same memories twice; the second time counts."""
    say("searching with warm buffers")
    _into_buffers()
    with Session("scratch") as session:
        asked = Asked(session, memories)
        statements = [asked.statement() for _ in range(_WARM)]
        for statement in statements:
            session.rows(statement)
        times = [session.timed(statement) for statement in statements]
        found = [asked.blocks() for _ in range(_COLD)]
    return {"blocks": statistics.median(hit + read for hit, read, _ in found), **summary(times)}


def _into_buffers():
    rows(
        "CREATE EXTENSION IF NOT EXISTS pg_prewarm; SELECT sum(pg_prewarm(c.oid)) FROM pg_class c "
        "WHERE c.relnamespace = 'many'::regnamespace AND c.relkind IN ('r', 'i') AND c.relname ~ '_memory$|_pkey$|^contexts';"
    )
