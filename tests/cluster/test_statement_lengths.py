"""No statement of a search or a change is longer than 2,000 bytes: a longer one takes long to plan, and is hard to
read. The server's log has the whole text of each statement that it runs."""

import json
import re

import psycopg
import pytest

from harness.access import Session
from harness.server import Server, Servers

LONGEST = 2000  # bytes
# The test's own statements have it, those of the extension do not.
MARK = "/* asked by the test */"
ENTRIES = 40

# Stores, each with what makes it of a store with entries and contexts.
STORES = {
    "own": "",
    "by_rows": "DROP INDEX by_rows.entries_memory, by_rows.contexts_memory",
    "recorded": "SELECT memory_keep_history('recorded'), memory_notify('recorded')",
    "secured": "SELECT memory_enable_row_security('secured')",
    "under_policies": """
        ALTER TABLE under_policies.entries ENABLE ROW LEVEL SECURITY;
        CREATE POLICY few ON under_policies.entries USING (importance < 90 AND user_id = 'u1')""",
    "parts": "",
}
ADOPTED = {"adopted": "true", "adopted_by_rows": "false"}

# Stores that a role under their policies searches.
BOUND = ("secured", "under_policies")

# Statements that are longer, each with what tells it, the most bytes that it may have, and why it is no shorter.
EXCEPTIONS = {
    # Each column has a name, an array and a new value, and four columns of the embeddings ask whether the text stays the
    # same; the embeddings of passages take a subquery. Asked once, it would be a subquery, which Citus takes in no INSERT; asked before, another session's row with
    # the key might come in between.
    "insertion of entries": (r"^INSERT INTO \w+\.entries AS e", 3750),
    # The contexts of a batch, the entries that get them, and the locks of both: a second statement would have another
    # snapshot, in which an entry may have got a context that the first one did not lock.
    "contexts of entries that a purge removes": (r"^WITH those AS MATERIALIZED .* next AS MATERIALIZED", 2500),
    # The contexts, whether others have their texts, and the entries that lose them have one snapshot: an entry that got
    # the text between two statements would keep it.
    "contexts that a purge removes": (r"^WITH due AS MATERIALIZED", 2800),
    # Entries of a user, their contexts, and the contexts that go to other entries have one snapshot: an entry that became
    # the user's between two statements would take a context with it that another entry carries.
    "erasure of a user": (r"^WITH those AS \(SELECT r\.memory_id, r\.entry_id .* going AS ", 3300),
    # The statement compares its rows once, and the counts then decide whether it notifies by entry, by memory or at
    # once. Rows kept for a second statement would be held in memory.
    "notification, sent by a trigger": (r"^\s*WITH changes AS MATERIALIZED", 3250),
}

WAYS = [
    {},
    {"strategy": "hybrid", "neighbours": {"before": 2, "after": 1}, "expand": True, "dedupThreshold": 0.9},
    {"strategy": "semantic", "includeSuperseded": True},
    {"strategy": "keyword", "match": "all", "boosts": {"popularity": 0.2}},
    {"strategy": "recent"},
    {"strategy": "recent", "includeSuperseded": True, "validAt": "2025-06-01T00:00:00Z"},
]
FILTERS = [
    {},
    {
        "userId": "u1",
        "agentId": "a",
        "sourceType": ["chat", "email"],
        "tags": ["t1", "t2"],
        "minImportance": 10,
        "createdAfter": "2024-01-01T00:00:00Z",
        "createdBefore": "2027-01-01T00:00:00Z",
        "metadata": {"kind": 1},
        "accessCount": {"$gte": 0},
        "entities": ["Ada", "Bob"],
        "sessionId": "s1",
    },
]


def entry(number: int) -> str:
    return f"lpad('{number}', 32, '0')::uuid"


def searches(store: str) -> list[str]:
    calls = []
    for options in WAYS:
        for filters in FILTERS:
            asked = f"options => '{json.dumps(options)}', filters => '{json.dumps(filters)}', store => '{store}'"
            rows_asked = asked.replace(f'"neighbours": {json.dumps(options.get("neighbours"))}, ', "")
            calls += [
                f"memory_search('m', 'kite lantern', 5, 3, {asked})",
                f"memory_search(ARRAY['m', 'n'], 'kite', 5, 3, {asked})",
                f"memory_search_entries('m', 'kite', 5, {rows_asked})",
                f"memory_explain('m', 'kite', 5, {asked})",
            ]
    filters = json.dumps(FILTERS[1])
    return calls + [
        f"memory_explain('m', 'kite', 5, entry_id => '{7:032d}', store => '{store}')",
        f"memory_build_context('m', 'kite', store => '{store}')",
        f"memory_facets('m', 'kite', '{{tags,source_type,metadata.kind}}', store => '{store}')",
        f"memory_about('m', 'Ada', store => '{store}')",
        f"memory_entities('m', store => '{store}')",
        f"memory_get('m', ARRAY[{entry(3)}, {entry(4)}], store => '{store}')",
        f"memory_count('m', '{filters}', store => '{store}')",
        f"memory_related('m', '{1:032d}', store => '{store}')",
        f"memory_links('m', '{1:032d}', store => '{store}')",
        f"memory_aliases('m', store => '{store}')",
    ]


