-- Store "s" with 200 entries and 5 contexts, the same every time; the model embeds the texts.
SELECT memory_create_store('s');
SELECT count(memory_add('m', 'note ' || n || ': ' || topics[1 + n % 5],
    tags => ARRAY['t' || n % 3], metadata => jsonb_build_object('n', n), importance => n % 101, user_id => 'u' || n % 2,
    context => CASE WHEN n % 40 = 0 THEN 'part ' || n / 40 END,
    creation_time => timestamptz '2025-01-01Z' + n * interval '1 hour', entry_id => lpad(n::text, 32, '0')::uuid,
    store => 's'))
  FROM generate_series(1, 200) n, (SELECT ARRAY['a small hotel by the sea', 'the train to Lisbon',
    'green tea with milk', 'an error in line five', 'allergic to peanuts'] AS topics) t;
SELECT count(memory_link('m', lpad(n::text, 32, '0'), lpad((n * 7 % 200 + 1)::text, 32, '0'), 'k' || n % 2, 0.5,
    store => 's'))
  FROM generate_series(1, 60) n WHERE n <> n * 7 % 200 + 1;
SELECT memory_alias('m', 'Lisboa', 'Lisbon', 's');
INSERT INTO s.entry_access SELECT memory_id, entry_id, 3, '2025-02-01Z' FROM s.entries LIMIT 50;
