-- The store "uneven" with partitioned tables that grew over time: partitions that have partitions themselves, and
-- partitions that were tables before and once had another column, so that their columns have other numbers than the
-- columns of the partitioned table.
CREATE SCHEMA uneven;
SELECT format('CREATE TABLE uneven.%I (LIKE template.%1$I INCLUDING ALL EXCLUDING INDEXES) '
  'PARTITION BY HASH (memory_id)', name) FROM elsewhere.tables() name \gexec
SELECT format('CREATE TABLE uneven.%I PARTITION OF uneven.%I FOR VALUES WITH (MODULUS 2, REMAINDER 0) '
  'PARTITION BY RANGE (memory_id)', name || '_0', name) FROM elsewhere.tables() name \gexec
SELECT format('CREATE TABLE uneven.%I PARTITION OF uneven.%I FOR VALUES FROM (%s) TO (%s)',
    name || '_0_' || part, name || '_0', lowest, bound)
  FROM elsewhere.tables() name,
    (VALUES (0, 'MINVALUE', '''m2'''), (1, '''m2''', 'MAXVALUE')) p (part, lowest, bound) \gexec
SELECT format('CREATE TABLE uneven.%I (once int, LIKE template.%I INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY)',
  name || '_1', name) FROM elsewhere.tables() name \gexec
SELECT format('ALTER TABLE uneven.%I DROP COLUMN once', name || '_1') FROM elsewhere.tables() name \gexec
SELECT elsewhere.definitions('uneven') \gexec
SELECT format('ALTER TABLE uneven.%I ATTACH PARTITION uneven.%I FOR VALUES WITH (MODULUS 2, REMAINDER 1)',
  name, name || '_1') FROM elsewhere.tables() name \gexec
SELECT elsewhere.fill('uneven');
