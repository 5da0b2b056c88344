"""/metrics of `memory-search watch` and `explore`, read by the parser of Prometheus' own client: the figures agree with
the database, contain no text, and reading them blocks no session."""

import http.client
import os
import tempfile
import time
import urllib.parse
from contextlib import contextmanager

import psycopg
import pytest
from program import database_url, environment, serving, sql
from prometheus_client.parser import text_string_to_metric_families
from watching import add, emptied, wait_in, watching
from wire import Wire


@contextmanager
def metrics_of(command: str, *options: str, role="mcp_owner"):
    """The program with its figures; gives their address."""
    options = ("--listen", "127.0.0.1:0", *options) if command == "explore" else ("--every", "1", *options)
    arguments = [command, "--metrics", "127.0.0.1:0", *options]
    with serving(arguments, "metrics at ", environment(role)) as url:
        yield url


def asked(url: str, path="/metrics", method="GET", **headers: str) -> tuple[int, str, http.client.HTTPMessage]:
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    connection.putrequest(method, path, skip_host=True)
    for name, value in ({"Host": parts.netloc} | headers).items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    return response.status, response.read().decode(), response.headers


def read(url: str) -> dict[str, dict[str | None, float]]:
    """The samples by their names and their labels."""
    status, text, headers = asked(url)
    assert status == 200 and headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8", text
    figures: dict[str, dict[str | None, float]] = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation and family.type in ("gauge", "counter"), family
        for sample in family.samples:
            assert set(sample.labels) <= {"store", "function"} and len(sample.labels) <= 1, sample
            assert (family.type == "counter") == sample.name.endswith("_total"), sample
            label = next(iter(sample.labels.values()), None)
            assert label not in figures.setdefault(sample.name, {}), sample
            figures[sample.name][label] = sample.value
    return figures


def become(url: str, name: str, label: str | None, wanted: float) -> dict:
    """The figures, after one of them has the wanted value."""
    ends = time.monotonic() + 15
    while time.monotonic() < ends:
        figures = read(url)
        if figures.get(name, {}).get(label) == wanted:
            return figures
        time.sleep(0.3)
    raise AssertionError((name, label, wanted, figures.get(name)))


@pytest.fixture(autouse=True)
def empty_stores():
    emptied("owned")
    emptied("noted_store")


def test_the_watcher_counts_its_work_and_waiting_rows():
    with metrics_of("watch", "--store", "owned", "--store", "noted_store", "--purge-after", "1 day") as url:
        began = time.time()
        figures = become(url, "memory_search_waiting_embeddings", "owned", 0)
        assert figures["memory_search_up"] == {None: 1}
        assert figures["memory_search_oldest_waiting_embedding_seconds"]["owned"] == 0
        add("owned", "The sea is blue.", "The hill is green.")
        # The other store refuses the local model, so its entries wait on.
        add("noted_store", "The boat is red.")
        sql("UPDATE noted_store.entries SET creation_time = '2001-01-01'")
        figures = become(url, "memory_search_watch_embedded_total", "owned", 2)
        figures = become(url, "memory_search_waiting_embeddings", "noted_store", 1)
        # It says that it was created long ago, and came a moment ago.
        assert 0 <= figures["memory_search_oldest_waiting_embedding_seconds"]["noted_store"] < time.time() - began
        assert figures["memory_search_watch_errors_total"]["noted_store"] >= 1
        assert figures["memory_search_watch_errors_total"]["owned"] == 0
        assert set(figures["memory_search_watch_last_success_timestamp_seconds"]) == {"owned"}
        assert began - 5 < figures["memory_search_watch_last_success_timestamp_seconds"]["owned"] < time.time() + 1
        assert figures["memory_search_watch_outages_total"] == {None: 0}
    sql("UPDATE owned.entries SET deletion_scheduled_time = now() - interval '2 days' WHERE raw_entry LIKE 'The sea%'")
    with metrics_of("watch", "--store", "owned", "--store", "noted_store", "--purge-after", "1 day") as url:
        figures = become(url, "memory_search_watch_purged_total", "owned", 1)
        # Only the application's time tells here since when it waits.
        assert figures["memory_search_oldest_waiting_embedding_seconds"]["noted_store"] > 20 * 365 * 86_400


