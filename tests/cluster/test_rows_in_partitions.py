"""A store whose rows are in partitions, or in inheriting tables, gives the same bytes as a plain store with the same
rows, and locks few relations."""

import pytest

from harness.elsewhere import ANSWERS, SERIALIZABLE, Stores, difference, with_entries
from harness.server import Server

PART_OF_M1 = """
    SELECT DISTINCT c.relname::text FROM parts8.entries e JOIN pg_class c ON c.oid = e.tableoid
    WHERE e.memory_id = 'm1'"""
ASK = """
    SELECT memory_search('m1', 'tea in the garden', 10, store => 'parts8',
      options => '{"asOf": "2025-06-01T00:00:00Z"}')"""
PATH_OF_M1 = """
    SELECT memory_search('m1', 'tea in the garden', 10, store => 'parts8', options => '{"diagnostics": true}')
      #>> '{diagnostics,reads,0,path}'"""

BY_PREFIX = """
    SELECT memory_search('{{}}'::text[], 'tea in the garden', 10, store => '{store}', prefixes => '{{m}}',
      options => '{{"asOf": "2025-06-01T00:00:00Z"}}')"""


OVER_SEVERAL = """
    SELECT DISTINCT r ->> 'path' FROM jsonb_path_query(
      memory_search('{{large,m1,m2,m3}}'::text[], 'a quiet hotel', store => '{store}',
        options => '{{"diagnostics": true}}'), '$.diagnostics.reads[*]') r
    WHERE r ->> 'relation' = 'entries'"""


def paths(server: Server, store: str) -> set[str]:
    """The paths by which a search over memories in several partitions reads their entries."""
    return set(server.column(OVER_SEVERAL.format(store=store)))


@pytest.fixture(scope="module")
def stores(server: Server) -> Stores:
    stores = Stores(server)
    server.run("SELECT memory_create_store('reordered'); SELECT elsewhere.fill('reordered')")
    stores.add("partitioned", store="parts8", parts=8)
    stores.add("partitioned", store="parts64", parts=64)
    return stores


def test_the_plain_store_gives_many_answers(server: Server, stores: Stores):
    answers = stores.kept["answers"]
    assert len(answers) == ANSWERS, "answers of the plain store"
    assert with_entries(answers) > 2 / 3 * ANSWERS, "most of them with entries"
    assert sum('"contextId"' in answer for answer in answers) > ANSWERS / 3, "many with contexts"
    assert sum("word27of17 " in answer for answer in answers) > ANSWERS / 15, "some with long entries"
    read = server.row("""
        SELECT r ->> 'path', (r ->> 'distances')::int > 0
        FROM jsonb_path_query_first(memory_search('large', 'a quiet hotel', store => 'plain',
          options => '{"diagnostics": true}'), '$.diagnostics.reads[0]') r""")
    assert read == ("memory index", True), "a large memory is read by its index, distances are computed afterwards"
    assert stores.difference("reordered") == "", "a plain store whose rows lie in another order: the same bytes"


def test_partitions_give_the_same_bytes(server: Server, stores: Stores):
    rows = server.row("SELECT (SELECT count(*) FROM parts8.entries), (SELECT count(*) FROM ONLY parts8.entries)")
    assert rows == (1440, 0), "the partitions hold the rows, their table none"
    assert stores.differences("parts8") == [], "8 partitions, other functions too"
    assert stores.difference("parts64") == "", "64 partitions"
    expanded = [stores.said(store, "expanded") for store in ("plain", "parts8")]
    assert expanded[0] == expanded[1] and len(expanded[0]) == 120, "with what belongs to the best entries"
    assert sum('"association": 0.' in answer for answer in expanded[0]) > 60, "which there is"
    assert paths(server, "parts8") == paths(server, "plain") == {"memory index"}, "by the indexes of the partitions"
    by_prefix, of_plain = (server.value(BY_PREFIX.format(store=store)) for store in ("parts8", "plain"))
    assert by_prefix == of_plain and "rawEntry" in of_plain, "memories by a prefix, in several partitions"
    stores.add("uneven")
    assert stores.difference("uneven") == "", "partitions of partitions, and such as were tables before"
    assert stores.difference("parts8", by=server.by(settings=SERIALIZABLE)) == "", "8 partitions, serializable"
    generic = server.by(settings={"plan_cache_mode": "force_generic_plan"})
    assert stores.difference("parts8", by=generic) == "", "8 partitions, generic plans"


