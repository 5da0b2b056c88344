-- A store whose tables have partitions by hash of memory_id, with the rows of "plain":
--   psql -v store=NAME -v parts=NUMBER
CREATE SCHEMA :"store";
SELECT format('CREATE TABLE %I.%I (LIKE template.%2$I INCLUDING ALL EXCLUDING INDEXES) '
  'PARTITION BY HASH (memory_id)', :'store', name) FROM elsewhere.tables() name \gexec
SELECT format('CREATE TABLE %1$I.%2$I PARTITION OF %1$I.%3$I FOR VALUES WITH (MODULUS %4$s, REMAINDER %5$s)',
    :'store', name || '_' || part, name, :parts, part)
  FROM elsewhere.tables() name, generate_series(0, :parts - 1) part \gexec
SELECT d FROM elsewhere.definitions(:'store') d \gexec
SELECT elsewhere.fill(:'store');
