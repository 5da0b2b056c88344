#!/usr/bin/env python3
"""Random calls, most of them wrong: each must be answered or refused with a proper SQLSTATE.

Fails when a call ends with an internal error (XX000 and its like), when the server restarts, or
when the session is lost. Connects by the environment (PGHOST, ...); tests/run_fuzz.sh starts a server.
The same seed makes the same calls: --seed repeats a run, --show prints the calls of an SQLSTATE.
"""
import argparse
import collections
import json
import random
import re
import subprocess
import sys
import tempfile

# The store and rows that calls use; the second store has no fixed dimension.
PREPARE = """
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS memory_search CASCADE;
DROP SCHEMA IF EXISTS fuzz, "Fuzz 2", app, adopted CASCADE;
SELECT memory_create_store('fuzz', 3);
SET memory_search.model = '';
SELECT memory_create_store('Fuzz 2');
RESET memory_search.model;
INSERT INTO fuzz.entries (memory_id, entry_id, raw_entry, summary, tags, metadata, embedding, importance, user_id)
SELECT 'm', ('00000000-0000-0000-0000-0000000000' || n % 60 + 10)::uuid, 'kite number ' || n, 'tea', ARRAY['t' || n % 3], jsonb_build_object('n', n), format('[%s,1,2]', n)::halfvec, n, 'u' || n % 2
FROM generate_series(1, 60) n;
INSERT INTO fuzz.contexts (memory_id, context) SELECT 'm', 'context ' || n FROM generate_series(1, 5) n;
INSERT INTO "Fuzz 2".entries (memory_id, raw_entry, embedding) VALUES ('m', 'two', '[1,2]'), ('m', 'three', '[1,2,3]'), ('m', 'none', NULL);
CREATE SCHEMA app;
CREATE TABLE app.notes (id bigint PRIMARY KEY, tenant uuid, body text, labels text[], extra jsonb, at timestamptz, weight int, v vector(3));
INSERT INTO app.notes SELECT n, '00000000-0000-0000-0000-000000000001', 'kite number ' || n, ARRAY['t' || n % 3], '{}', now(), n, format('[%s,1,2]', n)::vector FROM generate_series(1, 60) n;
SELECT memory_adopt_table('adopted', 'app.notes', '{"memory_id": "tenant", "entry_id": "id", "raw_entry": "body", "tags": "labels", "metadata": "extra", "creation_time": "at", "importance": "weight", "embedding": "v"}');
CREATE ROLE fuzz_role;
CREATE TEMP TABLE outcome (n int, state text, message text);
CREATE FUNCTION pg_temp.run(n int, call text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE message text;
BEGIN
  BEGIN
    EXECUTE call;
    INSERT INTO outcome VALUES (n, '00000', NULL);
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS message = MESSAGE_TEXT;
    INSERT INTO outcome VALUES (n, SQLSTATE, left(message, 200));
  END;
END $$;
"""

TEXTS = ["", " ", "*", "kite", "tea kite", "-kite", '"kite number"', '-"kite number"', '"', "'", "\\", "the", "& | ! <-> :*()", "🧠", "記憶", "e\u0301",
         "\u202e", "\ufeff", "\u0001", "\t\n", "$1", "%s", "{}", "NULL", "'; DROP SCHEMA fuzz CASCADE; --", "x" * 3000, "kite " * 2000, "🧠" * 5000, "a-b-c/d.e@f.g",
         "x" * 65537, "m", "fuzz", "Fuzz 2", "no such", "u1", "t1", "-", "--", "- -", "0", "1e400", "nan"]
NUMBERS = ["0", "1", "-1", "2", "3", "5", "10", "11", "100", "101", "0.5", "-0.0", "1.5", "1e10", "1e308", "1e400", "-1e400", "1e-400", "9223372036854775807", "9223372036854775808",
           "18446744073709551616", "123456789012345678901234567890", "2147483648", "0.1e1", "5.0", "0.7000000000000001"]
INSTANTS = ["2025-01-01T00:00:00Z", "2025-01-01", "yesterday", "now", "infinity", "-infinity", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "2025-02-30T00:00:00Z", "2025-01-01T00:00:00+99:00",
            "2025-06-27T11:42:03.123456789Z", "294276-12-31T00:00:00Z", "", "1970-01-01T00:00:00Z", "2030-01-01T00:00:00-12:00"]
