-- The searches of `make demo`, as anybody would type them. A block is a title, remarks and one
-- statement; run.sh prints them and shows the answer as a table. This file also runs by itself:
--   pgrx-config/server.sh psql demo -f demo/searches.sql

-- Meaning, without shared words
-- "stay" is in none of the best entries: they speak of guesthouses, courtyards and breakfast.
SELECT memory_search('trip-planner', 'where does she like to stay?');

-- A rare code, exactly
-- Words count as much as meaning: entries that name E1042 come before those that are only similar.
SELECT memory_search('billing-service', 'E1042');

-- Recency: the same statement three times, the newest first
-- The setting was changed twice. asOf asks on New Year's Day 2026: what was said last weighs more.
SELECT memory_search('billing-service', 'what is retry_backoff_ms set to now?',
  options => '{"asOf": "2026-01-01T00:00:00Z"}');

-- Importance: the binding rule before hearsay
-- Many entries say something about refunds; the one that management signed is marked important.
SELECT memory_search('support-desk', 'what is the refund policy for hardware?');

-- Context only
-- top_ke => 0 asks for no entries: what is this memory about, and what was it about before?
-- show: contexts
SELECT memory_search('trip-planner', 'plans for the trip to Japan', top_ke => 0, top_kc => 3);

-- A question that this memory can't answer
-- Something is always the nearest. The column "meaning" (scores.semantic) tells how near it is.
SELECT memory_search('haushalt', 'how do I tune a violin?');

-- The same question, with a floor under the similarity
-- No answer is better than a wrong one, so a caller may say what is too far away.
SELECT memory_search('haushalt', 'how do I tune a violin?', options => '{"minSimilarity": 0.4}');

-- Another language
-- The same memory, asked in German: when does the chimney sweep come?
SELECT memory_search('haushalt', 'Wann kommt der Schornsteinfeger?');

-- The whole answer
-- All tables above were made from this: one JSON document, the same five fields for every search.
-- show: json
SELECT jsonb_pretty(memory_search('trip-planner', 'where does she like to stay?', top_ke => 1, top_kc => 1));
