-- memory_search, recent
-- The newest entries; the query is ignored. With all five fields of the response.
--
-- kind: recent

-- @search
SELECT memory_search($1, '', top_ke => $4, store => 'bench', options => '{"strategy": "recent"}');
