SELECT e.memory_id, e.entry_id, e.superseded_by FROM {entries} e
 WHERE e.superseded_by IS NOT NULL{in_e}
   AND EXISTS (
     SELECT FROM stays s
      WHERE s.memory_id OPERATOR(pg_catalog.=) e.memory_id AND s.first OPERATOR(pg_catalog.=) e.superseded_by
        AND s.next OPERATOR(pg_catalog.<>) e.entry_id)
 ORDER BY e.memory_id, e.entry_id