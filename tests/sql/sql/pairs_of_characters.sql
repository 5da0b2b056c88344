-- In scripts without blanks a character is a word, and each pair of neighbours is another word, which counts if it
-- matches but is never required.
SELECT memory_create_store('pairs', 4, language => 'simple');
CREATE FUNCTION pairs.id(n int) RETURNS uuid LANGUAGE sql AS $$ SELECT lpad(n::text, 32, '0')::uuid $$;
INSERT INTO pairs.entries (memory_id, entry_id, raw_entry, tags, creation_time)
SELECT 'm', pairs.id(n::int), t, CASE n WHEN 8 THEN '{invoice}' ELSE '{}' END::text[],
  timestamptz '2025-01-01Z' + n * interval '1 day'
FROM unnest(ARRAY[
  '旅馆在湖边', '馆长旅行', '我对餐厅的花生过敏', E'每年住在旅\n馆里', '旅**馆**', 'ห้องน้ำสะอาด', '東京タワー',
  repeat('山', 55000), repeat('水', 9000) || '旅馆', 'a hotel by the lake']) WITH ORDINALITY texts (t, n);
CREATE FUNCTION pairs.found(query text, options jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(right(e ->> 'entryId', 2), ' ' ORDER BY place)
  FROM jsonb_array_elements(memory_search('m', query, 10, store => 'pairs', options => options
    || '{"strategy": "keyword", "asOf": "2026-01-01T00:00:00Z", "boosts": {"length": 0}}') -> 'entries')
    WITH ORDINALITY entries (e, place)
$$;
CREATE FUNCTION pairs.all_found() RETURNS TABLE (query text, options jsonb, found text) LANGUAGE sql AS $$
  SELECT q, o, pairs.found(q, o) FROM (VALUES
    -- Neighbouring characters come before separate ones; a single character finds its entries.
    ('旅馆', '{}'::jsonb), ('馆', '{}'), ('น้ำ', '{}'),
    -- Two words that are apart in the entry: 厅过 is no word.
    ('餐厅过敏', '{"match": "all"}'),
    -- A phrase finds a run that a line break or a mark divides, and one at the end of a long text.
    ('"旅馆"', '{}'), ('"東京 タワー"', '{}'), ('湖 旅 馆 -旅馆', '{}'),
    -- Words of tags are found, however long the text is.
    ('invoice', '{}')) asked (q, o)
$$;
SELECT * FROM pairs.all_found();
CREATE TEMP TABLE by_index AS SELECT * FROM pairs.all_found();
SET enable_indexscan = off;
SELECT count(*) FILTER (WHERE i.found IS DISTINCT FROM r.found) AS "others by rows"
FROM by_index i JOIN pairs.all_found() r USING (query, options);
RESET enable_indexscan;

-- Plain SQL has the single characters.
SELECT to_tsvector('memory_simple', '旅馆 東京タワー'),
  to_tsvector('memory_simple', '我对餐厅的花生过敏') @@ plainto_tsquery('memory_simple', '餐厅过敏') AS "by plain SQL";

DROP TABLE by_index;
DROP FUNCTION pairs.all_found, pairs.found, pairs.id;
SELECT memory_drop_store('pairs', force => true);