FILTERS = ["userId", "agentId", "tags", "tagMatch", "importance", "minImportance", "createdAfter", "createdBefore", "sourceType", "source.type", "accessCount", "metadata", "validFrom", "validUntil"]
OPTIONS = ["strategy", "preset", "fallback", "match", "fusion", "weights", "boosts", "recency", "popularity", "minSimilarity", "minScore", "dedupThreshold", "candidates", "includeSuperseded", "expand", "asOf", "snippets", "typos", "cursor", "newest", "contexts", "validAt", "validDuring", "usedRecency"]
NESTED = {"weights": ["semantic", "keyword"], "boosts": ["recency", "importance", "popularity", "usedRecency", "feedback"], "usedRecency": ["curve", "days"], "recency": ["curve", "days"], "popularity": ["curve", "cap"], "snippets": ["maxCharacters", "perEntry", "start", "stop"], "newest": ["entries", "filters"], "contexts": ["createdAfter", "createdBefore", "createdAt"],
          "importance": ["$gte", "$lte", "$gt", "$lt", "$eq"], "accessCount": ["$gte", "$lte", "$gt", "$lt", "$eq"]}
WORDS = {"strategy": ["auto", "hybrid", "semantic", "keyword", "recent"], "preset": ["default", "alfred", "cortex", "cortex_boost"], "match": ["any", "all"], "tagMatch": ["any", "all"],
         "fusion": ["rescored", "weighted", "rrf"], "curve": ["exponential", "halfLife", "linear", "max", "cap"]}
COLUMNS = ["memory_id", "entry_id", "raw_entry", "summary", "context", "tags", "metadata", "user_id", "source_type", "importance", "creation_time", "expires_at", "deletion_scheduled_time", "valid_from", "valid_until", "superseded_by", "embedding", "entry_order", "search_vector"]
ENTRY = ["summary", "context", "tags", "metadata", "importance", "embedding", "userId", "agentId", "sourceType", "creationTime", "entryId", "expiresAt", "validFrom", "validUntil", "ttl"]
LINE = ["accessCount", "helpful", "unhelpful", "lastAccessedAt", "deletionScheduledTime", "supersededBy", "supersededTime", "embeddingModel", "contextId", "fromEntry", "toEntry", "linkKind", "weight", "alias", "entity"]
# Arguments that have other values in one function than in others.
NAMES = {"any_entry_ids": "entry_ids", "many": "entries", "shown": "options"}
# Other types that clients send for these arguments.
OTHER_TYPES = {"memory_id": ["uuid", "bigint", "varchar", "name"], "user_id": ["uuid", "int"], "agent_id": ["smallint"], "session_id": ["uuid"], "entry_key": ["bigint"], "top_ke": ["bigint", "numeric", "text", "real"], "k": ["bigint", "smallint"], "importance": ["bigint", "varchar"], "filters": ["json", "text", "varchar"], "options": ["json", "text"], "metadata": ["json", "text"],
               "columns": ["json"], "creation_time": ["timestamp", "text", "date"], "expires_at": ["text", "varchar"], "before": ["text", "date"], "entry_id": ["text", "varchar"], "from_entry": ["uuid", "varchar"], "to_entry": ["text"], "weight": ["numeric", "real"], "entry_ids": ["text[]", "varchar[]"], "old_entry_id": ["text"], "new_entry_id": ["varchar"], "token_budget": ["bigint"]}
REQUEST = ["memoryId", "query", "top_ke", "top_kc", "embedding", "filters", "options", "store", "topK", "ke", "kc", "contextTimestamp"]


class Raw(str):
    """JSON text that json.dumps could not write: numbers of any size, deep nesting."""


def dumps(value):
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumps, value)) + "]"
    return json.dumps(value)


