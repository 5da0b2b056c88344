"""The rights of the pages: they show the rows that the program's role and user may see, only on this machine, in
read-only transactions. Also the pages when the database becomes unreachable."""

import http.client
import os
import tempfile
import time
import urllib.parse

import pytest
from page import Browser
from program import Log, exploring, sql, until
from wire import Wire

SLOW = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'memory-search explore' AND state = 'active'"
KILL = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'memory-search explore'"


def entry_of(user: str) -> str:
    return str(sql("SELECT entry_id FROM own.entries WHERE user_id = %s AND memory_id = 'trip'", user)[0][0])


def test_a_user_sees_his_own_on_every_page():
    theirs = entry_of("bo")
    with exploring("--store", "own", "--user", "ann", role="mcp_writer") as url:
        browser = Browser(url)
        trip = {"store": "own", "memory": "trip"}
        pages = [
            browser.get(),
            browser.get("memories", store="own"),
            browser.get("search", **trip),
            browser.get("search", **trip, q="afraid of flying, allergic"),
            browser.get("entries", **trip, hidden="yes"),
            browser.get("timeline", **trip),
            browser.get("entry", 404, **trip, id=theirs, q="afraid of flying"),
            browser.get("entry", **trip, id=entry_of("ann"), q="allergic"),
        ]
        shown = " ".join(page.text for page in pages)
        assert "Bo is afraid" not in shown and "Ann is allergic" in shown
        assert "No such entry" in pages[6].text and "has no such entry that is visible to you" in pages[6].text
        [row] = [row for row in pages[1].all("tr") if row.text.startswith("trip")]
        assert row.text.split()[1] == "1"


def test_the_first_page_counts_no_rows_that_a_policy_hides():
    sql("ANALYZE own.entries; ANALYZE memory.entries")
    with exploring(role="mcp_writer") as url:
        rows = {row.text.split()[0]: row.text for row in Browser(url).get().all("tr")}
    assert "not counted" in rows["own"] and "not counted" not in rows["memory"]


@pytest.mark.parametrize("store, role", [("memory", "mcp_writer"), ("own", "postgres")])
def test_a_user_without_a_policy_is_refused(store, role):
    with exploring("--user", "ann", role=role) as url:
        browser = Browser(url)
        assert "own" in browser.get().text
        for page in ("search", "timeline", "entries"):
            assert "row-level security" in browser.get(page, 403, store=store, memory="trip").text
        assert "row-level security" in browser.get("memories", 403, store=store).text


def test_a_role_sees_the_stores_that_it_may_read():
    with exploring(role="mcp_reader") as url:
        browser = Browser(url)
        assert "slow_store" not in browser.get().text
        assert "42501" in browser.get("search", 403, store="slow_store", memory="m", q="x").text
    with exploring("--role", "mcp_writer", role="mcp_login") as url:
        assert "slow_store" in Browser(url).get().text
    with exploring(role="mcp_login") as url:
        assert "This role may read no store" in Browser(url).get().text


def test_one_store_is_the_only_one():
    with exploring("--store", "memory") as url:
        browser = Browser(url)
        assert "Memories of memory" in browser.get().text
        assert "is not shown here: the program was started with --store" in browser.get("memories", 403, store="own").text


def test_nothing_is_written_not_even_by_an_embedder():
    with exploring(role="mcp_writing") as url:
        browser = Browser(url)
        page = browser.get("search", 500, store="slow_store", memory="m", q="x")
        assert "read-only transaction" in page.text
    assert sql("SELECT count(*) FROM written") == [(0,)]


