-- A store as memory_create_store('memory') of version 0.1.0 made it, dumped; 256 dimensions, language english.
CREATE SCHEMA memory;
CREATE TABLE memory.contexts (
    memory_id text NOT NULL,
    context_id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id text,
    context text NOT NULL,
    creation_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    deletion_scheduled_time timestamp with time zone,
    embedding public.halfvec(256),
    embedding_model text,
    search_vector tsvector GENERATED ALWAYS AS (to_tsvector('english'::regconfig, regexp_replace(regexp_replace(
      regexp_replace("left"(context, 60000), '([[:alpha:]]+)[+][+]'::text, '\1 \1plusplus'::text, 'g'::text),
      '([[:alpha:]]+)#'::text, '\1 \1sharp'::text, 'g'::text),
      '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text))) STORED,
    CONSTRAINT contexts_memory_id_check CHECK ((memory_id <> ''::text))
);
COMMENT ON TABLE memory.contexts IS
  'memory_search: consolidated snapshots of what a memory is about; the newest is its latest context';
CREATE TABLE memory.entries (
    memory_id text NOT NULL,
    entry_id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id text,
    agent_id text,
    raw_entry text NOT NULL,
    summary text,
    context text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    source_type text,
    importance smallint DEFAULT 50 NOT NULL,
    creation_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    deletion_scheduled_time timestamp with time zone,
    expires_at timestamp with time zone,
    superseded_by uuid,
    superseded_time timestamp with time zone,
    embedding public.halfvec(256),
    embedding_model text,
    entry_order bigint NOT NULL,
    embedding_signs bit varying GENERATED ALWAYS AS ((public.binary_quantize(embedding))::bit varying) STORED,
    search_vector tsvector GENERATED ALWAYS AS ((((setweight(to_tsvector('english'::regconfig, regexp_replace(
      regexp_replace(regexp_replace("left"(COALESCE(summary, ''::text), 16000), '([[:alpha:]]+)[+][+]'::text,
      '\1 \1plusplus'::text, 'g'::text), '([[:alpha:]]+)#'::text, '\1 \1sharp'::text, 'g'::text),
      '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text)), 'A'::"char")
      || setweight(to_tsvector('english'::regconfig, regexp_replace(regexp_replace(regexp_replace("left"(
      raw_entry, 60000), '([[:alpha:]]+)[+][+]'::text, '\1 \1plusplus'::text, 'g'::text), '([[:alpha:]]+)#'
      ::text, '\1 \1sharp'::text, 'g'::text), '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])'::text,
      ' \1 '::text, 'g'::text)), 'B'::"char")) || setweight(to_tsvector('english'::regconfig, regexp_replace(
      regexp_replace(regexp_replace("left"((jsonb_object(array_remove(tags, NULL::text), array_fill(''::text,
      ARRAY[cardinality(array_remove(tags, NULL::text))])))::text, 8000), '([[:alpha:]]+)[+][+]'::text,
      '\1 \1plusplus'::text, 'g'::text), '([[:alpha:]]+)#'::text, '\1 \1sharp'::text, 'g'::text),
      '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text)), 'C'
      ::"char")) || setweight(
CASE
    WHEN (octet_length((metadata)::text) <= 16000) THEN jsonb_to_tsvector('english'::regconfig, (regexp_replace(
      regexp_replace(regexp_replace((metadata)::text, '([[:alpha:]]+)[+][+]'::text, '\1 \1plusplus'::text, 'g'
      ::text), '([[:alpha:]]+)#'::text, '\1 \1sharp'::text, 'g'::text),
      '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text))::jsonb,
      '["string", "numeric"]'::jsonb)
    ELSE to_tsvector('english'::regconfig, regexp_replace(regexp_replace(regexp_replace("left"((
      metadata)::text, 16000), '([[:alpha:]]+)[+][+]'::text, '\1 \1plusplus'::text, 'g'::text),
      '([[:alpha:]]+)#'::text, '\1 \1sharp'::text, 'g'::text),
      '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])'::text, ' \1 '::text, 'g'::text))
END, 'D'::"char"))) STORED,
    CONSTRAINT entries_check CHECK (((superseded_by IS NULL) = (superseded_time IS NULL))),
    CONSTRAINT entries_importance_check CHECK (((importance >= 0) AND (importance <= 100))),
    CONSTRAINT entries_memory_id_check CHECK ((memory_id <> ''::text))
);
COMMENT ON TABLE memory.entries IS 'memory_search: one remembered thing a row; found by memory_search()';
COMMENT ON COLUMN memory.entries.memory_id IS 'The memory this entry belongs to: the scope of every search';
COMMENT ON COLUMN memory.entries.entry_id IS 'Unique within the memory';
COMMENT ON COLUMN memory.entries.user_id IS 'Whom the entry is about or belongs to';
COMMENT ON COLUMN memory.entries.agent_id IS 'The agent that remembered it';
COMMENT ON COLUMN memory.entries.raw_entry IS 'The remembered text as it came';
COMMENT ON COLUMN memory.entries.summary IS 'A short form; its words count most';
COMMENT ON COLUMN memory.entries.context IS
  'What the memory was about at that time; kept with the entry, never searched as one';
COMMENT ON COLUMN memory.entries.tags IS 'Labels to filter by; their words are searched too';
COMMENT ON COLUMN memory.entries.metadata IS
  'Anything else; its texts and numbers are searched with the least weight';
COMMENT ON COLUMN memory.entries.source_type IS 'Where it came from: chat, email, ...';
COMMENT ON COLUMN memory.entries.importance IS '0 (trivial) to 100 (vital)';
COMMENT ON COLUMN memory.entries.creation_time IS 'When it was said or happened';
COMMENT ON COLUMN memory.entries.deletion_scheduled_time IS
  'When it was deleted; hidden from then on, until purged or restored';
COMMENT ON COLUMN memory.entries.expires_at IS 'Hidden from this time on';
COMMENT ON COLUMN memory.entries.superseded_by IS
  'The entry that corrects this one; hidden from searches since superseded_time';
COMMENT ON COLUMN memory.entries.superseded_time IS 'When it was corrected';
COMMENT ON COLUMN memory.entries.embedding IS 'Its meaning as a vector; null is found by words alone';
COMMENT ON COLUMN memory.entries.embedding_model IS
  'The embedder that made the embedding; null when the caller gave it';
COMMENT ON COLUMN memory.entries.entry_order IS 'Generated: the order of insertion, where creation_time is the same';
COMMENT ON COLUMN memory.entries.embedding_signs IS
  'Generated: the signs of the embedding, by which a search chooses whose distance it computes';
COMMENT ON COLUMN memory.entries.search_vector IS
  'Generated: lexemes of summary (A), raw_entry (B), tags (C) and metadata (D), never of context; '
  'of very long text the beginning';
ALTER TABLE memory.entries ALTER COLUMN entry_order ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME memory.entries_entry_order_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE memory.entry_access (
    memory_id text NOT NULL,
    entry_id uuid NOT NULL,
    access_count bigint DEFAULT 0 NOT NULL,
    last_accessed_at timestamp with time zone,
    CONSTRAINT entry_access_access_count_check CHECK ((access_count >= 0))
)
WITH (fillfactor='70');
COMMENT ON TABLE memory.entry_access IS
  'memory_search: how often entries were used; narrow, so that counting never rewrites an entry';
ALTER TABLE ONLY memory.contexts
    ADD CONSTRAINT contexts_pkey PRIMARY KEY (memory_id, context_id);
ALTER TABLE ONLY memory.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (memory_id, entry_id);
ALTER TABLE ONLY memory.entry_access
    ADD CONSTRAINT entry_access_pkey PRIMARY KEY (memory_id, entry_id);
CREATE INDEX contexts_recent ON memory.contexts USING btree (memory_id, creation_time DESC, context_id);
CREATE INDEX contexts_to_purge ON memory.contexts USING btree (deletion_scheduled_time) WHERE (
      deletion_scheduled_time IS NOT NULL);
CREATE INDEX entries_context ON memory.entries USING btree (memory_id, creation_time DESC, entry_id) WHERE (
      context IS NOT NULL);
CREATE INDEX entries_expiring ON memory.entries USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX entries_recent ON memory.entries USING btree (memory_id, creation_time DESC, entry_id);
CREATE INDEX entries_scan ON memory.entries USING btree (memory_id, creation_time, entry_order) INCLUDE (
      entry_id, importance, deletion_scheduled_time, expires_at, superseded_time, user_id, embedding_signs,
      search_vector) WHERE ((((((octet_length(tsvectorsend(search_vector)) + (5 * length(search_vector))) +
      octet_length(memory_id)) + COALESCE(octet_length(user_id), 0)) + COALESCE(octet_length((
      embedding_signs)::"bit"), 0)) <= 2400) IS TRUE);
COMMENT ON INDEX memory.entries_scan IS
  'memory_search: all that a search reads of every entry of a memory, side by side';
CREATE INDEX entries_scan_long ON memory.entries USING btree (memory_id, creation_time) INCLUDE (user_id) WHERE
      ((((((octet_length(tsvectorsend(search_vector)) + (5 * length(search_vector))) + octet_length(memory_id))
      + COALESCE(octet_length(user_id), 0)) + COALESCE(octet_length((embedding_signs)::"bit"), 0)) <= 2400) IS
      NOT TRUE);
COMMENT ON INDEX memory.entries_scan_long IS 'memory_search: the entries that are too long for entries_scan';
CREATE INDEX entries_to_purge ON memory.entries USING btree (deletion_scheduled_time) WHERE (
      deletion_scheduled_time IS NOT NULL);
CREATE INDEX entries_user ON memory.entries USING btree (user_id, memory_id) WHERE (user_id IS NOT NULL);
CREATE INDEX entries_words ON memory.entries USING gin (search_vector);
ALTER TABLE ONLY memory.entry_access
    ADD CONSTRAINT entry_access_memory_id_entry_id_fkey FOREIGN KEY (memory_id, entry_id) REFERENCES
      memory.entries(memory_id, entry_id) ON DELETE CASCADE;
