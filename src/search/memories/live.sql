-- A memory whose rows are all deleted is none any more, before they are purged too.
SELECT m.memory_id FROM pg_catalog.unnest({ids}) m (memory_id)
 WHERE EXISTS (SELECT FROM {relation} r WHERE r.memory_id OPERATOR(pg_catalog.=) m.memory_id{live})
 LIMIT {most}
