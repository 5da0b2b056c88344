"""A followed table with partitions: PostgreSQL demands a replica identity from each of them, and does not send what
happens to a whole partition. Also the key and the publication of the table, which somebody may change later."""

import pytest

from harness import follow
from harness.follow import Pair
from harness.server import Servers

COLUMNS = "id, at, body"
TABLE = """
    CREATE TABLE notes (id int, at date NOT NULL, body text NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
    CREATE TABLE notes_1 PARTITION OF notes FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
    CREATE TABLE notes_2 PARTITION OF notes FOR VALUES FROM ('2026-02-01') TO ('2026-04-01') PARTITION BY RANGE (at);
    CREATE TABLE notes_2a PARTITION OF notes_2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
    INSERT INTO notes SELECT n, date '2026-01-01' + n % 50, 'note ' || n FROM generate_series(1, 200) n"""


@pytest.fixture(scope="module")
def pair(servers: Servers) -> Pair:
    """A source with a table of two levels of partitions, and a follower with only the workers that a copy needs."""
    pair = follow.start(servers, "max_logical_replication_workers = 2")
    pair.source.run(TABLE)
    return pair


def follow_notes(pair: Pair) -> None:
    said = pair.done("follow", pair.url, "--table", "notes", "--text", "body", "--id", "id").err
    assert "has partitions" in said, "it says what is not sent"


def wrong(pair: Pair) -> str:
    """The lines of --status about problems."""
    said = pair.run("follow", "--status")
    assert said.code == 1, said.out
    return "\n".join(line for line in said.out.splitlines() if "WRONG" in line)


def repaired(pair: Pair) -> None:
    assert "copied anew" in pair.done("follow", "--again").err
    assert pair.differing_rows(COLUMNS, "notes") == 0
    assert pair.done("follow", "--status").code == 0


def test_a_partition_whose_rows_could_not_be_changed_any_more_is_refused(pair: Pair):
    """REPLICA IDENTITY USING INDEX is not passed on to partitions."""
    pair.source.run("""
        CREATE TABLE keyed (id int NOT NULL, body text) PARTITION BY LIST (id);
        CREATE TABLE keyed_1 PARTITION OF keyed FOR VALUES IN (1);
        CREATE UNIQUE INDEX keyed_id ON keyed (id); ALTER TABLE keyed REPLICA IDENTITY USING INDEX keyed_id;
        INSERT INTO keyed VALUES (1, 'one')""")
    words = ["follow", pair.url, "--table", "keyed", "--text", "body"]
    refused = pair.refused(*words)
    assert "partition public.keyed_1 has no replica identity" in refused and "ALTER TABLE public.keyed_1" in refused
    pair.source.run("ALTER TABLE keyed_1 REPLICA IDENTITY FULL")
    assert "keyed_1 has REPLICA IDENTITY FULL" in pair.refused(*words)
    pair.source.run("""
        ALTER TABLE keyed_1 REPLICA IDENTITY USING INDEX keyed_1_id_idx;
        CREATE UNLOGGED TABLE keyed_2 PARTITION OF keyed FOR VALUES IN (2)""")
    assert "keyed_2 of the source is unlogged" in pair.refused(*words)
    pair.source.run("DROP TABLE keyed_2")
    pair.done(*words)

    # A later partition is reported.
    pair.source.run("CREATE TABLE keyed_3 PARTITION OF keyed FOR VALUES IN (3); INSERT INTO keyed VALUES (3, 'three')")
    assert pair.source.sqlstate("UPDATE keyed SET body = 'x' WHERE id = 3") == "55000", "the source refuses"
    said = wrong(pair)
    assert "keyed_3 has no replica identity" in said and "copies anew" not in said, said
    pair.source.run(
        "ALTER TABLE keyed_3 REPLICA IDENTITY USING INDEX keyed_3_id_idx; UPDATE keyed SET body = 'changed'"
    )
    pair.catch_up()
    assert pair.differing_rows("id, body", "keyed") == 0
    assert pair.done("follow", "--status").code == 0
    pair.done("unfollow")


def test_a_further_partition_is_followed_and_one_with_rows_is_reported(pair: Pair):
    follow_notes(pair)
    pair.source.run("""
        CREATE TABLE notes_2b PARTITION OF notes_2 FOR VALUES FROM ('2026-03-01') TO ('2026-04-01');
        INSERT INTO notes VALUES (1000, '2026-03-05', 'in a new partition')""")
    pair.catch_up()
    assert pair.differing_rows(COLUMNS, "notes") == 0
    assert pair.done("follow", "--status").code == 0, "PostgreSQL sends all rows of such a partition"

    pair.source.run("""
        CREATE TABLE notes_3 (LIKE notes INCLUDING ALL);
        INSERT INTO notes_3 VALUES (2000, '2026-05-05', 'before it was attached')""")
    pair.source.run("ALTER TABLE notes ATTACH PARTITION notes_3 FOR VALUES FROM ('2026-05-01') TO ('2026-06-01')")
    pair.catch_up()
    assert pair.differing_rows(COLUMNS, "notes") == 1, "as PostgreSQL does it"
    assert "public.notes_3 was made before it was attached" in wrong(pair)
    repaired(pair)


