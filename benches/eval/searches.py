"""Searches with the questions by memory_search, and returns its answers."""
import json
import statistics

import scores
from dataset import psql

# The clock is read in the server, around each search; the loop itself is not measured.
SEARCH_SQL = """
CREATE FUNCTION pg_temp.search_all(options jsonb, store text, OUT n int, OUT answer text, OUT ms float8)
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
    SELECT string_agg((entry ->> 'entryId') || '=' || (entry #>> '{scores,relevance}'), ' ' ORDER BY place) INTO answer
      FROM jsonb_array_elements(response -> 'entries') WITH ORDINALITY AS e (entry, place);
    RETURN NEXT;
  END LOOP;
END $$;
SELECT * FROM pg_temp.search_all(%(options)s, %(store)s);
"""


def search(dataset, model, rows, options):
    """Asks all of `rows` (number, memory, text, vector) in one session. Returns by number the entries found, each with
    its relevance, best first; and the median ms of a search."""
    script = ["CREATE TEMP TABLE queries (n int, memory_id text, query text, embedding vector);"]
    script.append(psql.copy("queries", rows))
    store, as_json = psql.literal(dataset.store(model)), psql.literal(json.dumps(options))
    script.append(SEARCH_SQL % {"top": scores.TOP, "options": as_json, "store": store})
    answers, times = {}, []
    for number, answer, ms in psql.rows("\n".join(script)):
        times.append(float(ms))
        pairs = (pair.split("=") for pair in answer.split())
        answers[int(number)] = [(dataset.original_id[entry_id], float(relevance)) for entry_id, relevance in pairs]
    return answers, statistics.median(times)
