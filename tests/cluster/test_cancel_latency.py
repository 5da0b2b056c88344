"""A search over 100,000 entries stops soon at its timeout, when it is cancelled and when its session is terminated, in
every phase. Other sessions go on.

The test cannot count checks for interrupts from outside, and milliseconds depend on the machine. So the bound is
measured beside each statement, in the same session: the statement runs on for no longer than plain SQL takes to read
the same entries twice. A slow or busy machine affects both; a statement that takes longer by chance is measured again.

BY_THE_CLOCK=1 requires at most 100 ms, on a machine that does nothing else."""

import os

import pytest

from harness.server import Server, Servers

BY_THE_CLOCK = os.environ.get("BY_THE_CLOCK", "")
BEGAN = "SELECT pg_postmaster_start_time()"
REASONS = {
    "statement_timeout": "canceling statement due to statement timeout",
    "pg_cancel_backend": "canceling statement due to user request",
    "pg_terminate_backend": "terminating connection due to administrator command",
}


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    return server


def test_a_search_stops_soon_in_every_phase(server: Server, say):
    began = server.value(BEGAN)
    log = server.folder / "log"
    files = ("large_memory.sql", "cancel_latency.sql", "cancel_latency_phases.sql")
    server.psql_file(*files, log=log, by_the_clock=BY_THE_CLOCK)
    searched = server.row("""
        SELECT (SELECT count(*) FROM s.entries WHERE memory_id = 'm'), (SELECT count(*) FROM s.entry_access),
          (SELECT count(*) FROM s.contexts WHERE memory_id = 'm')""")
    expected = (100000, 100000, 30000)
    assert searched == expected, "100,000 entries, 100,000 access counts and 30,000 contexts were searched"

    # The least of the attempts of each measurement.
    server.run("""
        CREATE VIEW least AS
        SELECT phase, how, min(milliseconds) AS milliseconds, min((milliseconds - own) / pass) AS passes,
          round(min(pass)) AS pass, min(own) AS own
        FROM measured GROUP BY phase, how""")
    say("  milliseconds without a look for interrupts, until a stop took effect (timeout, cancel, terminate);")
    say("  of these the server's own, and of a pass:")
    for phase, stretch, timeout, cancel, terminate, own, one_pass in server.rows("""
        SELECT phase, max(milliseconds) FILTER (WHERE how = 'stretch'),
          max(milliseconds) FILTER (WHERE how = 'statement_timeout'),
          max(milliseconds) FILTER (WHERE how = 'pg_cancel_backend'),
          max(milliseconds) FILTER (WHERE how = 'pg_terminate_backend'), max(own), max(pass)
        FROM phases JOIN least USING (phase) GROUP BY n, phase ORDER BY n"""):
        say(f"  {stretch:>5}  {phase}: {timeout}, {cancel}, {terminate}; {own}, {one_pass}")

    stopped = set()
    for phase, how, message in server.rows("SELECT phase, how, message FROM measured WHERE message <> 'OK'"):
        assert REASONS.get(how, "nothing stopped it") in message, f"{phase}: a statement that was stopped says why"
        stopped.add((phase, how))
    phases = server.rows("""
        SELECT phase, round(max(passes), 2) FROM phases JOIN least USING (phase) GROUP BY n, phase ORDER BY n""")
    every = {(phase, how) for phase, _ in phases for how in REASONS}
    assert every - stopped == set(), "each way of stopping stopped each statement"
    unit = "units of 50 ms" if BY_THE_CLOCK else "plain passes"
    for phase, passes in phases:
        assert passes <= 2, f"{phase}: goes on for, in {unit}"
    assert server.value(BEGAN) == began, "the server is the same"