def test_a_session_follows_changes_of_partitions(server: Server, stores: Stores):
    part = server.value(PART_OF_M1)
    bound = server.value(f"SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid = 'parts8.{part}'::regclass")
    index = server.value(f"""
        SELECT h.inhrelid::regclass::text FROM pg_inherits h JOIN pg_index i ON i.indexrelid = h.inhrelid
        WHERE h.inhparent = 'parts8.entries_memory'::regclass AND i.indrelid = 'parts8.{part}'::regclass""")
    with server.session() as session:
        before = session.value(ASK)
        assert "rawEntry" in before, "an entry of m1 is found"
        for who, reindex in [("itself", session.run), ("another session", server.run)]:
            assert session.value(PATH_OF_M1) == "memory index", f"by the index of its partition, before {who} makes it again"
            reindex(f"REINDEX INDEX CONCURRENTLY {index}")
            assert session.value(PATH_OF_M1) == "memory index", f"by the index that {who} made again"
            assert session.value(ASK) == before, f"as before when {who} made an index of its partition again"
        # References to a table keep its partitions.
        session.run("BEGIN; SELECT elsewhere.drop_references('parts8')")
        session.run(f"ALTER TABLE parts8.entries DETACH PARTITION parts8.{part}")
        found = session.value("SELECT memory_search('m1', 'tea', store => 'parts8') -> 'count'")
        assert found == "0", "nothing without its partition"
        session.run(f"ALTER TABLE parts8.entries ATTACH PARTITION parts8.{part} {bound}")
        assert session.value(ASK) == before, "with it again as before"
        session.run("ROLLBACK")


def test_a_search_locks_as_many_relations_with_64_partitions_as_with_8(server: Server, stores: Stores):
    # If a search locked a relation for each partition, it would fill the server's lock table.
    few, many = (
        dict(line.split("|") for line in server.psql_file("rows_elsewhere_locks.sql", store=store).splitlines() if line)
        for store in ("parts8", "parts64")
    )
    assert len(many) == 10, "the locks of 10 ways of asking"
    # All indexes of the partitions that hold the memory are among them, as for any plan.
    assert max(int(count) for count in many.values()) <= 26, f"relations locked, 64 partitions: {many}"
    # Plans may differ by one index.
    differences = [abs(int(few[way]) - int(count)) for way, count in many.items()]
    assert max(differences) <= 2, f"as many with 8 partitions as with 64: {few} and {many}"


def test_tables_that_inherit_give_the_same_bytes(server: Server, stores: Stores):
    stores.add("inherited")
    long = server.row("""
        SELECT count(*) FILTER (WHERE tableoid = 'parent.entries'::regclass), count(*) > 80
        FROM parent.entries WHERE length(raw_entry) > 2000""")
    assert long == (0, True), "of what is long all is in the table that inherits"
    for strategy in ["keyword", "semantic", "hybrid", "recent"]:
        found = server.value(f"""
            SELECT memory_search('child', 'zither', store => 'parent',
              options => '{{"strategy": "{strategy}", "fallback": false}}') -> 'count'""")
        assert found == "2", f"a memory in a table that inherits, {strategy}: the long entry and the short one"
    assert stores.differences("parent") == [], "half of the rows in tables that inherit, other functions too"


def test_the_tids_of_rows_do_not_decide_between_entries_of_one_order(server: Server, stores: Stores):
    # All entries get the same entry_order, as entries of several servers may have, because each server numbers from 1.
    # Entries of one instant then need another order, which must not be the order of their TIDs. (An update leaves the
    # rows in their order.)
    for store in ["plain", "reordered", "parts8", "parts64"]:
        server.run(f"UPDATE {store}.entries SET entry_order = 1")
    before = stores.kept["answers"]
    stores.keep()
    assert difference(before, stores.kept["answers"]) != "", "the order says something: without it other answers"
    assert stores.difference("plain", by=server.by(settings=SERIALIZABLE)) == "", "a plain store, serializable"
    assert stores.difference("reordered") == "", "a plain store whose rows lie in another order"
    assert stores.differences("parts8") == [], "8 partitions, other functions too"
    assert stores.difference("parts64") == "", "64 partitions"


def test_a_store_with_partitions_is_made_if_partitioned_tables_can_have_an_identity(server: Server):
    make = "SELECT memory_create_store('made', 8, partitions => 2)"
    if int(server.value("SHOW server_version_num")) < 170000:
        refused = server.error(make)
        assert refused.sqlstate == "0A000" and "PostgreSQL 17" in str(refused), "refused, and it is said why"
    else:
        server.run(make)
    made = server.value("SELECT count(*) FROM pg_inherits WHERE inhparent = to_regclass('made.entries')")
    assert made == (2 if int(server.value("SHOW server_version_num")) >= 170000 else 0), "as many as were asked for"
