"""A search also calls a library that permits or logs reads, as sepgsql and pgaudit do. With such a library it reads the
rows by statements, and not in place."""

import pytest

from harness import modules
from harness.server import Server, Servers

SEARCH = """SELECT memory_search('m', 'tea', store => 's', options => '{"asOf": "2030-01-01T00:00:00Z"}')"""


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = modules.start_with(servers, "permission_hook")
    server.run("""
        SELECT memory_create_store('s');
        SELECT memory_add('m', text, store => 's') FROM unnest('{tea is green,coffee}'::text[]) text;
        SELECT FROM memory_touch('m', (SELECT array_agg(entry_id) FROM s.entries), store => 's');
        SELECT memory_put_context('m', text, store => 's') FROM unnest('{about tea,more}'::text[]) text""")
    return server


@pytest.mark.parametrize("table", ["entries", "entry_access", "contexts"])
def test_a_table_that_the_library_refuses_is_not_read(server: Server, table: str):
    error = server.error(f"SET permission_hook.refused = '{table}'; {SEARCH}")
    assert (error.sqlstate, error.diag.message_primary) == ("42501", f'the hook refuses table "{table}"'), "it is asked"


def test_a_search_that_the_library_permits_gives_the_same_bytes(server: Server):
    plain = server.value(f"BEGIN ISOLATION LEVEL SERIALIZABLE; {SEARCH}")
    assert '"accessCount": 1' in plain and "about tea" in plain, "the answer has all three"
    assert server.value(SEARCH) == plain, "a statement says what it says elsewhere"
