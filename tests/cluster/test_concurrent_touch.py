"""Sessions that touch the same entries at the same time, in different orders."""

from harness import stores
from harness.server import Server

CLIENTS = 8
TRANSACTIONS = 150
# Ten entries in random order, one of them twice: a call counts each once.
TOUCH = """
    SELECT memory_touch('m', array_agg(id), store => 's')
    FROM (SELECT lpad((1 + n % 10)::text, 32, '0')::uuid AS id FROM generate_series(1, 11) n ORDER BY random()) ids;
"""


def test_no_count_is_lost_and_no_session_deadlocks(server: Server, tmp_path):
    stores.fill(server)
    server.run("TRUNCATE s.entry_access")
    script = tmp_path / "touch.sql"
    script.write_text(TOUCH)

    said = server.program("pgbench", "-n", "-c", str(CLIENTS), "-t", str(TRANSACTIONS), "-f", script)

    calls = CLIENTS * TRANSACTIONS
    assert f"actually processed: {calls}/{calls}\n" in said, "every call was made"
    assert server.log_lines("deadlock|ERROR|FATAL") == [], "no call failed or waited in a circle"
    least, most, counted = server.row("SELECT min(access_count), max(access_count), count(*) FROM s.entry_access")
    assert counted == 10, "ten entries were counted"
    assert (least, most) == (calls, calls), f"each was counted {calls} times"
    shown = server.value(f"""
        SELECT access_count FROM memory_search_entries('m', 'note 1', 10, store => 's')
        WHERE entry_id = '{stores.entry_id(1)}'""")
    assert shown == calls, "a search shows the count"