class Calls:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def text(self):
        if self.chance(0.15):
            return "".join(chr(self.random.choice([self.random.randrange(1, 128), self.random.randrange(128, 0x3000), self.random.randrange(0x10000, 0x1FFFF)])) for _ in range(self.random.randrange(1, 30)))
        return self.random.choice(TEXTS)

    def misspelt(self, word):
        if not word or not self.chance(0.06):
            return word
        at = self.random.randrange(len(word))
        return self.random.choice([word[:at] + word[at + 1:], word[:at] + word[at] + word[at:], word.upper(), word + "s", word[:at] + "_" + word[at:], ""])

    def any_json(self, depth=0):
        kind = self.random.randrange(9 if depth < 3 else 6)
        if kind == 0:
            return None
        if kind == 1:
            return self.chance(0.5)
        if kind == 2:
            return self.text()
        if kind in (3, 4):
            return Raw(self.random.choice(NUMBERS))
        if kind == 5:
            levels = self.random.choice([1, 5, 100, 126, 127, 128, 129, 200, 2000])
            return Raw(self.random.choice(['[' * levels + ']' * levels, '{"a":' * levels + '1' + '}' * levels]))
        if kind == 6:
            return [self.any_json(depth + 1) for _ in range(self.random.randrange(4))]
        return {self.text()[:50]: self.any_json(depth + 1) for _ in range(self.random.randrange(4))}

    def right(self, key):
        """A value that a field may well have."""
        if key in WORDS:
            return self.random.choice(WORDS[key])
        if key in NESTED and self.chance(0.9):
            return {self.misspelt(k): self.value(k) for k in self.random.sample(NESTED[key], self.random.randrange(1, len(NESTED[key]) + 1))}
        if key == "embedding":
            return Raw(self.vector().replace("NaN", "1e400").replace("Infinity", "null"))
        if key in ("entryId", "contextId", "supersededBy"):
            return self.random.choice(["00000000-0000-0000-0000-00000000000" + self.random.choice("0123456789"), self.text()])
        if key in ("createdAfter", "createdBefore", "asOf", "validAt", "validFrom", "validUntil", "creationTime", "expiresAt", "lastAccessedAt", "deletionScheduledTime", "supersededTime"):
            return self.random.choice(INSTANTS)
        if key == "validDuring":
            return [self.random.choice([None, *INSTANTS]) for _ in range(self.random.choice([2, 2, 2, 1, 3]))]
        if key == "ttl":
            return self.random.choice(["30 days", "P1M", "1001 years", self.text()])
        if key in ("tags", "sourceType", "source.type"):
            return self.random.choice([self.text(), [self.text() for _ in range(self.random.choice([0, 1, 3, 1000, 1001]))]])
        if key == "metadata":
            return {"n": Raw(self.random.choice(NUMBERS))}
        if key == "cursor":
            return self.random.choice([True, True, False, self.text()])
        if key == "entries":
            return Raw(self.random.choice(["1", "3", "1000", "0", "1001"]))
        if key in ("fallback", "includeSuperseded", "expand", "includeDeleted", "includeExpired", "includeEmbedding"):
            return self.chance(0.5)
        if key in ("userId", "agentId", "summary", "context", "embeddingModel"):
            return self.text()
        return Raw(self.random.choice(NUMBERS))

    def value(self, key):
        return self.right(key) if self.chance(0.85) else self.any_json()

    def fields(self, keys, most=4):
        chosen = self.random.sample(keys, self.random.randrange(0, most + 1))
        return {self.misspelt(key): self.value(key) for key in chosen}

    def vector(self):
        count = self.random.choice([3, 3, 3, 3, 0, 1, 2, 4, 256, 16001])
        return "[" + ",".join(self.random.choice(["0", "1", "-1", "0.5", "1e-9", "1e-45", "65504", "65505", "3e38", "1e39", "NaN", "Infinity"] if self.chance(0.2) else ["1", "-1", "0.25"]) for _ in range(count)) + "]"

    def embedding(self):
        form = self.random.choice(["{}", "{}::vector", "{}::halfvec", "{}::real[]", "{}::double precision[]", "{}::numeric[]", "{}::int[]", "{}::bigint[]", "{}::text[]", "{}::text", "{}::varchar", "{}::json", "{}::jsonb"])
        text = self.vector() if self.chance(0.9) else self.text()
        return form.format(quoted(text.replace("[", "{").replace("]", "}") if "[]" in form else text))

    def jsonb(self, keys):
        if self.chance(0.1):
            return quoted(dumps(self.any_json())) + "::jsonb"
        return quoted(dumps(self.fields(keys))) + "::jsonb"

    def argument(self, name):
        if self.chance(0.04):
            return "NULL"
        if name == "memory_id":
            return quoted(self.random.choice(["m", "m", "m", "m", "00000000-0000-0000-0000-000000000001", self.text()]))
        if name == "memory_ids":
            return self.random.choice(["ARRAY[" + quoted(self.text()) + ", 'm']::text[]", "'{m,n,m}'::text[]", "'{}'::text[]", "ARRAY[NULL, 'm']", "'{m}'::varchar[]", "ARRAY[1, 2]", "ARRAY[['m'], ['n']]"])
        if name == "prefixes":
            return "ARRAY[" + quoted(self.random.choice(["*", "m", "m*", "%", self.text()])) + ", NULL]::text[]"
        if name == "store":
            return quoted(self.random.choice(["fuzz", "fuzz", "fuzz", "fuzz", "Fuzz 2", "adopted", self.text()]))
        if name in ("top_ke", "top_kc", "k", "importance"):
            return self.random.choice(["0", "1", "2", "3", "5", "10", "50", "-1", "11", "2147483647", "-2147483648"])
        if name == "embedding":
            return self.embedding()
        if name == "filters":
            return self.jsonb(FILTERS)
        if name == "options":
            return self.jsonb(OPTIONS)
        if name == "metadata":
            return quoted(dumps(self.any_json())) + "::jsonb"
        if name == "tags":
            return "ARRAY[" + ",".join(quoted(self.text()) if self.chance(0.9) else "NULL" for _ in range(self.random.randrange(4))) + "]::text[]"
        if name == "ttl":
            return quoted(self.random.choice(["30 days", "1 month", "P1Y", "0", "-1 day", "1001 years", "178000000 years"])) + "::interval"
        if name == "feedback":
            return self.random.choice(["1", "-1", "0", "2", "2147483647"])
        if name in ("creation_time", "expires_at", "before", "valid_from", "valid_until", "at"):
            return quoted(self.random.choice(["infinity", "-infinity", "2025-01-01", "4713-01-01 BC", "294276-12-31 23:59:59", "yesterday"])) + "::timestamptz"
        if name == "entry_ids":
            return self.random.choice(["'{}'::uuid[]", "ARRAY[NULL]::uuid[]", "ARRAY['00000000-0000-0000-0000-000000000001']::uuid[]"])
        if name == "context_ids":
            return self.argument("entry_ids")
        if name == "by":
            return "ARRAY[" + ",".join(quoted(self.misspelt(self.random.choice(["tags", "entities", "userId", "sourceType", "metadata.n"]))) for _ in range(self.random.randrange(4))) + "]::text[]"
        if name == "judgements":
            return quoted(dumps(self.judgements() if self.chance(0.95) else self.any_json())) + "::jsonb"
        if name in ("whole_memory", "everything", "dry_run", "with_embeddings", "apply"):
            return self.random.choice(["true", "false"])
        if name in ("from_entry", "to_entry") and self.chance(0.2):
            return quoted(self.text())
        if name in ("kind", "alias", "entity"):
            return quoted(self.random.choice(["related", "a", "A ", "b", "c", self.text()]))
        if name == "kinds":
            return "ARRAY[" + ",".join(quoted(self.text()) if self.chance(0.5) else "'related'" for _ in range(self.random.randrange(4))) + "]::text[]"
        if name == "direction":
            return quoted(self.misspelt(self.random.choice(["both", "from", "to"])))
        if name == "weight":
            return self.random.choice(["0", "0.1", "1", "1.5", "-1", "'NaN'", "1e-300", "'0.5'::real", "0.3::float8"])
        if name in ("depth", "max_entries"):
            return self.random.choice(["1", "2", "4", "5", "0", "-1", "1000", "1001"])
        if name in ("entry_id", "old_entry_id", "new_entry_id", "from_entry", "to_entry"):
            return "'00000000-0000-0000-0000-00000000000" + self.random.choice("123") + "'"
        if name == "any_entry_ids":
            return self.random.choice(["'{}'::uuid[]", "ARRAY[NULL]::text[]", "ARRAY[1, 2]", "ARRAY[1.5]", "'{a,b}'", "ARRAY[[1], [2]]", "ARRAY['00000000-0000-0000-0000-000000000001']", "ARRAY['x'::name]"])
        if name == "lines":
            lines = [{"kind": self.misspelt(self.random.choice(["entry", "context", "link", "alias"])), "rawEntry": self.text(), **self.fields(ENTRY + LINE)} if self.chance(0.9) else self.any_json()
                     for _ in range(self.random.randrange(4))]
            return quoted(dumps(lines)) + "::jsonb"
        if name == "many":
            entries = [{"rawEntry": self.text(), **self.fields(ENTRY)} if self.chance(0.9) else self.any_json() for _ in range(self.random.randrange(4))]
            return quoted(dumps(entries if self.chance(0.95) else self.any_json())) + "::jsonb"
        if name == "shown":
            return self.jsonb(["includeDeleted", "includeExpired", "includeSuperseded", "asOf", "includeEmbedding"])
        if name == "clear":
            names = ["summary", "tags", "metadata", "session_id", "expires_at", "raw_entry"]
            return "ARRAY[" + ",".join(quoted(self.misspelt(self.random.choice(names))) for _ in range(self.random.randrange(4))) + "]::text[]"
        if name == "order_by":
            return quoted(self.misspelt(self.random.choice(["createdAt", "-createdAt", "expiresAt", "-expiresAt", "importance", "-importance", "accessCount", "-accessCount"])))
        if name == "page_size":
            return self.random.choice(["1", "5", "1000", "1001", "0", "-1"])
        if name in ("max_rows", "max_values"):
            return self.random.choice(["1", "2", "1000", "0", "-1", "9223372036854775807"])
        if name == "token_budget":
            return self.random.choice(["0", "1", "50", "1000", "-1", "2147483647"])
        if name == "setting":
            return quoted(self.random.choice(["memory_search.user_id", "app.user", "memory_search.store", "role", self.text()]))
        if name == "role":
            return quoted(self.random.choice(["fuzz_role", "public", "postgres", self.text()]))
        if name == "privileges":
            return quoted(self.random.choice(["reader", "writer", "raeder", self.text()]))
        if name == "columns":
            return self.jsonb_of_columns()
        return quoted(self.text())

    def judgements(self):
        """Searches with the entries that helped: few, or enough of them to learn from."""
        made = []
        for n in range(self.random.choice([0, 1, 3, 3, 60, 2001])):
            request = {"memoryId": "m", "query": self.random.choice([f"kite number {n}", self.text()])}
            if self.chance(0.05):
                request[self.misspelt("options")] = self.fields(OPTIONS, 2)
            helpful = [self.random.choice([f"00000000-0000-0000-0000-0000000000{n % 60 + 10}", self.text()]) for _ in range(self.random.choice([1, 1, 2, 0 if self.chance(0.05) else 1]))]
            judgement = {self.misspelt("request") if self.chance(0.02) else "request": request, "helpful": helpful}
            made.append(judgement if self.chance(0.999) else self.any_json())
        return made

    def jsonb_of_columns(self):
        columns = {"memory_id": "tenant", "entry_id": "id", "raw_entry": "body"}
        for key in self.random.sample(COLUMNS, self.random.randrange(0, 5)):
            columns[self.misspelt(key)] = self.random.choice(["id", "tenant", "body", "labels", "extra", "at", "weight", "v", "weight + 1", "'x'", "body) FROM app.notes; DROP TABLE app.notes; SELECT (1", "1), (2", "(SELECT 1)",
                                                              "body --", "/* body", "count(*)", "generate_series(1, 3)", "1/0", "$1", "extra->'n'", "(" * 200 + "1" + ")" * 200, "(" * 20000, self.text(), None, Raw("1")])
        return quoted(dumps(columns)) + "::jsonb"

    def undone(self, call):
        """Rolled back, so that each call meets the same stores."""
        return f"DO {quoted('BEGIN PERFORM count(*) FROM (' + call + ') c; RAISE EXCEPTION SQLSTATE ' + quoted('UNDO0') + '; END')}"

    def named(self, function, required, optional):
        chosen = required + self.random.sample(optional, self.random.randrange(0, len(optional) + 1))
        return f"SELECT * FROM {function}(" + ", ".join(f"{NAMES.get(name, name.removeprefix('any_'))} => {self.as_client_sends(name)}" for name in chosen) + ")"

    def as_client_sends(self, name):
        given, types = self.argument(name), OTHER_TYPES.get(name)
        if not types or not self.chance(0.3):
            return given
        return "(" + re.sub(r"::(jsonb|timestamptz|uuid\[\])$", "", given) + ")::" + self.random.choice(types)

    def call(self):
        kind = self.random.randrange(100)
        searching = ["embedding", "filters", "options"]
        if kind < 35:
            which, more = self.random.choice([("memory_id", []), ("memory_id", []), ("memory_ids", ["prefixes"])])
            return self.named("memory_search", [which, "query", "store"], ["top_ke", "top_kc"] + searching + more)
        if kind < 60:
            request = {"memoryId": self.random.choice(["m", "m", ["m", "n"], {"prefix": "m*"}, ["n", {"prefix": self.text()}]]), "query": self.text(), "store": "fuzz"}
            for key in self.random.sample(REQUEST, self.random.randrange(0, 5)):
                request[self.misspelt(key)] = {"filters": lambda: self.fields(FILTERS), "options": lambda: self.fields(OPTIONS), "embedding": lambda: Raw(self.vector().replace("NaN", "1e400").replace("Infinity", "null"))}.get(
                    key, lambda: self.random.choice([self.any_json(), self.text(), Raw(self.random.choice(NUMBERS))]))()
            return f"SELECT memory_search({quoted(dumps(request if self.chance(0.93) else self.any_json()))}::jsonb)"
        if kind < 78:
            return self.named("memory_search_entries", ["memory_id", "query", "store"], ["k"] + searching)
        if kind < 90:
            return self.named("memory_add", ["memory_id", "raw_entry", "store"], ["summary", "context", "tags", "metadata", "importance", "embedding", "user_id", "agent_id", "session_id", "entry_key", "if_similar", "source_type", "creation_time", "valid_from", "valid_until", "ttl"])
        if kind < 93:
            return self.named("memory_put_context", ["memory_id", "context", "store"], ["embedding", "user_id", "creation_time"])
        if kind < 94:
            return self.named(self.random.choice(["memory_delete", "memory_restore"]), ["memory_id", "store"], ["entry_ids", "whole_memory"])
        if kind < 98:
            return self.lifecycle()
        if kind < 99:
            return self.random.choice([f"SELECT memory_embed({quoted(self.text())})", f"SELECT {self.embedding()}::memory_embedding::text"])
        return self.undone(self.random.choice([
            lambda: "SELECT memory_create_store(" + quoted(self.text()) + ", " + self.random.choice(["0", "3", "4001", "NULL"]) + ", " + quoted(self.random.choice(["english", "simple", "englsh", self.text()])) + ")",
            lambda: "SELECT memory_adopt_table(" + quoted(self.random.choice(["new", "fuzz", self.text()])) + ", " + self.random.choice(["'app.notes'", "'fuzz.entries'", "'app.notes_pkey'", "'pg_catalog.pg_class'", "0", "'no.such'", "NULL"]) + ", " + self.jsonb_of_columns() + ")",
            lambda: "SELECT memory_import_table(" + quoted(self.random.choice(["new", "fuzz", "adopted", self.text()])) + ", " + self.random.choice(["'app.notes'", "'fuzz.entries'", "'app.notes_pkey'", "'pg_catalog.pg_class'", "0", "'no.such'", "NULL"]) + ", " + self.jsonb_of_columns() + ")",
            lambda: self.named(self.random.choice(["memory_keep_history", "memory_notify"]), ["store"], []),
            lambda: "SELECT memory_notify('fuzz', " + quoted(self.text()) + ", " + self.random.choice(["true", "false", "NULL"]) + ")",
            lambda: self.named("memory_distribute_store", ["store"], []),
            lambda: self.named("memory_drop_store", ["store"], []),
            lambda: self.named("memory_forget_user", ["user_id", "store"], []),
            lambda: self.named("memory_grant", ["store", "role"], ["privileges"]),
            lambda: self.named("memory_enable_row_security", ["store"], ["setting"]),
        ])())

    def lifecycle(self):
        return self.random.choice([
            lambda: self.named("memory_explain", ["memory_id", "query", "store"], ["top_ke", "embedding", "filters", "options", "entry_id"]),
            lambda: self.named("memory_recall", ["memory_id", "query", "store"], ["top_ke", "top_kc", "filters", "options"]),
            lambda: self.named("memory_build_context", ["memory_id", "query", "store"], ["system_prompt", "token_budget", "top_ke", "options"]),
            lambda: self.named(self.random.choice(["memory_explain", "memory_recall", "memory_search_entries", "memory_build_context"]), ["memory_ids", "query", "store"], ["filters", "options", "prefixes"]),
            lambda: self.named("memory_update", ["memory_id", "entry_id", "store"], ["raw_entry", "summary", "tags", "metadata", "importance", "embedding", "source_type", "expires_at", "valid_from", "valid_until", "ttl", "clear"]),
            lambda: self.named("memory_supersede", ["memory_id", "old_entry_id", "new_entry_id", "store"], ["at"]),
            lambda: self.named("memory_touch", ["memory_id", "any_entry_ids", "store"], []),
            lambda: self.named("memory_feedback", ["memory_id", "any_entry_ids", "feedback", "store"], []),
            lambda: self.named("memory_purge", ["store"], ["before", "max_rows"]),
            lambda: self.named("memory_reembed", ["store"], ["memory_id", "everything", "max_rows"]),
            lambda: self.named("memory_embed_pending", ["store"], ["memory_id", "max_rows"]),
            lambda: self.named("memory_doctor", ["store"], []),
            lambda: self.named("memory_delete_where", ["memory_id", "filters", "store"], ["dry_run"]),
            lambda: self.named("memory_export", ["memory_id", "store"], ["with_embeddings"]),
            lambda: self.named("memory_import", ["memory_id", "lines", "store"], []),
            lambda: self.named("memory_add_many", ["memory_id", "many", "store"], []),
            lambda: self.named("memory_get", ["memory_id", "any_entry_ids", "store"], ["shown"]),
            lambda: self.named("memory_list", ["memory_id", "store"], ["filters", "order_by", "page_size", "cursor", "shown"]),
            lambda: self.named("memory_count", ["memory_id", "store"], ["filters", "shown"]),
            lambda: self.named("memory_link", ["memory_id", "from_entry", "to_entry", "store"], ["kind", "weight", "metadata", "valid_from", "valid_until"]),
            lambda: self.named("memory_unlink", ["memory_id", "from_entry", "to_entry", "store"], ["kind"]),
            lambda: self.named("memory_links", ["memory_id", "entry_id", "store"], ["kinds", "direction", "max_rows"]),
            lambda: self.named("memory_related", ["memory_id", "entry_id", "store"], ["kinds", "depth", "max_entries"]),
            lambda: self.named("memory_alias", ["memory_id", "alias", "entity", "store"], []),
            lambda: self.named(self.random.choice(["memory_unalias", "memory_aliases"]), ["memory_id", "store"], ["alias"]),
            lambda: self.named("memory_history", ["memory_id", "entry_id", "store"], ["page_size"]),
            lambda: self.named("memory_list_memories", ["store"], ["prefix", "after", "page_size"]),
            lambda: self.named("memory_stats", ["store"], []),
            lambda: self.named("memory_entities", ["memory_id", "store"], ["prefix", "max_rows", "shown"]),
            lambda: self.named("memory_about", ["memory_id", "entity", "store"], ["token_budget", "filters", "options"]),
            lambda: self.named("memory_facets", ["memory_id", "store"], ["query", "by", "k", "embedding", "filters", "options", "max_values"]),
            lambda: self.named("memory_learn", ["judgements", "store"], ["apply"]),
            lambda: self.named(self.random.choice(["memory_delete_contexts", "memory_restore_contexts"]), ["memory_id", "context_ids", "store"], []),
            lambda: "SELECT memory_entity_keys(" + self.argument("kinds") + ")",
            lambda: f"SELECT * FROM memory_passages(repeat({quoted(self.text())}, {self.random.choice([1, 60, 400])}))",
            lambda: "SELECT * FROM memory_index_check(" + self.random.choice(["'fuzz.entries_memory'", "'fuzz.contexts_memory'", "'fuzz.entries_pkey'", "'app.notes'", "0", "NULL"]) + "::regclass)",
            lambda: f"SELECT memory_tool_spec({quoted(self.random.choice(['openai', 'mcp', 'json_schema', self.text()]))},"
            f" {quoted(self.random.choice(['short', 'full', self.text()]))})",
        ])()