def asked(url: str, path: str | None = None, method="GET", **headers):
    """A response to a request with exactly these headers."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    connection.putrequest(method, parts.path if path is None else path, skip_host=True, skip_accept_encoding=True)
    for name, value in ({"Host": parts.netloc} | headers).items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    response = connection.getresponse()
    return response, response.read().decode()


def test_only_this_machine_with_the_key_is_let_in():
    with exploring() as url:
        port = urllib.parse.urlsplit(url).port
        for host in (
            "evil.example",
            f"evil.example:{port}",
            f"localhost.evil.example:{port}",
            "0.0.0.0",
            "",
            "127.0.0.2",
        ):
            response, text = asked(url, Host=host)
            assert (response.status, "Stores" in text) == (421, False), host
        for host in (f"localhost:{port}", "LOCALHOST:9999", f"[::1]:{port}", "127.0.0.1"):
            assert asked(url, Host=host)[0].status == 200, host
        key = urllib.parse.urlsplit(url).path
        for path in ("/", "/x/", key[:-2] + "/", key[:-1], "/" + key, key.upper() if key.upper() != key else "/y/"):
            response, text = asked(url, path)
            assert (response.status, "Stores" in text) == (403, False), path
            assert key.strip("/") not in text
        assert asked(url, key + "style.css")[0].status == 200
        assert asked(url, key + "?q=" + "x" * 70_000)[0].status == 414
        assert asked(url, method="POST")[0].status == 405
        response, text = asked(url, method="HEAD")
        assert (response.status, text) == (200, "")
        for site, dest, status in (
            ("cross-site", "iframe", 403),
            ("cross-site", "image", 403),
            ("same-site", "empty", 403),
            ("cross-site", "document", 200),
            ("none", "document", 200),
            ("same-origin", "document", 200),
        ):
            assert asked(url, Sec_Fetch_Site=site, Sec_Fetch_Dest=dest)[0].status == status, (site, dest)


def test_every_response_forbids_actions_that_the_pages_do_not_need():
    with exploring() as url:
        for path in ("", "style.css", "nothing", "search?qq=1"):
            response, _ = asked(url, urllib.parse.urlsplit(url).path + path)
            policy = response.headers["content-security-policy"]
            assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
            assert "script-src" not in policy and response.headers["referrer-policy"] == "no-referrer"
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["cache-control"] == "no-store"
            assert response.headers["set-cookie"] is None and response.headers["access-control-allow-origin"] is None


def test_the_key_is_another_one_with_each_start():
    with exploring() as one, exploring() as other:
        assert urllib.parse.urlsplit(one).path != urllib.parse.urlsplit(other).path


def test_the_log_has_no_text():
    with tempfile.NamedTemporaryFile() as file:
        log = Log(file.name)
        with exploring(log=log) as url:
            browser = Browser(url)
            browser.get("search", store="memory", memory="secret-memory", q="secret question")
            browser.get("search", 400, store="memory", memory="secret-memory", q="x", strategy="secret")
            browser.get("secret-page", 404)
            key = urllib.parse.urlsplit(url).path.strip("/")
        text = log.text()
    assert "/search" in text and " ok" in text and "22023" in text
    assert "secret" not in text and key not in text


def test_a_statement_that_takes_too_long_ends_and_the_next_page_comes():
    with exploring("--timeout-seconds", "1", role="mcp_slow") as url:
        browser = Browser(url)
        page = browser.get("search", 504, store="slow_store", memory="m", q="slowly")
        assert "statement timeout" in page.text
        assert browser.get("search", store="slow_store", memory="m", q="quick")


def test_the_statement_of_a_browser_that_disconnects_ends():
    with exploring(role="mcp_slow") as url:
        parts = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        connection.request("GET", parts.path + "search?store=slow_store&memory=m&q=slowly")
        assert until(SLOW, 1)
        connection.close()
        assert until(SLOW, 0)


def test_killed_backends_are_not_noticed():
    with exploring() as url:
        browser = Browser(url)
        for _ in range(5):
            browser.get("search", store="memory", memory="hike", q="hut")
            assert sql(KILL)[0][0] >= 1
        browser.get("search", store="memory", memory="hike", q="hut")


def test_an_unreachable_database_is_reported_and_used_when_it_is_back():
    with Wire() as wire:
        database = f"postgresql://mcp_reader:hunter2@127.0.0.1:{wire.port}/{os.environ['PGDATABASE']}"
        with exploring("--database", database) as url:
            browser = Browser(url)
            address = "search?store=memory&memory=hike&q=hut"
            assert "One entry" in browser.get(address).text or " entries" in browser.get(address).text
            wire.cut()
            for page in ("./", address, "doctor?store=memory"):
                gone = browser.get(page, 503)
                assert "The database cannot be reached" in gone.text and "hunter2" not in gone.html
            wire.mend()
            began = time.monotonic()
            browser.get(address)
            assert time.monotonic() - began < 10
