"""The page on partitioning a store, with its statements unchanged: the store gives the same answers before and after,
and no concurrent write is lost."""

import random
import re
import threading
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from harness.server import Server, Servers

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "partitioning.md"
LOCK_TIMEOUT = "55P03"
# The kinds of the page's steps: preparation, the copy, catching up, the exchange.
BESIDE, COPY, CATCH_UP, EXCHANGE = "beside", "copy", "catch up", "exchange"
ANSWERS = """
    SELECT string_agg(memory_search(m, q, 10, 3, filters => f, store => 'large', options => jsonb_build_object(
        'asOf', '2040-01-01T00:00:00Z', 'boosts', '{"popularity": 0.2}'::jsonb, 'strategy', s))::text, E'\\n')
      FROM unnest('{m0,m1,m2,m3,m4}'::text[]) m, unnest('{hybrid,keyword,recent}'::text[]) s,
        unnest('{"","a quiet hotel","when does the train leave?"}'::text[]) q,
        (VALUES ('{}'::jsonb), ('{"tags": ["t1"]}')) f (f)"""
ROWS = """
    SELECT (SELECT md5(string_agg(e::text, '|' ORDER BY memory_id, entry_id)) FROM large.entries e)
      || (SELECT md5(string_agg(c::text, '|' ORDER BY memory_id, context_id)) FROM large.contexts c)
      || (SELECT md5(string_agg(a::text, '|' ORDER BY memory_id, entry_id)) FROM large.entry_access a)
      || (SELECT md5(string_agg(l::text, '|' ORDER BY memory_id, from_entry, to_entry, kind)) FROM large.links l)
      || (SELECT md5(string_agg(n::text, '|' ORDER BY memory_id, alias)) FROM large.aliases n)"""
FILL = """
    SELECT memory_create_store('large', 64);
    SELECT memory_add_many('m' || m, (SELECT jsonb_agg(jsonb_build_object(
        'entryId', md5(m || '-' || n)::uuid, 'rawEntry', 'Note ' || n || ' of a hotel, a train and tea ' || n % 7,
        'userId', 'u' || n % 3, 'tags', jsonb_build_array('t' || n % 4), 'entryKey', 'k' || n,
        'embedding', (SELECT jsonb_agg(sin(n * 7 + d * m)) FROM generate_series(1, 64) d),
        'creationTime', timestamptz '2026-01-01Z' + n * interval '1 hour') ORDER BY n)
      FROM generate_series(1, 60) n), store => 'large') IS NULL FROM generate_series(0, 4) m;
    SELECT memory_touch('m1', ARRAY[md5('1-3')::uuid, md5('1-4')::uuid], store => 'large');
    SELECT memory_put_context('m1', 'They plan a garden.', store => 'large');
    SELECT memory_add('m2', 'A hotel by the sea', context => 'They travel.', store => 'large');
    SELECT memory_supersede('m3', md5('3-1')::uuid, md5('3-2')::uuid, store => 'large');
    SELECT memory_delete('m4', ARRAY[md5('4-1')::uuid], store => 'large');
    SELECT memory_link('m0', md5('0-' || n)::uuid, md5('0-' || n + 7)::uuid, 'k' || n % 2, 0.5, store => 'large')
      FROM generate_series(1, 50) n;
    SELECT memory_alias('m0', 'Mum', 'Anna Weber', 'large');
    -- An inserted row that was deleted: the next entry comes after it.
    INSERT INTO large.entries (memory_id, raw_entry) VALUES ('gone', 'gone');
    DELETE FROM large.entries WHERE memory_id = 'gone'"""


def steps() -> list[tuple[str, str]]:
    """The statements of the page's steps, a block each, with what they do."""
    text = PAGE.read_text()
    text = text[text.index("\n## 1. ") : text.index("The store now has its name")]
    found = []
    for block in re.findall(r"^```sql\n(.*?)^```$", text, re.S | re.M):
        kind = BESIDE
        for mark, name in (("large_new.copy();", COPY), ("large_new.catch_up();", CATCH_UP), ("LOCK TABLE", EXCHANGE)):
            kind = name if mark in block else kind
        found.append((kind, block))
    return found


def statements(block: str) -> list[str]:
    """The statements of a block, which a client sends one by one."""
    parts = re.split(r";\n(?=(?:[^$]*\$\$[^$]*\$\$)*[^$]*\Z)", block + "\n") if "$$" not in block else [block]
    return [part for part in parts if part.strip()]


