"""The model's cost for each session, with and without shared_preload_libraries: the pages that its first call touches
(unlike its time, the same on every machine) and private memory.

BY_THE_CLOCK=1 also checks the milliseconds of the first call, on a machine that does nothing else."""

import os

import pytest

from harness import stores
from harness.server import Server, Servers

ONE = "SELECT vector_dims(memory_embed('a small hotel near the beach'))"
MANY = "SELECT count(memory_embed('text number ' || n)) FROM generate_series(1, 2000) n"
HASH = "SELECT md5(memory_embed('a small hotel near the beach')::text)"
# Kilobytes of private memory of a session. Dirty pages alone: the clean ones are the model's file, which all sessions
# share.
PRIVATE_KB = r"""
    SELECT (regexp_match(pg_read_file('/proc/self/smaps_rollup'), 'Private_Dirty: +(\d+) kB'))[1]::bigint"""
# Pages that a process touched for the first time, its own and shared ones. Loading a model touches all of its pages.
TOUCHED_PAGES = "SELECT split_part(pg_read_file('/proc/self/stat'), ' ', 10)::bigint"


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """Without preload."""
    server = servers.start()
    server.create_extension()
    return server


@pytest.fixture(scope="module")
def preloaded(servers: Servers) -> Server:
    server = servers.start("shared_preload_libraries = 'memory_search'")
    server.create_extension()
    return server


def growth(server: Server, number: str, statement: str) -> int:
    """The growth of one of these numbers in a new session by a statement."""
    with server.session() as session:
        before = session.value(number)
        session.run(statement)
        return session.value(number) - before


def first_call(server: Server) -> float:
    """Milliseconds of a new session's first memory_embed: the best of five, because other programs run too."""

    def once() -> float:
        with server.session() as session:
            session.run("""
                DO $$
                DECLARE began timestamptz := clock_timestamp();
                BEGIN
                  PERFORM memory_embed('a small hotel near the beach');
                  PERFORM set_config('test.took', extract(epoch FROM clock_timestamp() - began)::text, false);
                END $$""")
            return 1000 * session.value("SELECT current_setting('test.took')::float8")

    return min(once() for _ in range(5))


def test_preloading_spares_a_session_pages_memory_and_time(server: Server, preloaded: Server, say):
    touched = growth(server, TOUCHED_PAGES, ONE)
    assert touched <= 12000, "without preload: pages touched by one call"
    assert growth(server, PRIVATE_KB, ONE) <= 30720, "without preload: private memory in kB after one call"
    assert growth(server, PRIVATE_KB, MANY) <= 36864, "without preload: private memory in kB after 2,000 calls"

    assert preloaded.value("SHOW memory_search.model") == "wordllama", "the library is loaded before any call"
    assert growth(preloaded, TOUCHED_PAGES, ONE) <= touched // 10, "with preload: pages touched by one call, a tenth"
    assert growth(preloaded, PRIVATE_KB, ONE) <= 4096, "with preload: private memory in kB after one call"
    assert growth(preloaded, PRIVATE_KB, MANY) <= 8192, "with preload: private memory in kB after 2,000 calls"
    without, with_it = first_call(server), first_call(preloaded)
    say(f"  first call in ms: {without:.2f} without preload, {with_it:.2f} with it")
    if os.environ.get("BY_THE_CLOCK"):
        assert without <= 150, "without preload: first call in ms"
        assert with_it <= 5, "with preload: first call in ms"


def test_preloading_changes_no_embedding(server: Server, preloaded: Server):
    assert server.value(HASH) == preloaded.value(HASH), "the same embedding with and without preload"


def test_forked_sessions_share_the_model_and_not_its_setting(preloaded: Server):
    stores.fill(preloaded)
    for _ in range(3):
        assert len(stores.documents(preloaded)) == 10, "10 documents from a new session"

    def strategies(model: str) -> list[str]:
        return preloaded.by(settings={"memory_search.model": model}).column("""
            SELECT DISTINCT e->>'strategy'
            FROM jsonb_array_elements(memory_search('m', 'tea', store => 's')->'entries') e""")

    assert strategies("") == ["keyword"], "a session without a model searches by words"
    assert strategies("wordllama") == ["hybrid"], "the next has it again"
