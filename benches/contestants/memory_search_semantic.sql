-- memory_search, semantic
-- By meaning alone. With all five fields of the response.
--
-- kind: semantic

-- @search
SELECT memory_search($1, '', top_ke => $4, embedding => $3, store => 'bench', options => '{"strategy": "semantic"}');
