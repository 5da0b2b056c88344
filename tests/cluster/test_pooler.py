"""Behind PgBouncer in transaction mode many clients share few sessions of the server. Each client gets the answers of
the user that its transaction sets, independently of the settings, searches and embeddings of other clients."""

import collections
import dataclasses
import threading
from collections.abc import Callable, Iterator

import psycopg
import pytest

from harness import stores
from harness.access import Questions, Session
from harness.pooler import Pooler
from harness.server import Server, Servers

USERS = [f"u{n}" for n in range(6)]
CLIENTS = 12
SEARCHES_BY_CLIENT = 100
SESSIONS = 2  # of the server, for each role: default_pool_size
QUERIES = ["hotel tea", "the train", "green milk", "where does she like to stay?"]
SEARCH = """memory_search('m', {query}, 10, 1, store => 's', options => '{{"asOf": "2025-06-01T00:00:00Z"}}')::text"""


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """Each user has 20 entries with the same words as the others', and a word that identifies them."""
    server = servers.start()
    server.create_extension()
    server.run("""
        SELECT memory_create_store('s', 4);
        SELECT memory_enable_row_security('s');
        INSERT INTO s.entries (memory_id, user_id, raw_entry, creation_time, entry_id, embedding)
        SELECT 'm', 'u' || u, 'of u' || u || ': ' || (ARRAY['a small hotel by the sea', 'the train to Lisbon',
            'green tea with milk', 'where she stays'])[1 + n % 4] || repeat(' tea', n % (u + 2)),
          timestamptz '2025-01-01Z' + n * interval '1 hour', lpad((u * 100 + n)::text, 32, '0')::uuid,
          ARRAY[sin(n), cos(n * u), u, 1]::real[]::halfvec
        FROM generate_series(0, 5) u, generate_series(1, 20) n;
        -- Two embedders that give opposite vectors for the same text.
        CREATE FUNCTION looks_up(text) RETURNS real[] LANGUAGE sql IMMUTABLE RETURN ARRAY[1, length($1), 0, 1]::real[];
        CREATE FUNCTION looks_down(text) RETURNS real[] LANGUAGE sql IMMUTABLE RETURN ARRAY[-1, -length($1), 0, 1]::real[];
        CREATE ROLE app LOGIN;
        CREATE ROLE other_app LOGIN;
        GRANT USAGE ON SCHEMA s TO app, other_app;
        GRANT SELECT ON ALL TABLES IN SCHEMA s TO app, other_app""")
    return server


@pytest.fixture(scope="module")
def pooler(server: Server) -> Iterator[Pooler]:
    pooler = Pooler(server, ["postgres", "app", "other_app"])
    try:
        yield pooler
    finally:
        pooler.stop()


@dataclasses.dataclass(frozen=True)
class Asked:
    """A search of a transaction, and its user."""

    user: str | None
    query: str
    most: int = 10

    @property
    def said_before(self) -> str:
        embedder = "" if self.user is None else f"public.looks_{'up' if self.user in USERS[::2] else 'down'}"
        settings = {"user_id": self.user or "", "embedding_function": embedder, "max_top_ke": self.most}
        # If a setting has its default for the user, the transaction does not set it.
        said = {name: value for name, value in settings.items() if value not in ("", 10)}
        return ";".join(f"SET LOCAL memory_search.{name} = '{value}'" for name, value in said.items())

    @property
    def search(self) -> str:
        return SEARCH.format(query=f"'{self.query}'").replace("10, 1", f"{self.most}, 1")


def in_transaction(session: Questions, asked: Asked, ask: Callable[[], str]) -> str:
    session.run(f"BEGIN; {asked.said_before}")
    answer = ask()
    session.run("COMMIT")
    return answer


def by_literals(session: Session, asked: Asked) -> str:
    return in_transaction(session, asked, lambda: session.value(f"SELECT {asked.search}"))


def by_parameters(session: Session, asked: Asked) -> str:
    search = SEARCH.format(query="%s").replace("10, 1", "%s::int, 1")
    return in_transaction(session, asked, lambda: session.value(f"SELECT {search}", asked.query, asked.most))


def prepared_in_its_transaction(session: Session, asked: Asked) -> str:
    def ask() -> str:
        session.run(f"PREPARE asked(text, int) AS SELECT {SEARCH.format(query='$1').replace('10, 1', '$2, 1')}")
        answer = session.value(f"EXECUTE asked('{asked.query}', {asked.most})")
        session.run("DEALLOCATE asked")
        return answer

    return in_transaction(session, asked, ask)


def after_an_error(session: Session, asked: Asked) -> str:
    """The transaction before set another user, and failed."""
    other = USERS[(USERS.index(asked.user) + 1) % len(USERS)] if asked.user else USERS[0]
    try:
        in_transaction(session, Asked(other, asked.query), lambda: session.value("SELECT memory_search('m', NULL)"))
    except psycopg.Error:
        session.run("ROLLBACK")
    return by_literals(session, asked)


