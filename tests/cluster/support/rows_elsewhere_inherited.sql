-- The store "parent": half of the rows of "plain" are in tables that inherit from the store's, among them all entries
-- that are too long for the index. Such a table inherits columns, but no index, key or reference.
SELECT memory_create_store('parent');
-- A foreign key would not find rows of an inheriting table.
SELECT elsewhere.drop_references('parent');
SELECT format('CREATE TABLE parent.%I () INHERITS (parent.%I)', name || '_child', name)
  FROM elsewhere.tables() name \gexec
SELECT elsewhere.copy_rows(name, format('parent.%I', name || ending), format('(%s) = %L', condition, ending <> ''))
  FROM (VALUES ('entries', 'r.entry_id::text < ''8'' OR length(r.raw_entry) > 2000'),
    ('contexts', 'r.context_id::text < ''8'''), ('entry_access', 'r.entry_id::text < ''8''')) t (name, condition),
    unnest(ARRAY['', '_child']) ending;
-- A memory all of whose rows are in the child table: a long entry and a short one. The default of entry_order is not
-- inherited.
INSERT INTO parent.entries_child (memory_id, raw_entry, embedding, entry_order)
  SELECT 'child', said, memory_embed(said)::halfvec, length(said)
  FROM unnest(ARRAY['a zither', 'a zither and ' || elsewhere.long_text(1)]) said;
