"""A store with partitions gives the same answers to the last byte, and memory_doctor finds nothing, after a dump and
restore in any format and steps, and after an export and import into a store with another number of partitions or
none."""

from pathlib import Path

import pytest

from harness.access import Access
from harness.dumps import new_database, restore
from harness.server import Server

MEMORIES = [f"m{number}" for number in range(12)]
AS_OF = '"asOf": "2040-01-01T00:00:00Z", "boosts": {"popularity": 0.2}'
ANSWERS = f"""
    SELECT memory_search(m, q, 10, 3, filters => f, options => '{{{AS_OF}}}', store => '{{store}}')
    FROM unnest('{{{{{",".join(MEMORIES)}}}}}'::text[]) m, unnest(ARRAY['', 'a quiet hotel', 'when does it leave?']) q,
      (VALUES ('{{}}'::jsonb), ('{{"tags": ["t1"]}}')) f (f) ORDER BY m, q, f""".replace("{{}}", "{}")
FILL = """
    SELECT memory_add_many('{memory}', (SELECT jsonb_agg(jsonb_build_object(
        'entryId', md5('{memory}' || n)::uuid, 'rawEntry', 'Note ' || n || ' of a hotel, a train and tea ' || n % 7,
        'context', CASE WHEN n % 10 = 1 THEN 'They plan a trip, part ' || n END, 'tags', jsonb_build_array('t' || n % 4),
        'creationTime', timestamptz '2026-01-01Z' + n * interval '1 hour') ORDER BY n)
      FROM generate_series(1, 40) n), store => 'parts');
    SELECT memory_touch('{memory}', ARRAY[md5('{memory}' || 3)::uuid, md5('{memory}' || 4)::uuid], store => 'parts');
    SELECT memory_supersede('{memory}', md5('{memory}' || 5)::uuid, md5('{memory}' || 6)::uuid, store => 'parts');
    SELECT memory_delete('{memory}', ARRAY[md5('{memory}' || 7)::uuid], store => 'parts')"""

# The warnings of the doctor about the source.
WARNED: list[tuple] = []


def answers(access: Access, store: str = "parts") -> list[str]:
    return access.column(ANSWERS.replace("{store}", store))


@pytest.fixture(scope="module")
def before(server: Server) -> list[str]:
    server.run("SELECT memory_create_store('parts', partitions => 4)")
    for memory in MEMORIES:
        server.run(FILL.format(memory=memory))
    server.run("ANALYZE")
    WARNED.extend(server.rows("SELECT name, status, detail, fix FROM memory_doctor('parts') WHERE status <> 'ok'"))
    said = answers(server.access)
    assert len(set(said)) == len(said) == 72, "72 different answers"
    return said


def check(copy: Access, before: list[str], how: str) -> None:
    assert answers(copy) == before, f"{how}: the same bytes"
    # Autovacuum may not have seen the tables yet: the answers are the same without statistics and with them.
    copy.run("ANALYZE")
    assert answers(copy) == before, f"{how}: the same bytes with statistics"
    parts = copy.column("SELECT DISTINCT tableoid::regclass::text FROM parts.entries ORDER BY 1")
    assert parts == [f"parts.entries_{number}" for number in range(4)], f"{how}: in four partitions"
    found = copy.rows("SELECT name, status, detail, fix FROM memory_doctor('parts') WHERE status <> 'ok'")
    assert found == WARNED, f"{how}: the doctor finds what it finds of the source"
    indexes = copy.column("""
        SELECT c.oid::regclass::text FROM pg_class c JOIN pg_am m ON m.oid = c.relam
         WHERE m.amname = 'memory_search' AND c.relkind = 'i'""")
    assert len(indexes) == 8, f"{how}: each partition of entries and of contexts has a memory index"
    for index in indexes:
        assert copy.rows(f"SELECT * FROM memory_index_check('{index}')"), f"{how}: {index} is sound"
    copy.run("SELECT memory_add('m1', 'added to the copy', store => 'parts')")
    by_words = """options => '{"strategy": "keyword"}'"""
    added = copy.value(f"SELECT raw_entry FROM memory_search_entries('m1', 'added', 1, {by_words}, store => 'parts')")
    assert added == "added to the copy", f"{how}: what is added to the copy is found"


def test_a_plain_dump(server: Server, before: list[str]):
    copy = new_database(server, "plain_copy")
    restore(server, copy, server.program("pg_dump"))
    check(copy, before, "plain")


def test_a_plain_dump_that_goes_by_the_root(server: Server, before: list[str]):
    copy = new_database(server, "root_copy")
    restore(server, copy, server.program("pg_dump", "--load-via-partition-root"))
    check(copy, before, "by the root")


def test_a_dump_in_custom_format(server: Server, before: list[str]):
    archive: Path = server.folder / "parts"
    server.program("pg_dump", "-Fc", "-f", archive)
    copy = new_database(server, "custom_copy")
    server.program("pg_restore", "--exit-on-error", "-d", "custom_copy", archive)
    check(copy, before, "custom")


def test_a_reload_by_two_jobs_in_three_steps(server: Server, before: list[str]):
    folder: Path = server.folder / "parts_folder"
    server.program("pg_dump", "-Fd", "-j", "2", "-f", folder)
    copy = new_database(server, "steps_copy")
    for section in ("pre-data", "data", "post-data"):
        if section == "post-data":
            assert answers(copy) == before, "without an index: the same bytes"
        server.program(
            "pg_restore", "--exit-on-error", "-j", "2", f"--section={section}", "-d", "steps_copy", folder
        )
    check(copy, before, "in steps")


@pytest.mark.parametrize("partitions", ["NULL", "4", "7"])
def test_an_export_is_imported_into_any_number_of_partitions(server: Server, before: list[str], partitions: str):
    store = f"imported_{partitions.lower()}"
    server.run(f"SELECT memory_create_store('{store}', partitions => {partitions})")
    for memory in MEMORIES:
        lines = f"(SELECT jsonb_agg(line) FROM memory_export('{memory}', store => 'parts') line)"
        assert server.value(f"SELECT memory_import('{memory}', {lines}, store => '{store}')") > 40, "lines"
    assert answers(server.access, store) == before, "the same bytes"