def test_figures_of_stores_agree_with_the_database():
    sql("SELECT memory_create_store('parts', partitions => 3)")
    sql("SELECT memory_add('m' || i, 'part ' || i, store => 'parts') FROM generate_series(1, 7) i")
    sql("INSERT INTO parts.entries (memory_id, raw_entry, embedding_error) VALUES ('m', 'a', 'no'), ('n', 'b', NULL)")
    odd = 'od\\d\n"store"'
    sql("SELECT memory_create_store(%s)", odd)
    sql("ANALYZE")
    sql("SELECT memory_grant('parts', 'mcp_reader'), memory_grant(%s, 'mcp_reader')", odd)
    try:
        with metrics_of("explore", role="mcp_reader") as url:
            figures = read(url)
        entries = figures["memory_search_entries_estimate"]
        assert entries["parts"] == 9 and entries[odd] == 0 and entries["adopted"] == 3
        assert entries["memory"] == sql("SELECT count(*) FROM memory.entries")[0][0]
        assert figures["memory_search_waiting_embeddings"]["parts"] == 1
        assert figures["memory_search_refused_embeddings"]["parts"] == 1
        for name, function in (("table", "pg_table_size"), ("index", "pg_indexes_size")):
            wanted = f"SELECT sum({function}(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'parts'::regnamespace"
            assert figures[f"memory_search_{name}_bytes"]["parts"] == sql(wanted)[0][0]
        assert figures["memory_search_scrape_errors"] == {None: 0}
        # The role may not read these stores.
        assert not {"owned", "own", "slow_store"} & set(entries)
        assert not any(name.startswith("memory_search_watch") for name in figures)
    finally:
        for store in ("parts", odd):
            sql("SELECT memory_drop_store(%s, force => true)", store)


def test_no_text_and_no_memory_is_among_the_figures():
    with metrics_of("explore", role="postgres") as url:
        _, text, _ = asked(url)
    for secret in ("Porto", "trip", "hike", "hostile", "watched", "mcp_", "<", os.environ["PGHOST"]):
        assert secret not in text, secret


def test_calls_and_their_times_are_there_if_the_server_counts_them():
    with metrics_of("explore", role="mcp_reader") as url:
        _, text, _ = asked(url)
        assert "# memory_search_function_calls_total and memory_search_function_seconds_total are left out" in text
        assert "track_functions is none" in text
        try:
            with psycopg.connect(database_url("postgres"), autocommit=True) as connection:
                connection.execute("SET track_functions = 'all'")
                for _ in range(3):
                    connection.execute("SELECT memory_search('trip', 'hotel')")
            figures = become(url, "memory_search_function_calls_total", "memory_search", 3)
            assert figures["memory_search_function_seconds_total"]["memory_search"] > 0
            # Other functions of the database have no figures here.
            assert all(name.startswith("memory_") for name in figures["memory_search_function_calls_total"])
        finally:
            sql("SELECT pg_stat_reset()")


