-- Loaded into the database of the isolation tests, after tests/sql/helpers.sql. Each permutation of a spec
-- has a store of its own, with the partitions that the setting test.partitions asks for.

-- Store "isolation" with so many entries of the memory "m" and the user "u", the newest last.
CREATE PROCEDURE test.make_store(entries int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_create_store('isolation', dimensions => 2,
    partitions => nullif(current_setting('test.partitions', true), '')::int);
  INSERT INTO isolation.entries (memory_id, entry_id, user_id, raw_entry, creation_time, embedding)
    SELECT 'm', test.id(n), 'u', 'entry ' || n, timestamptz '2025-01-01Z' + n * interval '1 day', '[1, 0]'
    FROM generate_series(1, entries) n;
END $$;

CREATE PROCEDURE test.drop_store() LANGUAGE plpgsql AS $$
BEGIN
  PERFORM memory_drop_store('isolation', force => true);
END $$;

-- Rebuilds an index of the entries, of the partition that holds the memory "m" if there are partitions.
CREATE PROCEDURE test.reindex(name text) LANGUAGE plpgsql AS $$
DECLARE whole regclass := 'isolation.' || name;
BEGIN
  EXECUTE 'REINDEX INDEX ' || (
    SELECT i.indexrelid::regclass FROM pg_index i
     WHERE i.indrelid = (SELECT tableoid FROM isolation.entries WHERE memory_id = 'm' LIMIT 1)
       AND (i.indexrelid = whole
            OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = i.indexrelid AND inhparent = whole)));
END $$;
