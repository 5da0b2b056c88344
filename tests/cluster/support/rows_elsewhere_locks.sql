-- The number of relations that a search locks in a store, for each kind of search: psql -v store=NAME. The first
-- searches are not counted, because in them a session reads the definition of the store from the catalogs, and makes
-- the plans that it keeps. Each counted statement is a transaction.
SELECT count(elsewhere.locks(:'store', way)) AS warm FROM elsewhere.ways, generate_series(1, 8) \gset
SELECT format('SELECT %L, elsewhere.locks(%L, %s)', name, :'store', way)
  FROM elsewhere.ways ORDER BY way \gexec