def quoted(text):
    """An SQL literal of a text, which may have backslashes and quotes."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'" if "\\" in text or "'" in text else f"'{text}'"


# Functions that no call of this test reaches.
NOT_CALLED = {
    "memory_search_sent": "another node calls it, with what that node has checked",
}


def forgotten():
    """Functions of the extension that this file has no call of; those of types, of the parser and of the index are the server's to call."""
    own = """SELECT DISTINCT p.proname FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
        JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'memory_search' WHERE p.proname LIKE 'memory%'
        AND NOT p.proargtypes::oid[] && ARRAY['internal', 'cstring']::regtype[]::oid[]
        AND p.proname !~ '_(out|send|recv|of_array)$' AND p.prorettype <> 'trigger'::regtype;"""
    with open(__file__, encoding="utf-8") as source:
        calls = source.read().split("# Functions that no call of this test reaches.")[0]
    return [name for name in sql(own).split() if not re.search(rf"\b{name}\b", calls) and name not in NOT_CALLED]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--count", type=int, default=20000, help="calls to make")
    arguments.add_argument("--seed", type=int, default=None, help="repeats a run")
    arguments.add_argument("--show", help="prints the calls with this SQLSTATE")
    chosen = arguments.parse_args()
    seed = random.SystemRandom().randrange(1 << 31) if chosen.seed is None else chosen.seed
    print(f"seed {seed}, {chosen.count} calls", flush=True)
    calls = Calls(seed)
    made = [calls.call() for _ in range(chosen.count)]

    started = sql("SELECT pg_postmaster_start_time();").strip()
    statements = (f"SELECT pg_temp.run({n}, {quoted(call)});" for n, call in enumerate(made))
    outcome = "\\echo OUTCOMES\nSELECT jsonb_build_array(n, state, message) FROM outcome ORDER BY n;"
    output = sql(PREPARE, statements, outcome)
    outcomes = [json.loads(line) for line in output.split("OUTCOMES\n", 1)[1].split("\n") if line]
    failed = [f"{name} is neither called nor in NOT_CALLED" for name in forgotten()]
    if sql("SELECT pg_postmaster_start_time();").strip() != started:
        failed.append("the server restarted")
    if len(outcomes) != chosen.count:
        failed.append(f"{len(outcomes)} outcomes of {chosen.count} calls")
    for n, state, message in outcomes:
        if state.startswith("XX"):
            failed.append(f"call {n} ended with {state} {message}\n  {made[n][:2000]}")
        if chosen.show == state:
            print(f"{state} {message}\n  {made[n][:500]}")

    counts = collections.Counter(state for _, state, _ in outcomes)
    for state, count in counts.most_common():
        example = next(message for _, s, message in outcomes if s == state)
        print(f"  {state} {count:6d}  {(example or 'answered').splitlines()[0][:100]}")
    # Calls that are all refused would test the first check of each function only.
    if counts["00000"] < chosen.count * 0.15:
        failed.append(f"only {counts['00000']} of {chosen.count} calls were answered: the calls have become too wrong")
    for failure in failed:
        print(f"FAILED: {failure}", file=sys.stderr)
    if failed:
        print(f"repeat it with --seed {seed} --count {chosen.count}", file=sys.stderr)
        sys.exit(1)
    print(f"{len(outcomes)} passed, 0 failed")


def sql(*script):
    """Runs a script in one session; the calls' own errors are caught in it, so any error here ends the test.

    Its parts go to psql one by one: 20,000 calls are 2 GB of text, and as one string of Python several times as much.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        command = ["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=errors) as session:
            try:
                for parts in script:
                    for part in [parts] if isinstance(parts, str) else parts:
                        session.stdin.write(part.encode() + b"\n")
                session.stdin.close()
            except BrokenPipeError:
                pass  # psql says why
        errors.seek(0)
        output.seek(0)
        if session.returncode != 0:
            said = errors.read().decode(errors="replace")[-3000:]
            print(f"FAILED: the session ended with {session.returncode}\n{said}", file=sys.stderr)
            sys.exit(1)
        return output.read().decode()


if __name__ == "__main__":
    main()
