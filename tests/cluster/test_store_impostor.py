"""A schema that only looks like a store. There is no registry, so any role can make one, with columns of any type and
without a value. A call that names it gets an error or an answer; the server does not crash."""

from harness.server import Server


def test_columns_of_other_types_give_no_internal_error(server: Server):
    said = server.psql_file("store_impostor.sql")
    found = [line for line in said.splitlines() if line]
    assert server.value("SELECT impostor.answered()") >= 40, "calls on a store with nothing odd reach its rows"
    assert found == [], "columns of other types, or without a value in one, give no internal error and no crash"
    assert server.value("SELECT count(*) FROM impostor.outcome('SELECT 1/0') o WHERE o ~ '^22012'") == 1, (
        "an error would have been told"
    )
