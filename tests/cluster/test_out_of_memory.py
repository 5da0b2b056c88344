"""The system gives a session no more memory. Its call ends with an error, and no process ends; the end of one process
would end every session of the server."""

import os
import resource

import psycopg
import pytest

from harness.access import Session
from harness.server import Server, Servers

MB = 1 << 20
ENTRIES = 60_000
# The memory that the session may allocate in addition to its present memory: from less than a search allocates at its
# start to more than all calls of this test need. LONG=1 tests every headroom, and each call takes its seconds with each.
HEADROOMS_MB = (1, 8, 15, *range(16, 34, 2), 40, 48, 56, 64, 72, *range(74, 92, 3), 100, 120, 160)
if not os.environ.get("LONG"):
    HEADROOMS_MB = (*HEADROOMS_MB[::2], HEADROOMS_MB[-1])
VECTOR = "(SELECT array_agg(sin(g)::real ORDER BY g) FROM generate_series(1, 16) g)"
OPTIONS = '{"candidates": 10000, "fallback": false%s}'
CALLS = {
    "by words": f"""SELECT memory_search('huge', 'entry', options => '{OPTIONS % ', "strategy": "keyword"'}', store => 's')""",
    "by meaning, alike left out": f"""SELECT memory_search('huge', '', embedding => {VECTOR},
        options => '{OPTIONS % ', "strategy": "semantic", "dedupThreshold": 0.5'}', store => 's')""",
    "explained": f"""SELECT count(*) FROM memory_explain('huge', 'entry', embedding => {VECTOR},
        options => '{OPTIONS % ""}', store => 's')""",
    "embedded": "SELECT memory_embed('an entry of some words')",
    "an empty memory": "SELECT memory_search('nobody', 'entry', store => 's')",
    "listed": "SELECT count(*) FROM memory_list('huge', page_size => 1000, store => 's')",
    "fetched by ids": """SELECT count(*) FROM memory_get('huge',
        (SELECT array_agg(id) FROM unnest(ARRAY(SELECT entry_id FROM s.entries LIMIT 10000)) id), store => 's')""",
    "exported": "SELECT count(*) FROM memory_export('huge', store => 's')",
    "added": """SET memory_search.embed_on_write = off; SELECT count(*) FROM memory_add_many('more', (SELECT
        jsonb_agg(jsonb_build_object('rawEntry', 'an entry ' || n)) FROM generate_series(1, 5000) n), store => 's')""",
    "the index proved": "SELECT count(*) FROM memory_index_check('s.entries_memory')",
    "the index made anew": "REINDEX INDEX s.entries_memory",
}
# Rows of many words, so that the memory index's tail is sealed several times.
INSERTED = f"""INSERT INTO s.entries (memory_id, raw_entry, embedding)
    SELECT 'new', (SELECT string_agg('word' || n * g, ' ') FROM generate_series(1, 400) g), {VECTOR}::vector
    FROM generate_series(1, 400) n"""
# An insertion asks for little at a time, so that a refusal may meet any allocation: below the reserve, and with it.
FINE_HEADROOMS_MB = [step / 24 for step in range(96)] + [16 + step / 12 for step in range(96)]
# Ours and PostgreSQL's, of a call that is refused; what limits.md says of rows; a model that cannot be mapped.
REFUSED = {None, "53200", "54000", "55000"}


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start("maintenance_work_mem = '64kB'")
    server.create_extension()
    server.run(f"""
        SELECT memory_create_store('s', 16);
        INSERT INTO s.entries (memory_id, raw_entry, embedding)
        SELECT 'huge', 'entry ' || n || ' of the many ' || n % 97,
          (SELECT array_agg(sin(n * g)::real) FROM generate_series(1, 16) g)::vector
        FROM generate_series(1, {ENTRIES}) n""")
    server.run("VACUUM ANALYZE s.entries")
    return server


def address_space(pid: int) -> int:
    """The bytes of address space that a process has."""
    with open(f"/proc/{pid}/statm") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def outcome(server: Server, session: Session, call: str, headroom_mb: float) -> str | None:
    """The SQLSTATE of a call, or None, in a session that may allocate so much more than it has."""

    def limit(address_space: int | str) -> None:
        server.as_server_user("prlimit", "--pid", str(session.pid), f"--as={address_space}:")

    limit(address_space(session.pid) + int(headroom_mb * MB))
    try:
        session.run(call)
        return None
    except psycopg.Error as error:
        return error.sqlstate
    finally:
        limit("unlimited")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_call_without_memory_ends_with_an_error_and_no_session_ends(server: Server, call: str):
    began = server.value("SELECT pg_postmaster_start_time()")
    outcomes = {}
    with server.session() as bystander:
        for headroom_mb in HEADROOMS_MB:
            with server.session() as session:
                # The libraries are loaded, the stemmer's too (58P01 is the server's where one is not); the model is not.
                session.run("SELECT memory_count('nobody', store => 's'), to_tsvector('english', 'words')")
                outcomes[headroom_mb] = outcome(server, session, call, headroom_mb)
                assert session.value("SELECT memory_count('huge', store => 's')") == ENTRIES, "the session goes on"
        assert bystander.value("SELECT 1") == 1, "no other session has ended"
    assert server.value("SELECT pg_postmaster_start_time()") == began
    assert set(outcomes.values()) <= REFUSED, outcomes
    assert outcomes[HEADROOMS_MB[0]] is not None, "too little is refused"
    assert outcomes[HEADROOMS_MB[-1]] is None, "enough is enough"


def test_an_insertion_without_memory_ends_with_an_error_and_no_session_ends(server: Server):
    began = server.value("SELECT pg_postmaster_start_time()")
    outcomes = {}
    for headroom_mb in FINE_HEADROOMS_MB:
        with server.session() as session:
            session.run("BEGIN; SELECT memory_count('nobody', store => 's'), to_tsvector('english', 'words')")
            outcomes[headroom_mb] = outcome(server, session, INSERTED, headroom_mb)
            session.run("ROLLBACK")
            assert session.value("SELECT 1") == 1, f"the session goes on after {headroom_mb} MB"
    assert server.value("SELECT pg_postmaster_start_time()") == began, "no session has ended the others"
    # The server's where it cannot load a library.
    assert set(outcomes.values()) <= REFUSED | {"58P01"}, outcomes
    assert outcomes[FINE_HEADROOMS_MB[0]] is not None, "too little is refused"
