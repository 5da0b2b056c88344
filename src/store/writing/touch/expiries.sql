-- All that are to be counted are locked here, in the order of their ids: to lock the others after these would be
-- another order than everybody else's.
-- A use in a transaction that began before another use was committed does not shorten the entry's life.
SELECT e.entry_id::pg_catalog.text,
       CASE WHEN e.time_to_live IS NOT NULL
            THEN GREATEST(e.expires_at, e.time_to_live OPERATOR(pg_catalog.+) pg_catalog.now()) END
  FROM {present} FOR NO KEY UPDATE
