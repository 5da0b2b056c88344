-- The tables of a good developer for a search of several tenants' texts by meaning and by words: one table, a generated
-- tsvector, and an index for each of scope and time, words, and meaning. Rows and embeddings are those of the store
-- `bench`, in the same order.
CREATE SCHEMA by_hand;
CREATE TABLE by_hand.entries (
  memory_id text NOT NULL,
  entry_id uuid NOT NULL DEFAULT gen_random_uuid(),
  user_id text,
  agent_id text,
  raw_entry text NOT NULL,
  summary text,
  tags text[] NOT NULL DEFAULT '{}',
  metadata jsonb NOT NULL DEFAULT '{}',
  source_type text,
  importance smallint NOT NULL DEFAULT 50,
  access_count bigint NOT NULL DEFAULT 0,
  creation_time timestamptz NOT NULL DEFAULT clock_timestamp(),
  deletion_scheduled_time timestamptz,
  expires_at timestamptz,
  embedding halfvec(:dimensions),
  search_vector tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('english', coalesce(summary, '')), 'A')
    || setweight(to_tsvector('english', raw_entry), 'B')) STORED
);
INSERT INTO by_hand.entries (memory_id, entry_id, user_id, raw_entry, summary, tags, importance, creation_time,
  embedding)
SELECT memory_id, entry_id, user_id, raw_entry, summary, tags, importance, creation_time, embedding
  FROM bench.entries ORDER BY entry_order;
ALTER TABLE by_hand.entries ADD CONSTRAINT entries_pkey PRIMARY KEY (memory_id, entry_id);
CREATE INDEX entries_time ON by_hand.entries (memory_id, creation_time);
CREATE INDEX entries_words ON by_hand.entries USING gin (search_vector);
CREATE INDEX entries_meaning ON by_hand.entries USING hnsw (embedding halfvec_cosine_ops)
  WITH (m = 16, ef_construction = 64);

CREATE TABLE by_hand.contexts (
  memory_id text NOT NULL,
  context_id uuid NOT NULL,
  context text NOT NULL,
  creation_time timestamptz NOT NULL,
  deletion_scheduled_time timestamptz,
  PRIMARY KEY (memory_id, context_id)
);
INSERT INTO by_hand.contexts (memory_id, context_id, context, creation_time)
SELECT memory_id, context_id, context, creation_time FROM bench.contexts;
CREATE INDEX contexts_time ON by_hand.contexts (memory_id, creation_time);
VACUUM ANALYZE by_hand.entries, by_hand.contexts;
