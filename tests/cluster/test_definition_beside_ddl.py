"""A store's definition is read by several statements, and none of them sees a later state of the catalogs than the
others: a store whose tables are replaced again and again is whole at every moment, and is never refused."""

import threading

import pytest

from harness.server import Server

SEARCHES = 300
SEARCH = "SELECT memory_search('m', 'kite', store => '%s', options => '{\"strategy\": \"keyword\"}')->>'count'"

# Each with its store, which it leaves as whole as it was.
REPLACED = {
    "s, entry_access": """
        DROP TABLE s.entry_access;
        CREATE TABLE s.entry_access (LIKE template.entry_access INCLUDING ALL)""",
    "s, contexts": """
        DROP TABLE s.contexts;
        CREATE TABLE s.contexts (LIKE template.contexts INCLUDING ALL)""",
    "adopted, the view": "DO $$ BEGIN EXECUTE (SELECT string_agg(made, '; ') FROM replacing); END $$",
    "s, policies": """
        SELECT memory_enable_row_security('s', 'app.one');
        SELECT memory_enable_row_security('s', 'app.two')""",
}


@pytest.fixture(scope="module", autouse=True)
def store(server: Server) -> None:
    server.run("SELECT memory_create_store('s', 3), memory_create_store('template', 3)")
    server.run("INSERT INTO s.entries (memory_id, raw_entry) SELECT 'm', 'kite ' || n FROM generate_series(1, 3) n")
    server.run("""
        CREATE TABLE log (no int PRIMARY KEY, said text);
        INSERT INTO log SELECT n, 'kite ' || n FROM generate_series(1, 3) n;
        SELECT memory_adopt_table('adopted', 'log', '{"memory_id": "''m''", "entry_id": "no", "raw_entry": "said"}');
        CREATE TABLE replacing AS
          SELECT 'DROP VIEW adopted.entries; CREATE VIEW adopted.entries WITH (security_invoker) AS '
            || rtrim(pg_get_viewdef('adopted.entries'::regclass), ';') AS made""")


@pytest.mark.parametrize("what", REPLACED)
def test_a_store_is_whole_while_parts_of_it_are_replaced(server: Server, what: str, say):
    search = SEARCH % what.split(",")[0]
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

    other = threading.Thread(target=replace)
    other.start()
    try:
        with server.session() as session:
            found = [session.value_or_sqlstate(search) for _ in range(SEARCHES)]
    finally:
        answered.set()
        other.join()
    assert failed == [], f"{what} can be replaced"
    say(f"  {what}: replaced {replaced} times during {SEARCHES} searches")
    assert replaced > 10, f"{what}: replaced while searches read the definition"
    assert set(found) == {"3"}, f"{what}: every search is answered"
