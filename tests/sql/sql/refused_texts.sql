-- A text that the embedding function refuses does not prevent other embeddings: its row has the reason,
-- memory_embed_pending skips it, and memory_reembed tries it again.
CREATE SCHEMA rt_embed;
CREATE TABLE rt_embed.refused (input text);
INSERT INTO rt_embed.refused VALUES ('bad'), ('worse');
CREATE FUNCTION rt_embed.embed(input text) RETURNS real[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF EXISTS (SELECT FROM rt_embed.refused r WHERE r.input = embed.input) THEN
    RAISE EXCEPTION 'the text "%" is too long for the model', input USING ERRCODE = '22001';
  END IF;
  RETURN CASE WHEN input = 'no number' THEN ARRAY['NaN', 1]::real[] ELSE ARRAY[length(input), 1]::real[] END;
END $$;
SET memory_search.embedding_function = 'rt_embed.embed';
SELECT memory_create_store('rt');
INSERT INTO rt.entries (memory_id, entry_id, raw_entry)
VALUES ('m', test.id(1), 'good'), ('m', test.id(2), 'bad'), ('m', test.id(3), 'no number'), ('m', test.id(4), 'fine');
INSERT INTO rt.contexts (memory_id, context_id, context)
VALUES ('m', test.id(1), 'worse'), ('m', test.id(2), 'about it');
CREATE VIEW rows AS
  SELECT 'entry ' || test.n(entry_id) AS row, embedding IS NOT NULL AS is_embedded, embedding_error FROM rt.entries
  UNION ALL
  SELECT 'context ' || test.n(context_id), embedding IS NOT NULL, embedding_error FROM rt.contexts ORDER BY 1;
SELECT memory_embed_pending(store => 'rt') AS embedded;
SELECT * FROM rows;
-- It is not tried again: other rows that wait are embedded, in batches, too.
INSERT INTO rt.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(5), 'one more');
SELECT memory_embed_pending(max_rows => 1, store => 'rt') AS embedded, memory_embed_pending(store => 'rt') AS nothing;
-- The doctor counts them, with the reason of one; if nothing else waits, it proposes to try again.
CREATE VIEW said AS SELECT status, detail, fix FROM memory_doctor('rt') WHERE name LIKE '%without embedding';
SELECT * FROM said;
INSERT INTO rt.entries (memory_id, entry_id, raw_entry) VALUES ('m', test.id(6), 'waits');
SELECT * FROM said;
-- memory_reembed tries again: a text that is still refused keeps its reason, the others get an embedding and no reason.
DELETE FROM rt_embed.refused WHERE input = 'bad';
SELECT memory_reembed(store => 'rt') AS embedded;
SELECT * FROM rows;
DELETE FROM rt_embed.refused;
SELECT memory_reembed(store => 'rt') AS embedded;
-- A new text is embedded like any new text.
SELECT memory_update('m', test.id(3), raw_entry => 'a number', store => 'rt') AS updated;
SELECT * FROM rows;
SELECT * FROM said;
-- An embedding that is there stays, with the name of the embedder that made it.
INSERT INTO rt_embed.refused VALUES ('good');
UPDATE rt.entries SET embedding_model = 'older' WHERE entry_id = test.id(1);
SELECT memory_reembed(store => 'rt') AS embedded;
SELECT embedding, embedding_model, embedding_error FROM rt.entries WHERE entry_id = test.id(1);
-- An embedder that refuses every text is out of order: no single text gets the reason.
UPDATE rt.entries SET embedding = NULL, embedding_error = NULL;
CREATE OR REPLACE FUNCTION rt_embed.embed(input text) RETURNS real[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RAISE EXCEPTION 'the service is down' USING ERRCODE = '58030';
END $$;
SELECT test.error($$SELECT memory_embed_pending(store => 'rt')$$);
SELECT count(*) AS waiting, count(embedding_error) AS refused FROM rt.entries WHERE embedding IS NULL;
RESET memory_search.embedding_function;
DROP VIEW rows, said;
SELECT memory_drop_store('rt', true);
DROP SCHEMA rt_embed CASCADE;