WAYS = [by_literals, by_parameters, prepared_in_its_transaction, after_an_error]


def test_1200_searches_of_several_users_get_the_answers_of_each(server: Server, pooler: Pooler, say):
    questions = [Asked(user, query) for user in [*USERS, None] for query in QUERIES]
    questions += [Asked(user, QUERIES[0], most=3) for user in USERS]
    expected = {asked: by_literals(server.by(user="app").open(), asked) for asked in questions}
    assert len(set(expected.values())) >= 6 * len(QUERIES), "answers differ by user and query"
    for asked, answer in expected.items():
        others = [user for user in USERS if user != asked.user and f"of {user}:" in answer]
        assert others == [], "an answer without a pooler has entries of its user alone"
        assert (f"of {asked.user}:" in answer) == (asked.user is not None), "and has some, where a user is said"

    wrong: list[tuple[Asked, str]] = []
    asked_of = collections.defaultdict(set)  # the users that a session of the server served
    searches = collections.Counter()

    def client(number: int) -> None:
        role = "app" if number % 4 else "other_app"
        with pooler.access.by(user=role).session() as session:
            for n in range(SEARCHES_BY_CLIENT):
                asked, way = questions[(number * 7 + n * 5) % len(questions)], WAYS[(number + n) % len(WAYS)]
                try:
                    answer = way(session, asked)
                    served_by = session.value("SELECT pg_backend_pid()")
                except Exception as error:  # noqa: BLE001 - it is reported below
                    wrong.append((asked, repr(error)))
                    return
                asked_of[role, served_by].add(asked.user)
                searches[way.__name__] += 1
                if answer != expected[asked]:
                    wrong.append((asked, answer))

    threads = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(100)
    assert wrong == [], "no answer is another one than without the pooler"
    assert searches.total() == CLIENTS * SEARCHES_BY_CLIENT == 1200, "1,200 searches were answered"
    assert len(asked_of) <= 2 * SESSIONS, "by two sessions of the server for each role"
    assert all(len(users) > 1 for users in asked_of.values()), "each of them served several users"
    say(f"{dict(searches)} by {len(asked_of)} sessions of the server")


def test_a_plain_set_reaches_other_clients_and_set_local_does_not(pooler: Pooler):
    """The reason for SET LOCAL in the guide: PgBouncer passes the session on with its settings."""
    def seen() -> int:
        with pooler.access.by(user="other_app").session() as session:
            return session.value("SELECT count(*) FROM memory_search_entries('m', 'tea', 10, store => 's')")

    with pooler.access.by(user="other_app").session() as session:
        session.run("BEGIN; SET LOCAL memory_search.user_id = 'u1'; COMMIT")
    assert seen() == 0, "what SET LOCAL said is gone with its transaction"
    with pooler.access.by(user="other_app").session() as session:
        session.run("SET memory_search.user_id = 'u1'")
    assert seen() == 10, "a value of SET holds for the next client of the session"
    with pooler.access.by(user="other_app").session() as session:
        session.run("RESET memory_search.user_id")
    assert seen() == 0, "until it is taken back"


def test_changes_of_a_store_apply_to_the_next_transaction_in_every_session(server: Server, pooler: Pooler):
    server.run("SELECT memory_create_store('t', 4); SELECT memory_add('m', 'first', store => 't')")
    server.run("GRANT USAGE ON SCHEMA t TO app; GRANT SELECT ON ALL TABLES IN SCHEMA t TO app")
    search = "SELECT string_agg(raw_entry, ' ') FROM memory_search_entries('m', '', 3, store => 't')"
    with pooler.access.by(user="app").session() as one, pooler.access.by(user="app").session() as two:

        def answers() -> list:
            # The first transaction is open while the second one asks: two sessions of the server.
            one.run("BEGIN")
            both = [one.value_or_sqlstate(search), two.value_or_sqlstate(search)]
            one.run("ROLLBACK")
            return both

        assert answers() == ["first", "first"], "both have searched it"
        server.run("SELECT memory_drop_store('t', force => true)")
        assert answers() == ["42704", "42704"], "dropped: both say so"
        server.run("SELECT memory_create_store('t', 8, 'german'); SELECT memory_add('m', 'zweite', store => 't')")
        assert answers() == ["42501", "42501"], "made again, nothing is granted yet"
        server.run("GRANT USAGE ON SCHEMA t TO app; GRANT SELECT ON ALL TABLES IN SCHEMA t TO app")
        assert answers() == ["zweite", "zweite"], "granted: both read the new one"
    assert stores.content(server)[0] is not None, "the other store is as it was"