def counts(store: str) -> list[str]:
    return [
        f"memory_recall('m', 'kite', 5, store => '{store}')",
        f"memory_touch('m', ARRAY[{entry(3)}, {entry(4)}], '{store}')",
        f"memory_feedback('m', ARRAY[{entry(3)}, {entry(4)}], 1, '{store}')",
        f"memory_link('m', '{1:032d}', '{2:032d}', metadata => '{{}}', store => '{store}')",
        f"memory_unlink('m', '{1:032d}', '{2:032d}', store => '{store}')",
        f"memory_alias('m', 'Addie', 'Ada', '{store}')",
        f"memory_unalias('m', 'Addie', '{store}')",
        f"memory_put_context('m', 'said', user_id => 'u1', store => '{store}')",
    ]


def changes(store: str) -> list[str]:
    new = [
        {"rawEntry": f"kite {n}", "userId": "u1", "entryKey": f"k{n}", "context": "c"}
        for n in range(3)
    ]
    new[0]["rawEntry"] = "kite " * 250  # with passages
    every = """'kite', summary => 'k', context => 'flying', tags => '{t1}', metadata => '{"kind": 1}', importance => 10,
      user_id => 'u1', agent_id => 'a', source_type => 'chat', session_id => 's1'"""
    filters = json.dumps(FILTERS[1])
    return [
        f"memory_add('m', {every}, entry_key => 'key', store => '{store}')",
        f"memory_add('m', {every}, entry_key => 'key', store => '{store}')",
        f"memory_add('m', {every}, store => '{store}')",
        f"memory_add_many('m', '{json.dumps(new)}', store => '{store}')",
        f"memory_add_many('m', '{json.dumps(new)}', store => '{store}')",
        f"memory_import('x', (SELECT jsonb_agg(line) FROM exported), store => '{store}')",
        f"memory_update('m', {entry(3)}, raw_entry => 'kite', summary => 's', tags => '{{t}}', metadata => '{{}}',"
        f" importance => 3, store => '{store}')",
        f"memory_supersede('m', {entry(5)}, {entry(6)}, '{store}')",
        f"memory_delete('m', ARRAY[{entry(7)}, {entry(8)}], store => '{store}')",
        f"memory_restore('m', ARRAY[{entry(7)}], store => '{store}')",
        f"memory_delete_where('m', '{filters}', false, '{store}')",
        f"memory_delete_contexts('m', ARRAY(SELECT context_id FROM {store}.contexts LIMIT 1), '{store}')",
        f"memory_restore_contexts('m', ARRAY(SELECT context_id FROM {store}.contexts LIMIT 1), '{store}')",
        f"memory_embed_pending(store => '{store}')",
        f"memory_reembed(store => '{store}')",
        f"memory_delete('m', whole_memory => true, store => '{store}')",
        f"memory_restore('m', whole_memory => true, store => '{store}')",
        f"memory_delete('m', whole_memory => true, store => '{store}')",
        f"memory_purge(now() + '1 day', store => '{store}')",
        f"memory_forget_user('u1', '{store}')",
    ]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """The stores, filled; adopted tables; and a role under policies."""
    server = servers.start("shared_preload_libraries = 'auto_explain'", "auto_explain.log_nested_statements = on")
    server.create_extension()
    server.run("CREATE ROLE app")
    for store, made in STORES.items():
        partitions = ", partitions => 4" if store == "parts" else ""
        server.run(f"SELECT memory_create_store('{store}'{partitions})")
        server.run(f"""
            INSERT INTO {store}.entries (memory_id, entry_id, raw_entry, context, tags, entities, metadata, user_id,
                agent_id, source_type, session_id, creation_time)
              SELECT CASE WHEN n % 10 = 9 THEN 'n' ELSE 'm' END, lpad(n::text, 32, '0')::uuid, 'kite lantern ' || n,
                'flying ' || n, '{{t1}}', '{{Ada}}', '{{"kind": 1}}', 'u1', 'a', 'chat', 's1',
                timestamptz '2025-01-01Z' + n * interval '1 hour'
              FROM generate_series(1, {ENTRIES}) n;
            INSERT INTO {store}.contexts (memory_id, context, user_id)
              SELECT 'm', 'flying ' || n, 'u1' FROM generate_series(1, 5) n;
            UPDATE {store}.entries SET superseded_by = {entry(2)}, superseded_time = '2025-02-01Z'
              WHERE entry_id = {entry(1)};
            {made}""")
        server.run(f"SELECT memory_embed_pending(store => '{store}')")
        server.run(f"SELECT memory_grant('{store}', 'app', 'writer')")
    server.run(f"""
        CREATE TABLE exported AS SELECT memory_export('m', store => 'own') AS line;
        GRANT SELECT ON exported TO app;
        CREATE TABLE log (no uuid PRIMARY KEY, chat text, said text, by text, at timestamptz, v halfvec(256));
        INSERT INTO log SELECT entry_id, memory_id, raw_entry, user_id, creation_time, embedding FROM own.entries;
        CREATE TABLE log_by_rows (LIKE log INCLUDING ALL);
        INSERT INTO log_by_rows TABLE log""")
    for store, with_index in ADOPTED.items():
        table = store.replace("adopted", "log")
        columns = '{"memory_id": "chat", "entry_id": "no", "raw_entry": "said", "user_id": "by", "creation_time": "at",'
        columns += ' "embedding": "v"}'
        server.run(f"SELECT memory_adopt_table('{store}', '{table}', '{columns}', with_index => {with_index})")
    return server


