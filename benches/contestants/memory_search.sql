-- memory_search
-- One call, with all five fields of the response; the embedding is given.
--
-- kind: hybrid

-- @search
SELECT memory_search($1, $2, top_ke => $4, embedding => $3, store => 'bench');

-- @semantic
SELECT entry_id FROM memory_search_entries($1, '', $4, $3, store => 'bench',
  options => '{"strategy": "semantic",
    "boosts": {"recency": 0, "importance": 0, "author": 0, "date": 0, "length": 0}}') ORDER BY rank;

-- @keyword
SELECT entry_id FROM memory_search_entries($1, $2, $4, store => 'bench',
  options => '{"strategy": "keyword",
    "boosts": {"recency": 0, "importance": 0, "author": 0, "date": 0, "length": 0}}') ORDER BY rank;
