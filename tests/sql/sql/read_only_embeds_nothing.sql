-- In a read-only transaction what stores an embedding is refused before the embedder is called, which may cost money.
CREATE FUNCTION roe_embed(t text) RETURNS real[] LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RAISE EXCEPTION 'the embedder was called for "%"', t;
  END IF;
  RETURN test.embed(t);
END $$;
SET memory_search.embedding_function = 'public.roe_embed';
SELECT memory_create_store('roe', 4);
SELECT memory_add('m', 'tea', entry_id => test.id(1), entry_key => 'k', store => 'roe');
SET memory_search.embed_on_write = off;
SELECT memory_add('m', 'waits', entry_id => test.id(2), store => 'roe');
RESET memory_search.embed_on_write;
CREATE TABLE roe_calls AS SELECT n, call FROM unnest(ARRAY[
  $$memory_add('m', 'milk', store => 'roe')$$,
  $$memory_add('m', 'milk', context => 'breakfast', if_similar => 0.9, store => 'roe')$$,
  $$memory_add('m', 'milk', entry_key => 'k', store => 'roe')$$,
  $$memory_add_many('m', '[{"rawEntry": "milk"}]', store => 'roe')$$,
  $$memory_add_many('m', '[{"rawEntry": "milk", "entryKey": "k"}]', store => 'roe')$$,
  $$memory_update('m', test.id(1), raw_entry => 'milk', store => 'roe')$$,
  $$memory_put_context('m', 'breakfast', store => 'roe')$$,
  $$memory_import('m', '[{"kind": "entry", "rawEntry": "milk"}]', store => 'roe')$$,
  $$memory_embed_pending(store => 'roe')$$,
  $$memory_reembed(everything => true, store => 'roe')$$,
  $$memory_create_store('roe_other')$$]) WITH ORDINALITY t (call, n);
BEGIN READ ONLY;
SELECT n, test.error('SELECT ' || call) FROM roe_calls ORDER BY n;
COMMIT;
-- With an embedding in the call the server refuses the statement itself; reading embeds.
BEGIN READ ONLY;
SELECT test.error($$SELECT memory_add('m', 'milk', embedding => '[1,0,0,0]', store => 'roe')$$);
SELECT test.error($$SELECT memory_embed('milk')$$);
COMMIT;
-- Each call embeds in another transaction.
BEGIN;
SELECT n, test.outcome('SELECT ' || call) FROM roe_calls ORDER BY n;
ROLLBACK;
RESET memory_search.embedding_function;
DROP TABLE roe_calls;
SELECT memory_drop_store('roe', true);
DROP FUNCTION roe_embed;
