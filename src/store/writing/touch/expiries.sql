-- All that are to be counted are locked here, in the order of their ids: to lock the others after these would be
-- another order than everybody else's.
SELECT e.entry_id::pg_catalog.text, e.time_to_live OPERATOR(pg_catalog.+) pg_catalog.now()
  FROM {present} FOR NO KEY UPDATE
