"""What must not be taken for a follower: copies of its database, and comments that anybody wrote. And what a table that
is copied anew keeps."""

import pytest

from harness import follow
from harness.follow import Pair
from harness.server import Servers


@pytest.fixture(scope="module")
def pair(servers: Servers) -> Pair:
    """One that follows."""
    pair = follow.start(servers)
    pair.follow("--title", "title", "--text", "body")
    return pair


def test_a_copy_of_the_followers_database_leaves_the_source_alone(pair: Pair):
    pair.follower.run("ALTER SUBSCRIPTION memory_search_documents DISABLE")
    pair.follower.until("SELECT NOT EXISTS (SELECT FROM pg_stat_subscription WHERE pid IS NOT NULL)", "it has ended")
    pair.follower.run("CREATE DATABASE copied TEMPLATE scratch")
    pair.follower.run("ALTER SUBSCRIPTION memory_search_documents ENABLE")
    copied = {"DATABASE_URL": f"host={pair.follower.socket} user=postgres dbname=copied"}
    place = pair.source.value("SELECT pg_current_wal_flush_lsn()")
    for words in [
        ["follow", pair.url, "--again"],
        ["follow", pair.url, "--again", "--copy"],
        ["follow", pair.url, "--watch"],
        ["follow", "--wait", place],
        ["unfollow", "--force"],
    ]:
        assert "is a copy of a follower" in pair.refused(*words, **copied), words
    said = pair.run("follow", "--status", **copied)
    assert said.code == 1 and "is a copy of a follower" in said.out and "--again" not in said.out, said.out

    said = pair.done("unfollow", "--source-is-gone", "--force", **copied)
    assert "left alone" in said.err and "pg_drop_replication_slot" not in said.err, "nor does it tell how to break it"
    pair.follower.run("DROP DATABASE copied")
    pair.source.run("INSERT INTO documents (tenant_id, body) VALUES ('own', 'after the copy')")
    pair.catch_up()
    assert pair.done("follow", "--status").code == 0, "the follower itself goes on"


def test_a_slot_that_another_server_uses_is_not_dropped(pair: Pair):
    """As where a clone of the follower's disk runs, which no identifier tells from the follower."""
    name = "memory_search_documents"
    pair.follower.run(f"ALTER SUBSCRIPTION {name} DISABLE")
    pair.source.until("SELECT NOT active FROM pg_replication_slots", "the slot is free")
    reader = pair.source.background(
        "pg_recvlogical", "-d", "scratch", "-U", "postgres", "-S", name, "--start", "-f", "/dev/null",
        "-o", "proto_version=1", "-o", f"publication_names={name}",
    )  # fmt: skip
    pair.source.until("SELECT active FROM pg_replication_slots", "the clone reads")
    try:
        said = pair.run("follow", "--status")
        assert said.code == 1 and "clone of this follower" in said.out, said.out
        assert "another server has the slot" in pair.refused("unfollow", "--force")
    finally:
        reader.process.terminate()
        reader.end(20)
    assert pair.source.column("SELECT pubname::text FROM pg_publication") == [name], "nothing was removed"
    pair.done("follow", "--again")
    assert pair.differing_rows() == 0
