"""Checks that the indexes of the store "s" have the rows of their tables."""

from __future__ import annotations

import sys

from .server import Server

BY_TABLE = {f"enable_{scan}": "off" for scan in ("indexscan", "indexonlyscan", "bitmapscan")}
OF_STORE = "relnamespace = 's'::regnamespace"


def agree_with_tables(server: Server, served: dict[str, str]) -> None:
    """`served` has each index that holds rows, beside a query that it serves."""
    for index, rows in served.items():
        by_table = server.by(settings=BY_TABLE).value(f"SELECT count(*) FROM {rows}")
        assert by_table > 0, f"{index} has rows to compare"
        with server.by(settings={"enable_seqscan": "off"}).session() as session:
            # Without the other indexes of its table, the planner has to use this one.
            session.run(f"""
                BEGIN;
                UPDATE pg_index SET indisvalid = false FROM pg_index this
                WHERE this.indexrelid = 's.{index}'::regclass AND pg_index.indrelid = this.indrelid
                  AND pg_index.indexrelid <> this.indexrelid""")
            plan = "\n".join(session.column(f"EXPLAIN (COSTS OFF) SELECT count(*) FROM {rows}"))
            by_index = session.value(f"SELECT count(*) FROM {rows}")
            session.run("ROLLBACK")
        assert f" {index}" in plan, f"{index} serves its query: {plan}"
        assert by_index == by_table, f"{index} has the rows of its table"


def have_no_damage(server: Server) -> None:
    """Compares the memory indexes with their tables. For the other indexes amcheck finds damaged pages, a wrong order,
    and rows of a table that are missing in one of its B-trees."""
    proved = f"""
        SELECT count(*) FROM pg_class c JOIN pg_am a ON a.oid = relam, memory_index_check(c.oid) fact
        WHERE {OF_STORE} AND amname = 'memory_search' AND fact.name = 'rows compared' AND fact.value > 0"""
    assert server.value(proved) > 0, "a memory index was proved"
    if not server.value("SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'"):
        print("NOT CHECKED BY AMCHECK, WHICH IS NOT HERE", file=sys.stderr)
        return
    server.run("CREATE EXTENSION IF NOT EXISTS amcheck")
    in_tables = f"SELECT count(*) FROM pg_class c, verify_heapam(c.oid) WHERE {OF_STORE} AND relkind = 'r'"
    assert server.value(in_tables) == 0, "amcheck finds no damage in the tables"
    in_trees = f"""
        SELECT count(bt_index_check(c.oid, true)) FROM pg_class c JOIN pg_am a ON a.oid = relam
        WHERE {OF_STORE} AND amname = 'btree'"""
    assert server.value(in_trees) > 5, "nor in the B-trees"
