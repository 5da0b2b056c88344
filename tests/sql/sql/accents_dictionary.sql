-- A dictionary of memory_accents that leads to itself is refused at its use, and the server does not crash. Any role
-- that makes dictionaries can lead one to itself.
CREATE TEXT SEARCH DICTIONARY acd_self (TEMPLATE = memory_accents, Dictionary = english_stem);
SELECT ts_lexize('acd_self', 'cafés') AS words, ts_lexize('acd_self', 'the') AS stop;
ALTER TEXT SEARCH DICTIONARY acd_self (Dictionary = acd_self);
SELECT test.error($$SELECT ts_lexize('acd_self', 'cafés')$$);
CREATE TEXT SEARCH DICTIONARY acd_other (TEMPLATE = memory_accents, Dictionary = english_stem);
CREATE TEXT SEARCH DICTIONARY acd_phrases (TEMPLATE = thesaurus, DictFile = thesaurus_sample, Dictionary = acd_other);
ALTER TEXT SEARCH DICTIONARY acd_other (Dictionary = acd_phrases);
SELECT left(test.error($$SELECT ts_lexize('acd_other', 'cafés')$$), 33) AS error;
SELECT test.error('CREATE TEXT SEARCH DICTIONARY acd_wrong (TEMPLATE = memory_accents' || options || ')')
FROM (VALUES (1, ''), (2, ', Dictionary = acd_none'), (3, ', Dictionary = simple, Letters = nordic'),
  (4, ', Dictionary = simple, Language = swedsh'), (5, ', Dictionary = simple, Language = ''pg_catalog.'''),
  (6, ', Dictionary = simple, Language = ''''')) t (i, options)
ORDER BY i;
-- The name of a language is that of a configuration of the server, or has it as a part, as copies of these do.
SELECT language, test.outcome(format('CREATE TEXT SEARCH DICTIONARY acd_of (TEMPLATE = memory_accents, '
  'Dictionary = simple, Language = %L)', language)) AS outcome
FROM unnest(ARRAY['german', 'pg_catalog.german', 'simple', 'my_swedish', 'my_german',
  'app."german (1901)"', 'mygerman', 'Swedish', 'klingon']) language;
DROP TEXT SEARCH DICTIONARY acd_phrases;
DROP TEXT SEARCH DICTIONARY acd_self, acd_other;
