-- Defaults that an owner sets for columns of entries count for no call, whatever the other rows of the call are like:
-- an entry has what the call gives.
SELECT memory_create_store('cdef', 4);
SET memory_search.store = 'cdef';
SET memory_search.embed_on_write = off;
ALTER TABLE cdef.entries ALTER user_id SET DEFAULT 'anybody', ALTER agent_id SET DEFAULT 'any agent',
  ALTER session_id SET DEFAULT 'any session', ALTER summary SET DEFAULT 'any summary',
  ALTER context SET DEFAULT 'any context',
  ALTER tags SET DEFAULT '{any}', ALTER entities SET DEFAULT '{Any}', ALTER metadata SET DEFAULT '{"any": 1}',
  ALTER source_type SET DEFAULT 'any', ALTER importance SET DEFAULT 7, ALTER expires_at SET DEFAULT '2001-01-01Z',
  ALTER valid_from SET DEFAULT '2001-01-01Z', ALTER valid_until SET DEFAULT '2002-01-01Z',
  ALTER creation_time SET DEFAULT '2001-01-01Z', ALTER entry_key SET DEFAULT 'any key';
SELECT count(memory_add('m', 'added'));
SELECT count(memory_add('m', 'added, with empty lists', tags => '{}', entities => '{}', metadata => '{}'));
SELECT count(*) FROM memory_add_many('m', '[{"rawEntry": "alone"}]');
SELECT count(*) FROM memory_add_many('m', '[{"rawEntry": "beside"}, {"rawEntry": "given", "userId": "ann",
  "agentId": "agent", "sessionId": "s", "summary": "short", "context": "c", "tags": ["t"], "entities": ["Ann"],
  "metadata": {"a": 1}, "sourceType": "chat", "expiresAt": "2999-01-01T00:00:00Z", "entryKey": "k",
  "validFrom": "2001-01-01T00:00:00Z", "validUntil": "2999-01-01T00:00:00Z"}, {"rawEntry": "living", "ttl": "1 day"}]');
SELECT memory_import('m', '{"kind": "entry", "rawEntry": "imported"}');
SELECT raw_entry, user_id, agent_id, session_id, summary, context, tags, entities, metadata, source_type
FROM cdef.entries ORDER BY raw_entry;
SELECT raw_entry, importance, creation_time > '2002-01-01Z' AS is_new, expires_at > now() AS expires_later, valid_from,
  valid_until, entry_key
FROM cdef.entries ORDER BY raw_entry;
DROP SCHEMA cdef CASCADE;
