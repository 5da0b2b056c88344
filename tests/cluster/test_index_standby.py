"""A standby searches by a memory index while its primary adds to it, seals, merges and vacuums it. Each answer is the
same as the answer from the rows in the same snapshot."""

import random
import threading
import time

import pytest

from harness import memories
from harness.server import Server, Servers

SECONDS = 12


@pytest.fixture(scope="module")
def primary(servers: Servers) -> Server:
    server = servers.start("autovacuum = off", "max_standby_streaming_delay = -1")
    memories.create(server)
    for memory in range(memories.MEMORIES):
        server.run(memories.insert(memory, 3000))
    return server


@pytest.fixture(scope="module")
def standby(servers: Servers, primary: Server) -> Server:
    return servers.standby(primary)


def test_a_standbys_index_gives_the_answers_of_its_rows_while_the_primary_changes_it(
    primary: Server, standby: Server
):
    assert not primary.value("SELECT pg_is_in_recovery()") and standby.value("SELECT pg_is_in_recovery()")
    until, failures = time.monotonic() + SECONDS, []

    def write() -> None:
        chance = random.Random(3)
        try:
            with primary.session() as session:
                for n in range(1_000_000):
                    if time.monotonic() > until:
                        return
                    memory = chance.randrange(memories.MEMORIES)
                    if n % 4 == 3:
                        session.run("VACUUM s.entries")
                    elif n % 4 == 2:
                        session.run(memories.change(memory, n))
                    else:
                        session.run(memories.insert(memory, chance.randint(1, 300)))
        except Exception as error:  # noqa: BLE001 - it is raised again below
            failures.append(error)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    searches = found = 0
    with standby.session() as session:
        assert memories.paths(session) == {"memory index"}, "the standby reads the index"
        while time.monotonic() < until:
            found += memories.same_answers(session, 6, seed=searches)
            searches += 6
    writer.join(60)
    assert not failures, "the writer was not cut off"
    assert searches > 60 and found > searches // 2, f"{found} of {searches} searches found something"
