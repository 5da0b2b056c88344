-- How many relations a search locks in a store, for each way of asking: psql -v store=NAME. The first ones are not
-- counted: a session comes to know the store and keeps plans, which is when it also reads catalogs. Each statement that
-- counts is a transaction.
SELECT count(elsewhere.locks(:'store', way)) AS warm FROM elsewhere.ways, generate_series(1, 8) \gset
SELECT format('SELECT %L, elsewhere.locks(%L, %s)', name, :'store', way)
  FROM elsewhere.ways ORDER BY way \gexec
