"""A store with partitions shows each role exactly the rows that a plain store with the same rows shows: the policies
and privileges of its tables count, and not those of a partition."""

import pytest

from harness.elsewhere import KINDS, Stores, difference
from harness.server import Server

# Policies that the extension did not write.
FEW = {
    "entries": "importance < 60 AND tags && '{t1,t2}'",
    "contexts": "user_id <> 'u2'",
    "entry_access": "access_count < 5",
}
STORES = ("plain", "parts8")


@pytest.fixture(scope="module")
def stores(server: Server) -> Stores:
    stores = Stores(server)
    stores.add("partitioned", store="parts8", parts=8)
    stores.make_reader()
    for store in STORES:
        server.run(f"SELECT memory_grant('{store}', 'elsewhere_reader')")
        stores.secure(store)
    return stores


@pytest.fixture(scope="module")
def part(server: Server, stores: Stores) -> str:
    """The partition with the entries of m1."""
    return server.value("""
        SELECT DISTINCT c.relname::text FROM parts8.entries e JOIN pg_class c ON c.oid = e.tableoid
        WHERE e.memory_id = 'm1'""")


def differences_for(stores: Stores, user: str) -> list[str]:
    """The first answer in which the partitioned store differs from the plain one for this reader."""
    reader = stores.reader(user)
    told = [difference(*(stores.said(store, kind, reader) for store in STORES)) for kind in KINDS]
    return [said for said in told if said]


@pytest.mark.parametrize("user", ["u0", "u1", "u2"])
def test_a_user_finds_exactly_the_same_rows(stores: Stores, user: str):
    assert differences_for(stores, user) == [], f"the rows of {user}: the same bytes, other functions too"
    assert stores.users("parts8", user) == {user}, f"no entry but those of {user}"


def test_without_a_user_there_is_no_entry(stores: Stores):
    assert differences_for(stores, "") == [], "the same bytes"
    assert stores.users("parts8", "") == set(), "without a user no entry"


def test_privileges_on_partitions_make_no_difference(server: Server, stores: Stores, part: str):
    read = stores.reader("u1").sqlstate(f"SELECT count(*) FROM parts8.{part}")
    assert read == "42501", "the reader may not read a partition"
    server.run("GRANT SELECT ON ALL TABLES IN SCHEMA parts8 TO elsewhere_reader")
    assert differences_for(stores, "u1") == [], "the rows of u1, to a reader who may read partitions"


def test_policies_of_a_partition_do_not_bind_a_reader_of_the_whole_table(server: Server, stores: Stores, part: str):
    for store in STORES:
        for table, condition in FEW.items():
            server.run(f"""
                DROP POLICY memory_search_user ON {store}.{table};
                CREATE POLICY few ON {store}.{table} USING ({condition})""")
    assert differences_for(stores, "u1") == [], "policies of another kind"
    server.run(f"""
        CREATE POLICY everything ON parts8.{part} USING (true);
        ALTER TABLE parts8.{part} ENABLE ROW LEVEL SECURITY""")
    assert differences_for(stores, "u1") == [], "the same, and one of a partition that lets everything through"
    server.run(f"DROP POLICY everything ON parts8.{part}")
    for table in FEW:
        for store in STORES:
            server.run(f"ALTER TABLE {store}.{table} DISABLE ROW LEVEL SECURITY")
    # Without a policy the reader sees the same rows as the owner.
    reader = stores.reader("u1")
    told = stores.difference("parts8", by=reader)
    assert told == "", "no policy, but a partition that lets nothing through"


def test_privileges_on_columns_suffice_and_privileges_on_partitions_do_not(server: Server, stores: Stores):
    # By privileges on columns the reader may read no row as a whole.
    columns = server.value("""
        SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
        WHERE attrelid = 'parts8.entries'::regclass AND attnum > 0 AND NOT attisdropped""")
    for store in STORES:
        server.run(f"""
            REVOKE ALL ON {store}.entries FROM elsewhere_reader;
            GRANT SELECT ({columns}) ON {store}.entries TO elsewhere_reader""")
    assert stores.difference("parts8", by=stores.reader("u1")) == "", "privileges on columns"
    server.run(f"REVOKE ALL ({columns}) ON parts8.entries FROM elsewhere_reader")
    searched = stores.reader("u1").sqlstate("SELECT memory_search('m1', 'tea', store => 'parts8')")
    assert searched == "42501", "who may read the partitions alone may not search"