def run(server: Server, kinds: set[str], tries: int = 60) -> None:
    """Runs steps of the page, in a session each; the exchange again until it has its locks."""
    for kind, block in steps():
        if kind not in kinds:
            continue
        for attempt in range(tries if kind == EXCHANGE else 1):
            with server.session() as session:
                try:
                    for statement in statements(block):
                        session.run(statement)
                    break
                except psycopg.errors.LockNotAvailable:
                    assert kind == EXCHANGE and attempt < tries - 1, f"no locks after {tries} tries"
            time.sleep(0.05)


@pytest.fixture
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    server.run(FILL)
    return server


def test_the_page_has_the_steps_that_are_tested():
    kinds = [kind for kind, _ in steps()]
    assert [kinds.count(kind) for kind in (COPY, CATCH_UP, EXCHANGE)] == [1, 1, 1], f"the steps of the page: {kinds}"


def test_a_store_says_the_same_before_and_after(server: Server):
    server.run("""
        CREATE ROLE reader; CREATE ROLE columns; CREATE ROLE writer;
        SELECT memory_grant('large', 'reader'), memory_grant('large', 'writer', 'writer');
        SELECT memory_enable_row_security('large');
        GRANT USAGE ON SCHEMA large TO columns;
        GRANT SELECT (memory_id, raw_entry), UPDATE (importance) ON large.entries TO columns WITH GRANT OPTION;
        CREATE POLICY of_columns ON large.entries AS RESTRICTIVE FOR SELECT TO columns, writer
          USING (EXISTS (SELECT FROM large.contexts c WHERE c.memory_id = entries.memory_id));
        ALTER TABLE large.contexts FORCE ROW LEVEL SECURITY;
        ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO columns""")
    catalogs = """
        SELECT jsonb_agg(to_jsonb(t) ORDER BY t.place) FROM (
          SELECT 'policy ' || policyname || tablename AS place, to_jsonb(p) AS it
            FROM pg_policies p WHERE schemaname = 'large'
          UNION ALL SELECT 'acl ' || relname || a::text, to_jsonb(relname::text) FROM pg_class, aclexplode(relacl) a
            WHERE relnamespace = 'large'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
              AND a.grantee <> relowner
          UNION ALL SELECT 'column ' || attname || attacl::text, to_jsonb(attname::text) FROM pg_attribute a
            WHERE attrelid = 'large.entries'::regclass AND attacl IS NOT NULL
          UNION ALL SELECT 'table ' || relname, to_jsonb(relrowsecurity::text || relforcerowsecurity) FROM pg_class
            WHERE relnamespace = 'large'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition) t"""

    def said() -> list[str]:
        users = [server.by(settings={"role": "reader", "memory_search.user_id": user}) for user in ("u0", "u1", "")]
        return [server.value(ANSWERS), server.value(ROWS), server.value(catalogs), *(by.value(ANSWERS) for by in users)]

    before = said()
    told = ('"rawEntry"' in before[0], "They plan a garden." in before[0], '"rawEntry"' in before[3])
    assert told == (True, True, True), "there is much to say, also to a user"
    last = server.value("""
        SELECT pg_sequence_last_value(pg_get_serial_sequence('large.entries', 'entry_order')::regclass)""")
    with server.session() as session:
        assert session.value(ANSWERS) == before[0], "a session that knows the store as it was"
        run(server, {BESIDE, COPY})
        assert said()[:2] == before[:2], "while it is copied"
        run(server, {CATCH_UP, EXCHANGE})
        assert session.value(ANSWERS) == before[0], "and as it is now"
    for now, then in zip(said(), before):
        assert now == then, "the same after the exchange"
    parts = server.row("""
        SELECT count(*), count(c.relacl) FILTER (WHERE c.relacl::text LIKE '%columns%')
        FROM pg_partition_tree('large.entries') t JOIN pg_class c ON c.oid = t.relid WHERE t.isleaf""")
    assert parts == (8, 0), "the store has partitions, and default privileges give nobody one of them"
    order = server.value("INSERT INTO large.entries (memory_id, raw_entry) VALUES ('m1', 'next') RETURNING entry_order")
    assert order == last + 1, "the next entry is the next in order"
    status = server.column("SELECT name || ': ' || detail FROM memory_doctor('large') WHERE status = 'error'")
    assert status == [], "the doctor finds no error"
    refused = server.error("UPDATE large_old.entries SET importance = 1")
    assert "this is what it was before" in str(refused), "nobody writes to the old tables by mistake"
    assert server.value("SELECT to_regnamespace('large_new')") is None, "the tools are gone"


