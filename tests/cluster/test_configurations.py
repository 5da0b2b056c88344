"""A text search configuration that changes: open sessions use the change, on a standby too, indexed rows keep their
words until REINDEX, and a store gets another language."""

import pytest

from harness.access import Access, Session
from harness.replication import Followed
from harness.server import Server, Servers

OPTIONS = """'{"strategy": "keyword", "fallback": false}'"""


def found(access: Access | Session | Server, word: str, store: str = "s") -> int:
    return int(access.value(f"SELECT memory_search('m', '{word}', options => {OPTIONS}, store => '{store}') -> 'count'"))


def path(access: Access | Session | Server) -> str:
    return access.value(f"""
        SELECT memory_search('m', 'train', options => '{{"diagnostics": true}}', store => 's')
          #>> '{{diagnostics,reads,0,path}}'""")


@pytest.fixture(scope="module")
def primary(servers: Servers) -> Server:
    server = servers.start("synchronous_standby_names = '*'")
    server.create_extension()
    server.run("""
        CREATE TEXT SEARCH CONFIGURATION mine (COPY = pg_catalog.english);
        CREATE TEXT SEARCH DICTIONARY stops (TEMPLATE = simple);
        SELECT memory_create_store('s', 3, 'public.mine')""")
    add(server, "trains to Ghent")
    return server


@pytest.fixture(scope="module")
def standby(servers: Servers, primary: Server) -> Server:
    return servers.standby(primary)


def add(server: Server, text: str) -> None:
    server.run(f"SELECT memory_add('m', '{text}', embedding => '[1,2,3]', store => 's')")


@pytest.fixture
def stemmed(primary: Server):
    yield
    primary.run("ALTER TEXT SEARCH CONFIGURATION mine ALTER MAPPING FOR asciiword WITH english_stem")
    primary.run("REINDEX INDEX s.entries_memory")


def test_open_sessions_use_an_altered_configuration_here_and_on_a_standby(
    primary: Server, standby: Server, stemmed
):
    followed = Followed(primary.access, standby)
    followed.run("SELECT")
    with primary.session() as here, standby.session() as there:
        assert (found(here, "train"), found(there, "train")) == (1, 1), "stemmed, the word is found"
        followed.run("ALTER TEXT SEARCH CONFIGURATION mine ALTER MAPPING FOR asciiword WITH simple")
        assert (found(here, "trains"), found(there, "trains")) == (0, 0), "the query goes by the altered one"
        assert (found(here, "train"), found(there, "train")) == (1, 1), "and the row has the words it was indexed with"
        followed.run("SELECT memory_add('m', 'more trains', embedding => '[1,2,3]', store => 's')")
        assert (found(here, "trains"), found(there, "trains")) == (1, 1), "a new row is indexed by the altered one"
        followed.run("REINDEX INDEX s.entries_memory")
        assert (found(here, "train"), found(there, "train")) == (0, 0), "REINDEX makes the words anew"
        assert (found(here, "trains"), found(there, "trains")) == (2, 2), "of all rows"


def test_searches_without_the_index_use_the_altered_configuration_at_once(primary: Server, stemmed):
    with primary.session() as reader:
        reader.run("SET enable_indexscan = off")
        assert path(reader) == "table", "rows are read"
        assert found(reader, "train") == 2, "with stems"
        primary.run("ALTER TEXT SEARCH CONFIGURATION mine ALTER MAPPING FOR asciiword WITH simple")
        assert (found(reader, "train"), found(reader, "trains")) == (0, 2), "and without"


def test_sessions_use_an_altered_dictionary(primary: Server, stemmed):
    primary.run("ALTER TEXT SEARCH CONFIGURATION mine ALTER MAPPING FOR asciiword WITH stops, english_stem")
    with primary.session() as session:
        assert found(session, "trains") == 0, "the dictionary knows every word as it is written, and rows have stems"
        primary.run("ALTER TEXT SEARCH DICTIONARY stops (Accept = false)")
        assert found(session, "trains") == 2, "and now none, so that the stemmer is asked"


def test_a_dictionary_that_looks_at_neighbours_sees_the_words_in_their_order(primary: Server, stemmed):
    # A thesaurus is a file in the server's folder; this one comes with PostgreSQL.
    primary.run("""
        CREATE TEXT SEARCH DICTIONARY phrases (TEMPLATE = thesaurus, DictFile = thesaurus_sample,
          Dictionary = pg_catalog.english_stem);
        ALTER TEXT SEARCH CONFIGURATION mine ALTER MAPPING FOR asciiword WITH phrases, english_stem""")
    add(primary, "a supernovae star and crab nebulae")
    with primary.session() as session:
        assert found(session, "sn") == 1, "the sample says that a supernova is called sn, in the memory index"
        assert found(session, "supernovae stars") == 1, "and so does the query"
    primary.run("DELETE FROM s.entries WHERE raw_entry LIKE '%nebulae'")


def test_the_configuration_of_a_store_is_renamed_and_not_dropped(primary: Server):
    assert primary.sqlstate("DROP TEXT SEARCH CONFIGURATION mine") == "2BP01", "its store prevents it"
    with primary.session() as session:
        assert found(session, "trains") == 2
        primary.run("ALTER TEXT SEARCH CONFIGURATION mine RENAME TO ours")
        assert found(session, "trains") in (0, 2), "renamed, no search fails"
    # The index names it in its options, the constraint by itself.
    primary.run("ALTER INDEX s.entries_memory SET (language = 'public.ours')")
    primary.run("REINDEX INDEX s.entries_memory")
    assert found(primary, "trains") == 2, "and the index is told its new name"
    assert path(primary) == "memory index", "which searches read again"
    primary.run("ALTER TEXT SEARCH CONFIGURATION ours RENAME TO mine")
    primary.run("ALTER INDEX s.entries_memory SET (language = 'public.mine')")
    primary.run("REINDEX INDEX s.entries_memory")


def test_a_store_gets_another_language(primary: Server):
    primary.run("SELECT memory_create_store('t', 3)")
    primary.run("""
        SELECT memory_add('m', 'Die Züge fahren wieder', context => 'Es geht um Züge', embedding => '[1,2,3]', store => 't')""")
    with primary.session() as session:
        assert found(session, "Zug", "t") == 0, "in English a plural is another word"
        primary.run("""
            ALTER TABLE t.entries DROP CONSTRAINT entries_language,
              ADD CONSTRAINT entries_language CHECK ('german'::regconfig IS NOT NULL);
            ALTER TABLE t.contexts DROP CONSTRAINT contexts_language,
              ADD CONSTRAINT contexts_language CHECK ('german'::regconfig IS NOT NULL)""")
        assert found(session, "Zug", "t") == 1, "in German it is not: rows are read, with the index of English words aside"
        for index in ("t.entries_memory", "t.contexts_memory"):
            primary.run(f"ALTER INDEX {index} SET (language = 'german'); REINDEX INDEX {index}")
        assert found(session, "Zug", "t") == 1, "the index has German words"
    warned = primary.column("SELECT detail FROM memory_doctor('t') WHERE name = 'index of searches' AND status <> 'ok'")
    assert warned == [], "and serves"