def test_a_locked_table_holds_no_scrape_up_and_only_its_figures_are_missing():
    with metrics_of("explore", role="postgres") as url, psycopg.connect(database_url("postgres")) as other:
        other.execute("LOCK TABLE memory.entries IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        figures = read(url)
        assert time.monotonic() - began < 5
        assert figures["memory_search_scrape_errors"][None] >= 1 and figures["memory_search_up"] == {None: 1}
        assert "memory" not in figures["memory_search_table_bytes"]
        assert "memory" in figures["memory_search_entries_estimate"]
        assert "owned" in figures["memory_search_table_bytes"]
        other.rollback()
        figures = become(url, "memory_search_scrape_errors", None, 0)
        assert "memory" in figures["memory_search_table_bytes"]


def test_no_code_of_a_stores_owner_is_run():
    sql("CREATE FUNCTION trap() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'run'; END $$")
    sql("CREATE SCHEMA trapped")
    columns = "memory_id text, embedding text, embedding_error text, creation_time timestamptz"
    sql(f"CREATE TABLE trapped.entries ({columns})")
    sql("CREATE TABLE trapped.entry_access (memory_id text)")
    sql("CREATE VIEW trapped.contexts AS SELECT * FROM trapped.entries WHERE trap()")
    sql("INSERT INTO trapped.entries VALUES ('m')")
    sql("SELECT memory_create_store('policed')")
    sql("SELECT memory_add('m', 'guarded', store => 'policed')")
    sql("ALTER TABLE policed.entries ENABLE ROW LEVEL SECURITY")
    sql("CREATE POLICY own ON policed.entries USING (trap())")
    sql("GRANT USAGE ON SCHEMA trapped, policed TO mcp_reader")
    sql("GRANT SELECT ON ALL TABLES IN SCHEMA trapped, policed TO mcp_reader")
    try:
        with metrics_of("explore", role="mcp_reader") as url:
            figures = read(url)
        assert figures["memory_search_scrape_errors"] == {None: 0}
        assert figures["memory_search_waiting_embeddings"]["trapped"] == 1
        # The number of rows that a policy hides is not shown either.
        assert "policed" not in figures["memory_search_waiting_embeddings"]
        assert "policed" not in figures["memory_search_entries_estimate"]
        assert "policed" in figures["memory_search_table_bytes"]
    finally:
        sql("SET client_min_messages = warning; DROP SCHEMA trapped, policed CASCADE")
        sql("DROP FUNCTION trap()")


def test_only_this_machine_is_let_in_without_a_token():
    with metrics_of("watch", "--store", "owned") as url:
        port = urllib.parse.urlsplit(url).port
        for host in ("evil.example", f"evil.example:{port}", ""):
            assert asked(url, Host=host)[0] == 421, host
        assert asked(url, Host=f"localhost:{port}")[0] == 200
        assert asked(url, "/")[0] == 404 and asked(url, "/metrics/")[0] == 404
        assert asked(url, method="POST")[0] == 405
        assert asked(url, method="HEAD")[:2] == (200, "")


def test_with_a_token_clients_that_have_it_are_served_also_from_other_hosts():
    token = "0123456789-scraper"
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(token + "\n")
        file.flush()
        arguments = ["watch", "--store", "owned", "--metrics", "0.0.0.0:0", "--metrics-token-file", file.name]
        with serving(arguments, "metrics at ", environment("mcp_owner")) as url:
            url = url.replace("0.0.0.0", "127.0.0.1")
            assert asked(url, Host="db.example", Authorization=f"Bearer {token}")[0] == 200
            for wrong in ({}, {"Authorization": f"Bearer {token}x"}, {"Authorization": token}):
                status, text, headers = asked(url, **wrong)
                assert status == 401 and "memory_search_up" not in text and headers["www-authenticate"] == "Bearer"


def test_figures_of_the_pages_are_apart_from_the_pages():
    with metrics_of("explore", role="mcp_reader") as url:
        status, text, _ = asked(url, "/search?store=memory&memory=hike&q=hut")
        assert status == 404 and "hut" not in text


def test_a_database_that_is_gone_is_a_figure_too():
    with Wire() as wire:
        database = f"host=127.0.0.1 port={wire.port} user=mcp_owner dbname={os.environ['PGDATABASE']}"
        with metrics_of("watch", "--store", "owned", "--database", database) as url:
            become(url, "memory_search_watch_embedded_total", "owned", 0)
            wire.cut()
            figures = become(url, "memory_search_up", None, 0)
            assert "memory_search_table_bytes" not in figures
            assert "owned" in figures["memory_search_watch_embedded_total"]
            become(url, "memory_search_watch_outages_total", None, 1)
            wire.mend()
            become(url, "memory_search_up", None, 1)


def test_an_address_that_is_taken_is_an_error_at_the_start():
    with metrics_of("watch", "--store", "owned") as url:
        address = urllib.parse.urlsplit(url).netloc
        with watching("--store", "owned", "--metrics", address) as second:
            assert second.process.wait(20) == 1 and f"--metrics {address}" in second.said()
    assert wait_in("owned") == 0