def test_an_interrupted_step_leaves_the_store_as_it_was(server: Server):
    before = [server.value(ANSWERS), server.value(ROWS)]
    run(server, {BESIDE, COPY})
    server.run("""
        CREATE INDEX mine ON large.entries (source_type);
        CREATE VIEW texts AS SELECT raw_entry FROM large.entries""")
    with pytest.raises(psycopg.Error, match="store large has what large_new lacks.*mine.*texts"):
        run(server, {EXCHANGE})
    assert [server.value(ANSWERS), server.value(ROWS)] == before, "all is as it was"
    server.run("DROP INDEX large.mine; DROP VIEW texts")
    exchange = next(block for kind, block in steps() if kind == EXCHANGE)
    with server.session() as session:
        for statement in statements(exchange)[:-1]:
            session.run(statement)
        server.run("SELECT pg_terminate_backend(%s)", session.pid)
    server.until("SELECT count(*) = 0 FROM pg_locks WHERE relation = 'large.entries'::regclass", "it is gone")
    assert [server.value(ANSWERS), server.value(ROWS)] == before, "as it was, when the exchange was cut off"
    server.run("SELECT memory_add('m1', 'One more', store => 'large')")
    run(server, {CATCH_UP, EXCHANGE})
    found = server.value("SELECT count(*) FROM large.entries WHERE memory_id = 'm1' AND raw_entry = 'One more'")
    assert found == 1, "done the second time, with what was written between"


def test_giving_up_leaves_nothing_behind(server: Server):
    before = [server.value(ANSWERS), server.value(ROWS)]
    run(server, {BESIDE, COPY, CATCH_UP})
    server.run("DROP SCHEMA large_new CASCADE")
    assert [server.value(ANSWERS), server.value(ROWS)] == before, "the store as it was"
    triggers = server.column("""
        SELECT tgname FROM pg_trigger WHERE tgrelid = 'large.entries'::regclass AND NOT tgisinternal""")
    assert triggers == [], "no trigger"


