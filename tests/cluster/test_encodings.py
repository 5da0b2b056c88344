"""Clients with other encodings than UTF-8, bytes that are not UTF-8, databases with other encodings."""

import pytest

from harness.access import Access
from harness.server import Server, Servers

COUNT = "SELECT memory_search('m', 'café', store => 's')->'count';"


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    server.run("""
        SELECT memory_create_store('s', 4);
        SELECT memory_add('m', 'a café in Málaga', entry_id => '00000000-0000-0000-0000-000000000001', store => 's');
        SELECT memory_add('jp', '記憶 of a café', context => '記憶', store => 's')""")
    return server


def said(access: Access, *statements: str | bytes) -> list[bytes]:
    """The bytes that a client of psql gets: for each statement its value, or the SQLSTATE of its error. All run in one
    session, because an error aborts only its statement."""
    with access.session() as session:
        answers = []
        for statement in statements:
            words = statement.encode() if isinstance(statement, str) else statement
            result = session.connection.pgconn.exec_(words)
            sqlstate = result.error_field(ord("C"))
            answers.append(b"ERROR: " + sqlstate if sqlstate else result.get_value(0, 0))
        return answers


def test_a_latin1_client_reads_and_writes_its_own_letters(server: Server):
    latin1 = server.by(encoding="LATIN1")
    found, added = said(
        latin1,
        b"SELECT memory_search('m', 'caf\xe9', store => 's')->'entries'->0->>'rawEntry'",
        b"SELECT memory_add('m2', 'caf\xe9 au lait', store => 's') IS NOT NULL",
    )
    assert (found, added) == (b"a caf\xe9 in M\xe1laga", b"t"), "a LATIN1 client finds and reads its own letters"
    stored = server.value("SELECT raw_entry FROM s.entries WHERE memory_id = 'm2'")
    assert stored == "café au lait", "and what it stores is UTF-8"
    server.run("DELETE FROM s.entries WHERE memory_id = 'm2'")


def test_a_result_that_the_client_cannot_show_is_an_error_and_the_session_goes_on(server: Server):
    latin1 = server.by(encoding="LATIN1")
    answers = said(latin1, "SELECT memory_search('jp', 'cafe', store => 's')", COUNT.encode("latin1"))
    assert answers == [b"ERROR: 22P05", b"1"], "a result that LATIN1 cannot show is 22P05, and the session goes on"


def test_bytes_that_are_no_utf8_are_refused_and_the_session_goes_on(server: Server):
    answers = said(
        server.by(encoding="UTF8"),
        b"SELECT memory_search('m', 'caf\xe9', store => 's')",
        r"SELECT memory_search('m', E'caf\xe9', store => 's')",
        r"SELECT memory_add('m', E'\xc3\x28', store => 's')",
        r"SELECT memory_search(E'\xed\xa0\x80', '', store => 's')",
        r"""SELECT memory_search('{"memoryId": "m", "query": "\ud800"}')""",
        r"""SELECT memory_search('{"memoryId": "m", "query": "\u0000"}')""",
        COUNT,
    )
    expected = [b"ERROR: 22021"] * 4 + [b"ERROR: 22P02", b"ERROR: 22P05", b"1"]
    assert answers == expected, "bytes that are no UTF-8 are 22021, such escapes 22P02 and 22P05"
    assert server.value("SELECT count(*) FROM s.entries") == 2, "2 entries are stored, none of the refused ones"


def test_bytes_of_a_client_with_encoding_sql_ascii_are_checked_too(server: Server):
    answers = said(server.by(encoding="SQL_ASCII"), b"SELECT memory_search('m', 'caf\xe9', store => 's')", COUNT)
    assert answers == [b"ERROR: 22021", b"1"], "a client of SQL_ASCII: 22021 for bytes that are no UTF-8"


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII", "EUC_JP"])
def test_a_database_of_another_encoding_is_refused_and_left_as_it_was(server: Server, encoding: str):
    database = f"other_{encoding.lower()}"
    server.run(f"CREATE DATABASE {database} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
    other = server.by(database=database)
    other.run("CREATE EXTENSION vector")

    error = other.error("CREATE EXTENSION memory_search")
    assert error.sqlstate == "0A000", f"CREATE EXTENSION in a database of {encoding} is 0A000"
    left = other.value(r"SELECT count(*) FROM pg_proc WHERE proname LIKE 'memory\_%'")
    assert left == 0, f"nothing of it is left in the database of {encoding}"
    assert "UTF8" in error.diag.message_primary, "the message names the encoding that is needed"
    assert len((error.diag.context or "").splitlines()) < 20, "and the script's other checks are not shown with it"
    assert encoding in error.diag.message_primary, "and the one that is there"
    assert error.diag.message_hint, "with a way out"


def test_words_are_written_in_lower_case_by_any_locale(server: Server):
    server.run("CREATE DATABASE of_c ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0")
    of_c = server.by(database="of_c")
    of_c.run("CREATE EXTENSION memory_search CASCADE")
    of_c.run("""
        SELECT memory_create_store('ru', 4, 'russian'), memory_create_store('plain', 4, 'simple');
        SELECT memory_add('m', 'Живу в Москве', store => 'ru');
        SELECT memory_add('m', 'Κρήτη ΛΟΓΟΣ ÉCOLE', store => 'plain')""")
    count = """SELECT count(*) FROM memory_search_entries('m', %s, store => %s,
        options => '{"strategy": "keyword", "fallback": false}')"""
    asked = [("москва", "ru"), ("МОСКВА", "ru"), ('"в москве"', "ru")]
    asked += [(word, "plain") for word in ("ΚΡΉΤΗ", "κρητη", "λόγος", "ΛΌΓΟΣ", "école", "ecole", '"κρητη λογος"')]
    found = {query: of_c.value(count, query, store) for query, store in asked}
    assert found == {query: 1 for query, _ in asked}, "letters outside ASCII have a lower case"
    assert of_c.value("""SELECT to_tsvector('memory_russian', 'МОСКВА') = to_tsvector('memory_russian', 'москва')""")
