WITH those AS MATERIALIZED ({of_another})
UPDATE {entries} e SET context = NULL
 WHERE (e.memory_id, e.entry_id) OPERATOR(pg_catalog.=) ANY (TABLE those){in_e}