class Writer(threading.Thread):
    """Writes in all ways to its own memories, and keeps a list of the rows that must be there."""

    def __init__(self, server: Server, number: int) -> None:
        super().__init__(daemon=True)
        self.session = server.open()
        self.memory, self.chance = f"w{number}", random.Random(number)
        self.texts: dict[str, str] = {}
        self.uses: dict[str, int] = {}
        self.contexts: set[str] = set()
        self.links: set[str] = set()
        self.aliases: dict[str, str] = {}
        self.failure: Exception | None = None
        self.longest = 0.0
        self.is_over = threading.Event()

    def run(self) -> None:
        try:
            number = 0
            while not self.is_over.is_set():
                number += 1
                begun = time.monotonic()
                self.write(number)
                self.longest = max(self.longest, time.monotonic() - begun)
        except Exception as failure:
            self.failure = failure

    def write(self, number: int) -> None:
        known = self.chance.choice(sorted(self.texts)) if self.texts else None
        what = self.chance.randrange(10) if known else 0
        memory, text = self.memory, f"Text {number} of {self.memory}"
        if what in (0, 1):
            context = f"'Context {number}'" if what else "NULL"
            entry = self.session.value(f"""
                SELECT memory_add('{memory}', '{text}', context => {context}, entry_key => 'k{number}',
                  store => 'large')""")
            self.texts[entry] = text
            if what:
                self.contexts.add(f"Context {number}")
        elif what == 2:
            self.session.run(f"SELECT memory_update('{memory}', '{known}', raw_entry => '{text}', store => 'large')")
            self.texts[known] = text
        elif what == 3:
            self.session.run(f"DELETE FROM large.contexts WHERE memory_id = '{memory}' AND entry_id = '{known}'")
            self.session.run(f"DELETE FROM large.entries WHERE memory_id = '{memory}' AND entry_id = '{known}'")
            self.texts.pop(known)
            self.uses.pop(known, None)
            self.contexts = set(self.session.column(f"SELECT context FROM large.contexts WHERE memory_id = '{memory}'"))
            self.links = self.stored_links(self.session)
        elif what == 4:
            self.session.run(f"SELECT memory_touch('{memory}', ARRAY['{known}'::uuid], store => 'large')")
            self.uses[known] = self.uses.get(known, 0) + 1
        elif what == 5:
            # Deletes and inserts the same id in one transaction, and gives another key to it.
            self.session.run(f"""
                BEGIN;
                DELETE FROM large.entries WHERE memory_id = '{memory}' AND entry_id = '{known}';
                INSERT INTO large.entries (memory_id, entry_id, raw_entry) VALUES ('{memory}', '{known}', '{text}');
                COMMIT""")
            self.texts[known] = text
            self.uses.pop(known, None)
            self.contexts = set(self.session.column(f"SELECT context FROM large.contexts WHERE memory_id = '{memory}'"))
            self.links = self.stored_links(self.session)
        elif what == 6:
            # A key that wanders.
            self.session.run(f"""
                BEGIN;
                UPDATE large.entries SET entry_key = NULL WHERE memory_id = '{memory}' AND entry_key = 'wandering';
                UPDATE large.entries SET entry_key = 'wandering' WHERE memory_id = '{memory}' AND entry_id = '{known}';
                COMMIT""")
        elif what == 7:
            others = sorted(set(self.texts) - {known})
            if others:
                ends = f"'{memory}', '{known}', '{self.chance.choice(others)}'"
                weight = self.chance.randrange(1, 10) / 10
                self.session.run(f"SELECT memory_link({ends}, weight => {weight}, store => 'large')")
                if self.chance.randrange(4) == 0:
                    self.session.run(f"SELECT memory_unlink({ends}, store => 'large')")
            self.links = self.stored_links(self.session)
        elif what == 8:
            alias = f"a{self.chance.randrange(20)}"
            self.session.run(f"SELECT memory_alias('{memory}', '{alias}', 'Entity {number}', 'large')")
            self.aliases[alias] = f"Entity {number}"
        else:
            self.session.run(f"""
                BEGIN;
                INSERT INTO large.entries (memory_id, raw_entry) VALUES ('{memory}', 'undone');
                DELETE FROM large.entries WHERE memory_id = '{memory}' AND entry_id = '{known}';
                ROLLBACK""")

    def stored_links(self, questions: Any) -> set[str]:
        return set(questions.column(f"SELECT l::text FROM large.links l WHERE memory_id = '{self.memory}'"))

    def check(self, server: Server) -> None:
        assert self.failure is None, f"{self.memory} was refused something: {self.failure}"
        rows = server.rows(f"SELECT entry_id, raw_entry FROM large.entries WHERE memory_id = '{self.memory}'")
        assert dict(rows) == self.texts, f"the entries of {self.memory}"
        uses = server.rows(f"SELECT entry_id, access_count FROM large.entry_access WHERE memory_id = '{self.memory}'")
        assert dict(uses) == self.uses, "their uses"
        contexts = server.column(f"SELECT context FROM large.contexts WHERE memory_id = '{self.memory}'")
        assert set(contexts) == self.contexts, "their contexts"
        assert self.stored_links(server) == self.links, "the links between them"
        aliases = server.rows(f"SELECT alias, entity FROM large.aliases WHERE memory_id = '{self.memory}'")
        assert dict(aliases) == self.aliases, "its aliases"


def test_no_concurrent_write_is_lost(server: Server):
    writers = [Writer(server, number) for number in range(3)]
    for writer in writers:
        writer.start()
    server.until("SELECT count(*) > 400 FROM large.entries", "they write")
    run(server, {BESIDE, COPY})
    for _ in range(3):
        time.sleep(0.3)
        run(server, {CATCH_UP})
    run(server, {EXCHANGE})
    time.sleep(0.5)
    for writer in writers:
        writer.is_over.set()
    for writer in writers:
        writer.join(60)
        writer.check(server)
        assert len(writer.texts) > 50, "much was written"
    assert server.value("SELECT count(*) FROM pg_partition_tree('large.entries') WHERE isleaf") == 8, "into partitions"
    late = server.value("""
        SELECT count(*) FROM large.entries WHERE memory_id LIKE 'w%' AND (memory_id, entry_id) NOT IN (
          SELECT memory_id, entry_id FROM large_old.entries)""")
    assert late > 0, "also after the exchange"
