-- If memory_search.model is empty there is no model, and the doctor names none.
SET memory_search.model = '';
SELECT memory_create_store('nmw', 2);
SELECT memory_add('m', 'tea', embedding => '[1,0]', store => 'nmw') IS NOT NULL AS added;
UPDATE nmw.entries SET embedding_model = 'another';
SELECT detail FROM memory_doctor('nmw') WHERE name = 'one embedder';
UPDATE nmw.entries SET embedding_model = NULL;
SELECT detail FROM memory_doctor('nmw') WHERE name = 'one embedder';
RESET memory_search.model;
DROP SCHEMA nmw CASCADE;
