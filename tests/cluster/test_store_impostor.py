"""A schema that only looks like a store. There is no registry, so any role can make one, with columns of any type and
without a value. A call that names it gets an error or an answer; the server does not crash.

LONG=1 gives each column each of the other types; without it each column has a third of them, and each type is given to
a third of the columns."""

import os

from harness.server import Server

EVERY = 1 if os.environ.get("LONG") else 3


def test_columns_of_other_types_give_no_internal_error(server: Server):
    said = server.psql_file("store_impostor.sql", every=EVERY)
    found = [line for line in said.splitlines() if line]
    assert server.value("SELECT impostor.answered()") >= 40, "calls on a store with nothing odd reach its rows"
    fewest = server.value("""
        SELECT min(others) FROM (
          SELECT count(p.name) AS others FROM impostor.columns c LEFT JOIN impostor.pairs p USING (relation, name)
          GROUP BY relation, name) each""")
    assert fewest >= 9 // EVERY, "each column was of several other types"
    assert found == [], "columns of other types, or without a value in one, give no internal error and no crash"
    assert server.value("SELECT count(*) FROM impostor.outcome('SELECT 1/0') o WHERE o ~ '^22012'") == 1, (
        "an error would have been told"
    )
