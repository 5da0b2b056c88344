-- memory_search, keyword
-- By words alone, without embeddings. With all five fields of the response.
--
-- kind: keyword

-- @search
SELECT memory_search($1, $2, top_ke => $4, store => 'bench', options => '{"strategy": "keyword"}');