def test_one_transaction_may_make_fill_and_attach_a_partition(pair: Pair):
    """With defaults, CREATE TABLE ... PARTITION OF writes the columns more than once."""
    pair.source.run("ALTER TABLE notes ALTER body SET DEFAULT 'none', ADD made timestamptz DEFAULT now()")
    pair.source.run("""
        BEGIN; CREATE TABLE notes_9 PARTITION OF notes FOR VALUES FROM ('2026-09-01') TO ('2026-10-01');
        INSERT INTO notes VALUES (2100, '2026-09-05', 'it is sent'); COMMIT;
        BEGIN; CREATE TABLE notes_10 (LIKE notes INCLUDING ALL);
        ALTER TABLE notes ATTACH PARTITION notes_10 FOR VALUES FROM ('2026-10-01') TO ('2026-11-01'); COMMIT""")
    pair.catch_up()
    assert pair.done("follow", "--status").code == 0, "one is empty, the other was made in its place"
    pair.source.run("INSERT INTO notes VALUES (2101, '2026-10-05', 'it is sent, too')")
    pair.catch_up()
    assert pair.differing_rows(COLUMNS, "notes") == 0
    assert pair.done("follow", "--status").code == 0

    for name, attached, month, make in [
        ("notes_11", "notes_11", 11, "CREATE TABLE notes_11 (LIKE notes INCLUDING ALL)"),
        (
            "notes_12a",
            "notes_12",
            12,
            """CREATE TABLE notes_12 (LIKE notes INCLUDING ALL) PARTITION BY RANGE (at);
            CREATE TABLE notes_12a PARTITION OF notes_12 DEFAULT""",
        ),
    ]:
        pair.source.run(f"""
            BEGIN; {make}; INSERT INTO {name} VALUES (2200, '2026-{month}-05', 'before it was attached');
            ALTER TABLE notes ATTACH PARTITION {attached} FOR VALUES FROM ('2026-{month}-01') TO ('2026-{month}-28');
            COMMIT; UPDATE {name} SET body = 'and changed'""")
        pair.catch_up()
        assert pair.differing_rows(COLUMNS, "notes") == 1, "as PostgreSQL does it"
        assert f"public.{name} was made before it was attached" in wrong(pair)
        repaired(pair)


def test_a_partition_that_is_gone_is_reported(pair: Pair):
    pair.source.run("ALTER TABLE notes DETACH PARTITION notes_3")
    pair.catch_up()
    assert pair.differing_rows(COLUMNS, "notes") == 1, "as PostgreSQL does it"
    assert "partitions were detached" in wrong(pair)
    repaired(pair)
    # Also one that was made after the copy, once it was seen.
    pair.source.run("CREATE TABLE notes_4 PARTITION OF notes FOR VALUES FROM ('2026-07-01') TO ('2026-08-01')")
    pair.source.run("INSERT INTO notes VALUES (3000, '2026-07-05', 'for a while')")
    assert pair.done("follow", "--status").code == 0
    pair.source.run("DROP TABLE notes_4, notes_1")
    assert "partitions were detached from the table of the source, or dropped (2)" in wrong(pair)
    repaired(pair)


def test_a_partition_that_was_away_for_a_while_is_reported(pair: Pair):
    pair.source.run("ALTER TABLE notes_2 DETACH PARTITION notes_2a")
    pair.source.run("INSERT INTO notes_2a VALUES (4000, '2026-02-05', 'while it was away')")
    pair.source.run("ALTER TABLE notes_2 ATTACH PARTITION notes_2a FOR VALUES FROM ('2026-02-01') TO ('2026-03-01')")
    pair.catch_up()
    assert pair.differing_rows(COLUMNS, "notes") == 1, "as PostgreSQL does it"
    assert "public.notes_2a was detached from the table of the source, and attached again" in wrong(pair)
    repaired(pair)


def test_a_look_does_not_wait_for_a_locked_partition(pair: Pair):
    with pair.source.session() as other:
        other.execute("BEGIN; LOCK TABLE notes_2a IN ACCESS EXCLUSIVE MODE")
        assert pair.run("follow", "--status", seconds=20).code == 0


def test_a_changed_publication_is_reported(pair: Pair):
    publication = "ALTER PUBLICATION memory_search_notes"
    for change, said in [
        ("SET TABLE notes (id, at, body) WHERE (id > 10)", "sends only rows WHERE (id > 10)"),
        ("SET (publish = 'insert')", "leaves out insert, update, delete or truncate"),
    ]:
        pair.source.run(f"{publication} {change}")
        assert said in wrong(pair), change
        repaired(pair)


def test_a_changed_key_is_reported(pair: Pair):
    pair.source.run("ALTER TABLE notes DROP CONSTRAINT notes_pkey, ADD PRIMARY KEY (at, id)")
    assert pair.done("follow", "--status").code == 0, "the same columns in another order"
    pair.source.run("CREATE UNIQUE INDEX notes_all ON notes (at, id, body)")
    pair.source.run("""DO $$ DECLARE t regclass; BEGIN
        FOR t IN SELECT relid FROM pg_partition_tree('notes') LOOP
          EXECUTE format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %s', t, (SELECT i.indexrelid::regclass
            FROM pg_index i WHERE i.indrelid = t AND i.indnkeyatts = 3)); END LOOP; END $$""")
    assert "the key of public.notes is (at, id, body) on the source now, and was (" in wrong(pair)
    repaired(pair)


def test_unfollow_needs_no_free_worker(pair: Pair):
    """The follower's own worker has one of the two."""
    workers = "SELECT count(*) FROM pg_stat_subscription WHERE pid IS NOT NULL"
    pair.follower.until(f"SELECT ({workers}) = 1", "its worker runs")
    pair.done("unfollow")
    assert pair.left_over() == []
