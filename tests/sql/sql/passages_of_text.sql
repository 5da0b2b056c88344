-- memory_passages returns the passages of a text: an entry with this text has an embedding of each.
CREATE TABLE texts AS SELECT n, text FROM (VALUES
  (1, ''), (2, 'short'), (3, repeat('word ', 200)), (4, repeat('word ', 201)),
  (5, repeat('The ferry left. It came back, too late for tea. ', 60)), (6, repeat('我们去年春天在山里租了一间小木屋。', 20)),
  (7, repeat(E'Ein Käse fürs Frühstück!\n\n', 90)), (8, repeat('0123456789abcdef', 1000))) t (n, text);
SELECT n, count(passage) AS passages, max(passage) AS last,
  bool_and(p.text = trim(E' \n' FROM p.text)) AS are_trimmed,
  string_agg(regexp_replace(p.text, '\s', '', 'g'), '' ORDER BY passage) = regexp_replace(t.text, '\s', '', 'g')
    AS is_all
FROM texts t LEFT JOIN LATERAL memory_passages(t.text) p ON true
GROUP BY n, t.text ORDER BY n;
SELECT count(*) FROM memory_passages(NULL);
-- The embedder gets the same passages, after the whole text, which begins with the summary.
CREATE TABLE asked (n int GENERATED ALWAYS AS IDENTITY, text text);
CREATE FUNCTION noted(input text) RETURNS real[] LANGUAGE sql AS $$
  INSERT INTO public.asked (text) VALUES (input);
  SELECT ARRAY[1, length(input)]::real[] $$;
SET memory_search.embedding_function = 'public.noted';
SELECT memory_create_store('pt');
TRUNCATE asked;
SELECT count(memory_add('m', text, summary => 's', store => 'pt')) FROM texts WHERE n = 5;
RESET memory_search.embedding_function;
SELECT (SELECT array_agg(text ORDER BY n) FROM asked)
    = array_prepend(E's\n' || t.text, (SELECT array_agg(p.text ORDER BY passage) FROM memory_passages(t.text) p))
  AS are_the_same
FROM texts t WHERE n = 5;
SELECT memory_drop_store('pt', true);
DROP FUNCTION noted;
DROP TABLE texts, asked;
