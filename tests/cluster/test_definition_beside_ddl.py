"""Several statements read a store's definition, and all of them see the same state of the catalogs: a store whose
tables are replaced again and again is complete at every moment, and is never refused."""

import threading

import pytest

from harness.server import Server

SEARCHES = 300
SEARCH = "SELECT memory_search('m', 'kite', store => 's', options => '{\"strategy\": \"keyword\"}')->>'count'"

# Each statement leaves the store complete.
REPLACED = {
    "entry_access": """
        DROP TABLE s.entry_access;
        CREATE TABLE s.entry_access (LIKE template.entry_access INCLUDING ALL)""",
    "contexts": """
        DROP TABLE s.contexts;
        CREATE TABLE s.contexts (LIKE template.contexts INCLUDING ALL)""",
    "policies": """
        SELECT memory_enable_row_security('s', 'app.one');
        SELECT memory_enable_row_security('s', 'app.two')""",
}


@pytest.fixture(scope="module", autouse=True)
def store(server: Server) -> None:
    server.run("SELECT memory_create_store('s', 3), memory_create_store('template', 3)")
    server.run("INSERT INTO s.entries (memory_id, raw_entry) SELECT 'm', 'kite ' || n FROM generate_series(1, 3) n")


@pytest.mark.parametrize("what", REPLACED)
def test_a_store_is_whole_while_parts_of_it_are_replaced(server: Server, what: str, say):
    answered = threading.Event()
    replaced, failed = 0, []

    def replace() -> None:
        nonlocal replaced
        try:
            with server.session() as session:
                session.run("SET client_min_messages = warning")
                while not answered.is_set():
                    session.run(f"BEGIN; {REPLACED[what]}; COMMIT")
                    replaced += 1
        except Exception as error:
            failed.append(error)

    # Before searches begin: the first DROP also removes the foreign key to entries, and so locks entries after contexts,
    # where a query locks them in the other order. PostgreSQL ends one of both with a deadlock.
    server.run(f"BEGIN; SET LOCAL client_min_messages = warning; {REPLACED[what]}; COMMIT")
    other = threading.Thread(target=replace)
    other.start()
    try:
        with server.session() as session:
            found = [session.value_or_sqlstate(SEARCH) for _ in range(SEARCHES)]
    finally:
        answered.set()
        other.join()
    assert failed == [], f"{what} can be replaced"
    say(f"  {what}: replaced {replaced} times during {SEARCHES} searches")
    assert replaced > 10, f"{what}: replaced while searches read the definition"
    assert set(found) == {"3"}, f"{what}: every search is answered"
