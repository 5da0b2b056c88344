SELECT e.memory_id, e.entry_id FROM {entries} e
 WHERE (e.memory_id, e.entry_id) OPERATOR(pg_catalog.=) ANY (
     SELECT r.memory_id, r.entry_id FROM {entries} r WHERE {goes}{in_r}
     UNION ALL
     SELECT c.memory_id, c.entry_id FROM {entries} r
       JOIN {entries} c ON c.memory_id OPERATOR(pg_catalog.=) r.memory_id
        AND c.superseded_by OPERATOR(pg_catalog.=) r.entry_id
      WHERE {goes} AND r.superseded_by IS NOT NULL{in_r}{in_c}{others}){in_e}
 ORDER BY e.memory_id, e.entry_id
