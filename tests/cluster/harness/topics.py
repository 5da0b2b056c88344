"""Memories of tens of thousands of entries whose embeddings are distributed like embeddings of texts, for tests that
count pages."""

from __future__ import annotations

COLUMNS = "memory_id, entry_id, raw_entry, embedding, creation_time"
# The embedding of query number i.
DIRECTION = "(SELECT array_agg(sin({i} * g * g)::real ORDER BY g) FROM generate_series(1, 256) g)"


def rows(count: int, *, memory: str, topics: int, turn: int) -> str:
    """A query of COLUMNS of entries 1 to `count`; `memory` is SQL that makes an entry's memory of n. Memories take
    turns of `turn` entries, so that the rows of each are scattered over the table.

    The embeddings of a memory's entries are near the directions of its topics, so that their signs are informative.
    (With independent random directions a search would read all rows.)"""
    return f"""
        SELECT {memory} AS memory_id, lpad(n::text, 32, '0')::uuid AS entry_id,
          (SELECT string_agg('w' || floor(exp(8 * abs(sin(n * 17 + g * 31.7))))::int, ' ')
           FROM generate_series(1, 15) g) AS raw_entry,
          direction[1 + n / {turn} % {topics}] + direction[1 + n / {turn} % {topics}]
            + direction[{topics + 1} + n % 997] AS embedding,
          timestamptz '2025-01-01Z' + n * interval '1 min' AS creation_time
        FROM generate_series(1, {count}) n, (SELECT array_agg(direction) AS direction FROM (
          SELECT array_agg(sin(d * g * g) ORDER BY g)::real[]::halfvec AS direction
          FROM generate_series(1, {topics + 997}) d, generate_series(1, 256) g GROUP BY d ORDER BY d) d) directions"""


def eleven_searches(store: str, strategy: str, *, diagnostics: bool = False) -> str:
    """A query of `answer`: the answers of memory m3 of a store to eleven queries."""
    options = '{"strategy": "%s", "asOf": "2026-01-01T00:00:00Z"%s}'
    options %= strategy, ', "diagnostics": true' if diagnostics else ""
    return f"""
        SELECT memory_search('m3', 'w' || 1 + i || ' w' || i * 37 || ' w' || i * 113, 10, store => '{store}',
          embedding => {DIRECTION.format(i="i")}, options => '{options}') AS answer
        FROM generate_series(1, 11) i"""