def refusal(session: Session, sql: str) -> psycopg.Error | None:
    try:
        session.run(sql)
    except psycopg.Error as error:
        return error
    return None


def sent(server: Server, calls: list[str], settings: dict[str, str]) -> set[str]:
    """The statements that the extension sends in these calls."""
    before = len(server.log)
    logged = {"auto_explain.log_min_duration": "0", "auto_explain.log_format": "json", "log_error_verbosity": "terse"}
    with server.by(settings=logged).session() as session:
        for name, value in settings.items():
            session.run(f"SELECT set_config('{name}', '{value}', false) {MARK}")
        refused = [(call, str(error)) for call in calls if (error := refusal(session, f"SELECT {call} {MARK}"))]
    assert refused == [], "no call is refused"
    texts = re.findall(r'"Query Text": ("(?:[^"\\]|\\.)*")', server.log[before:])
    statements = {text for text in map(json.loads, texts) if MARK not in text}
    assert len(statements) > 10, "the statements are in the log"
    return statements


def calls_of(store: str) -> list[str]:
    if store not in ADOPTED:
        return searches(store) + counts(store) + changes(store)
    # Its entries have no interval, and only the application changes them.
    return [call for call in searches(store) if "validAt" not in call] + counts(store)


@pytest.fixture(scope="module")
def statements(server: Server) -> dict[str, set[str]]:
    """The statements of the extension for each store."""
    bound = {"memory_search.user_id": "u1", "role": "app"}
    found = {}
    for store in ("own", "by_rows", "parts"):
        found[f"{store}, serializable"] = sent(
            server, searches(store), {"default_transaction_isolation": "serializable"}
        )
    for store in [*STORES, *ADOPTED]:
        calls = calls_of(store)
        if store in BOUND:
            # A user that policies bind may not forget one.
            calls = [call for call in calls if "forget_user" not in call]
        found[store] = sent(server, calls, bound if store in BOUND else {})
    return found


def exception(text: str) -> str | None:
    return next((name for name, (pattern, _) in EXCEPTIONS.items() if re.search(pattern, text)), None)


def longest(text: str) -> int:
    """The greatest permitted length of the statement."""
    return EXCEPTIONS[name][1] if (name := exception(text)) else LONGEST


def test_statements_are_short(statements: dict[str, set[str]], say):
    for store, texts in statements.items():
        sizes = sorted(((len(text.encode()), text) for text in texts), reverse=True)
        say(f"  {store}: {len(texts)} statements, the longest has {sizes[0][0]} bytes")
        too_long = [f"{size} bytes: {text}" for size, text in sizes if size > longest(text)]
        assert too_long == [], f"{store}: no statement is longer than {LONGEST} bytes, or than its exception"


def test_every_exception_is_needed(statements: dict[str, set[str]], say):
    needed: dict[str, int] = {}
    for text in set().union(*statements.values()):
        if len(text.encode()) > LONGEST and (name := exception(text)):
            needed[name] = max(needed.get(name, 0), len(text.encode()))
    for name, size in sorted(needed.items(), key=lambda of: -of[1]):
        say(f"  {size} bytes: {name}")
    assert sorted(EXCEPTIONS) == sorted(needed), "a statement that has become short is no exception any more"
