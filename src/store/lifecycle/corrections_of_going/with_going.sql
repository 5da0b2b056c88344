SELECT e.memory_id, e.entry_id FROM {entries} e
 WHERE ({others}{goes_e}
    OR e.superseded_by IS NOT NULL
   AND EXISTS (
     SELECT FROM {entries} r
      WHERE {goes} AND r.superseded_by IS NOT NULL{in_r} AND r.memory_id OPERATOR(pg_catalog.=) e.memory_id
        AND r.entry_id OPERATOR(pg_catalog.=) e.superseded_by)){in_e}
 ORDER BY e.memory_id, e.entry_id