"""The pages of `memory-search explore`: they show the answers of the functions, escaped, and nothing that the role may
not read."""

import json
import re
import subprocess

import pytest
from page import Browser, Page
from program import PROGRAM, environment, exploring, sql

HIKE = {"store": "memory", "memory": "hike"}
WEIRD = 'we"ird {ext} {store}'
HOSTILE = "<i>\"hostile\" & '{ext}'"
ID = "00000000-0000-0000-0000-00000000000"


@pytest.fixture(scope="module")
def browser():
    with exploring() as url:
        yield Browser(url)


def results(page: Page) -> list[str]:
    """The ids of the entries that a search page gives, in order."""
    given = [element for element in page.all("ol") if element["class"] == "results"]
    headings = [heading for element in given for heading in page.within(element, "h3")]
    links = [link for heading in headings for link in page.within(heading, "a")]
    return [re.search(r"[?&]id=([^&]+)", link["href"])[1] for link in links]


def test_every_page_that_is_reached_by_links_is_sound(browser):
    seen, waiting = set(), ["./", f"search?{'&'.join(f'{k}={v}' for k, v in HIKE.items())}&q=hut&k=2"]
    kinds = set()
    while waiting and len(seen) < 250:
        address = waiting.pop(0)
        if address in seen:
            continue
        seen.add(address)
        kinds.add(address.split("?")[0])
        waiting += [link for link in browser.get(address).links if link != "#content" and link not in seen]
    assert kinds == {"./", "memories", "doctor", "search", "entry", "entries", "timeline", "entities", "entity"}
    assert len(seen) > 30


def test_a_stored_text_is_shown_as_it_is_and_never_run(browser):
    stored = sql(f"""SELECT entry_id::text, raw_entry, summary FROM "{WEIRD.replace('"', '""')}".entries""")
    [(entry, raw, summary)] = stored
    of = {"store": WEIRD, "memory": HOSTILE}
    pages = [
        browser.get("search", **of, q="hut <script>alert(2)</script>", options='{"mmr": 1}'),
        browser.get("search", **of),
        browser.get("entry", **of, id=entry, q='"><script>'),
        browser.get("entries", **of, contains="<script>", q="<b>"),
        browser.get("timeline", **of),
        browser.get("memories", store=WEIRD, prefix="<i>"),
        browser.get("search", **of, q="x", strategy="<script>alert(3)</script>", status=400),
        browser.get("search", **of, q="x", filters="</textarea><script>", status=400),
    ]
    for page in pages:
        assert HOSTILE in page.text or WEIRD in page.text
        assert "<script" not in page.html and "<img" not in page.html and "onerror=alert(1)>" not in page.html
    assert re.sub(r"\s+", " ", raw) in pages[0].text and summary in pages[0].text
    shown = pages[2].text
    for text in (raw, summary, "#<b>tag</b>", '" onclick=alert(1) x="', '"><b>user', "<b>agent", "<b>key", "<b>s&amp;"):
        assert re.sub(r"\s+", " ", text) in shown, text
    assert "12345678901234567890.123456789" in shown
    assert "<b>context</b>{{7*7}}" in pages[4].text


def test_a_search_shows_the_entries_of_memory_search_with_the_parts_of_memory_explain(browser):
    page = browser.get("search", **HIKE, q="hut by the lake", k="1")
    [(found,)] = sql("SELECT memory_search('hike', 'hut by the lake', top_ke => 1)")
    assert results(page) == [entry["entryId"] for entry in found["entries"]]
    [(parts,)] = sql("""SELECT jsonb_build_array(semantic, keyword, recency, importance, popularity)
        FROM memory_explain('hike', 'hut by the lake', top_ke => 1) WHERE place = 1""")
    table = [element for element in page.all("table") if element["class"] == "parts"][0]
    numbers = [float(cell.text) for cell in page.within(table, "td") if cell["class"] == "number"]
    assert numbers == [pytest.approx(part, abs=0.00051) for part in parts]
    assert [row.text for row in page.within(table, "th")] == ["meaning", "words", "recency", "importance", "use"]
    marks = {mark.text for mark in page.all("mark")}
    assert {"hut", "lake"} <= marks
    behind = [element for element in page.all("table") if element["class"] == "list behind"][0]
    assert "below the cut: top_ke is 1" in behind.text


@pytest.mark.parametrize(
    "fields, filters, options",
    [
        ({"tags": "hut, lake", "tagMatch": "all"}, {"tags": ["hut", "lake"], "tagMatch": "all"}, {}),
        ({"agent": "scout"}, {"agentId": "scout"}, {}),
        ({"session": "s1"}, {"sessionId": "s1"}, {}),
        ({"source": "note"}, {"sourceType": "note"}, {}),
        ({"from": "2025-02-15"}, {"createdAfter": "2025-02-15T00:00:00Z"}, {}),
        ({"to": "2025-02-15T12:00"}, {"createdBefore": "2025-02-15T12:00:00Z"}, {}),
        ({"minImportance": "60"}, {"minImportance": 60}, {}),
        ({"minScore": "0.55"}, {}, {"minScore": 0.55}),
        ({"superseded": "yes"}, {}, {"includeSuperseded": True}),
        ({"asOf": "2025-02-10"}, {}, {"asOf": "2025-02-10T00:00:00Z"}),
        ({"strategy": "recent"}, {}, {"strategy": "recent"}),
        (
            {"filters": '{"tags": {"$nin": ["lake"]}}', "agent": "scout"},
            {"tags": {"$nin": ["lake"]}, "agentId": "scout"},
            {},
        ),
        ({"options": '{"minScore": 0.55}'}, {}, {"minScore": 0.55}),
    ],
)
def test_a_field_of_the_form_is_its_filter_or_option(browser, fields, filters, options):
    plain = results(browser.get("search", **HIKE, q="hut"))
    page = browser.get("search", **HIKE, q="hut", **fields)
    [(found,)] = sql(
        "SELECT memory_search('hike', 'hut', filters => %s::jsonb, options => %s::jsonb)",
        json.dumps(filters),
        json.dumps(options),
    )
    assert results(page) == [entry["entryId"] for entry in found["entries"]]
    assert results(page) != plain or "asOf" in fields and len(plain) > 0
    # The form is filled in as it was sent, so that the next question is narrowed in the same way.
    for name, value in fields.items():
        element = next(element for element in page.elements if element["name"] == name)
        if element.tag == "select":
            assert [option.text for option in page.within(element, "option") if "selected" in option.attributes] == [
                value
            ]
        else:
            assert value in (element["value"], element.text)


def test_options_of_the_answer_are_left_out_and_named(browser):
    page = browser.get("search", **HIKE, q="hut", options='{"fields": "rawEntry", "cursor": true, "mmr": 1}')
    assert "Left out of the options, as they shape an answer and not the ranking: cursor, fields." in page.text
    assert results(page)


@pytest.mark.parametrize(
    "number, question, expected",
    [
        ("4", {"q": "chamois"}, "Not given: deleted. memory_restore()"),
        ("2", {"q": "closed in winter"}, f"Not given: superseded by {ID}3."),
        ("1", {"q": "hut", "tags": "nothing"}, "Not given: removed by the filters: tags."),
        ("1", {"q": "hut", "asOf": "2024-01-01"}, "not visible at the time of the search"),
        ("1", {"q": "open all year", "k": "1"}, "Not given: below the cut: top_ke is 1."),
        ("3", {"q": "open all year"}, "It is given."),
        ("9", {"q": "hut"}, "has no such entry that is visible to you"),
    ],
)
def test_an_entry_shows_why_a_search_does_not_give_it(browser, number, question, expected):
    page = browser.get("entry", 404 if number == "9" else 200, **HIKE, id=ID + number, **question)
    assert expected in page.text
    if "below" in expected:
        assert re.search(r"What it is short of most is (words|meaning): 0\.\d{3} against 0\.\d{3}\.", page.text)
        assert len([table for table in page.all("table") if table["class"] == "parts"]) == 2


def test_a_hidden_entry_is_found_by_its_text_for_every_reason(browser):
    search = browser.get("search", **HIKE, q="chamois", tags="hut")
    form = search.one("form", action="entries")
    sent = {field["name"]: field["value"] for field in search.within(form, "input") if field["type"] == "hidden"}
    assert sent == HIKE | {"hidden": "yes", "q": "chamois", "tags": "hut"}
    listed = browser.get("entries", **sent, contains="CHAMOIS were")
    [link] = [link for link in listed.links if link.startswith("entry?")]
    assert "Not given: deleted." in browser.get(link).text
    for pattern in ("%", "_", "\\"):
        assert "No entry here" in browser.get("entries", **sent, contains=pattern).text


def test_an_entry_shows_its_corrections_and_its_history(browser):
    page = browser.get("entry", **HIKE, id=ID + "3")
    [chain] = [element for element in page.all("ol") if element["class"] == "timeline"]
    assert [item.text for item in page.within(chain, "li")] == [
        "2025-02-01 10:00 corrected The hut by the lake was closed in winter.",
        "2025-03-01 10:00 Open all year (this entry)",
    ]
    history = browser.get("entry", **HIKE, id=ID + "2").text.split("History")[1]
    assert re.search(r"superseded .*The hut by the lake was closed in winter\..* added", history)


def test_the_timeline_has_the_latest_context_first(browser):
    page = browser.get("timeline", **HIKE)
    [line] = [element for element in page.all("ol") if element["class"] == "timeline"]
    assert [item.text for item in page.within(line, "li")] == [
        "2025-06-01 00:00 latest The hike is over.",
        "2025-01-01 00:00 A hike is planned.",
    ]
    with_entry = browser.get("timeline", store=WEIRD, memory=HOSTILE)
    assert "came with" in with_entry.text


def test_an_adopted_table_is_shown_as_a_store_is(browser):
    notes = {"store": "adopted", "memory": "m"}
    assert sorted(results(browser.get("search", **notes, q="hut"))) == ["1", "2"]
    assert "It is given." in browser.get("entry", **notes, id="2", q="hut").text
    assert "Not given:" in browser.get("entry", **notes, id="10", q="hut").text
    [line] = [element for element in browser.get("timeline", **notes).all("ol") if element["class"] == "timeline"]
    assert "2025-01-01 00:00 latest first came with the hut is blue" in line.text
    assert "no time second came with the hut is red" in line.text


def test_a_long_timeline_and_a_long_list_come_page_by_page(browser):
    sql("""SELECT count(memory_put_context('long', 'state ' || n, creation_time => timestamptz '2025-01-01Z' + n / 10
        * interval '1 day')), count(memory_add('long', 'fact ' || n)) FROM generate_series(1, 120) n""")
    for first, more, unit in (("timeline", "Older contexts", "state"), ("entries", "Older entries", "fact")):
        address, told = f"{first}?store=memory&memory=long", []
        while address:
            page = browser.get(address)
            told += re.findall(rf"\b{unit} (\d+)\b", page.one("main").text)
            [address] = [link["href"] for link in page.all("a") if link.text == more] or [None]
        assert sorted(map(int, told)) == list(range(1, 121))


def test_the_doctors_findings_come_with_their_fixes(browser):
    sql("SELECT memory_create_store('sick', dimensions => 4); SELECT memory_grant('sick', 'mcp_reader')")
    sql("DROP INDEX sick.entries_memory")
    page = browser.get("doctor", store="sick")
    problems = [element for element in page.all("article")]
    assert any("index of searches" in problem.text and "CREATE INDEX" in problem.text for problem in problems)
    count = sql("SELECT count(*), count(*) FILTER (WHERE status <> 'ok') FROM memory_doctor('sick')")[0]
    assert f"{count[1]} of {count[0]} checks found something" in page.text
    assert len(problems) == count[1]


@pytest.mark.parametrize(
    "page, values, status, said",
    [
        ("search", HIKE | {"q": "x", "strategy": "semntic"}, 400, 'Did you mean "semantic"?'),
        ("search", HIKE | {"q": "x", "k": "many"}, 400, "22P02"),
        ("search", HIKE | {"q": "x", "k": "11"}, 400, "memory_search.max_top_ke"),
        ("search", HIKE | {"q": "x", "minScore": "much"}, 400, "minScore"),
        ("search", HIKE | {"q": "x", "from": "yesterday"}, 400, "createdAfter"),
        ("search", HIKE | {"q": "x", "filters": '{"tgs": "x"}'}, 400, 'Did you mean "tags"?'),
        ("search", HIKE | {"q": "x", "filters": "{"}, 400, "filters is no JSON object"),
        ("search", HIKE | {"q": "x", "tags": "a", "filters": '{"tags": "b"}'}, 400, "Give it in only one of the two"),
        ("search", HIKE | {"q": "x", "embedding": "[1, 2"}, 400, "SQLSTATE"),
        ("search", HIKE | {"q": "x\0y"}, 400, "SQLSTATE 22"),
        ("search", HIKE | {"minScor": "x"}, 400, 'Did you mean "minScore"?'),
        ("search", {"store": "memory"}, 400, "names no memory"),
        ("search", HIKE | {"store": "nowhere", "q": "x"}, 404, "What to do"),
        ("entries", HIKE | {"cursor": "x"}, 400, "cursor"),
        ("entry", HIKE | {"id": "no-uuid"}, 404, "No such entry"),
        ("timeline", HIKE | {"before": "x"}, 400, "SQLSTATE 22007"),
        ("memories", {"store": "pg_catalog"}, 404, "What to do"),
        ("nothing", {}, 404, "no such page"),
    ],
)
def test_a_mistake_is_answered_with_a_hint(browser, page, values, status, said):
    assert said in browser.get(page, status, **values).text


def test_repeated_and_misspelt_names_in_an_address_are_refused(browser):
    assert 'has "q" twice' in browser.get("search?store=memory&memory=hike&q=a&q=b", 400).text
    assert "no UTF-8" in browser.get("search?store=memory&memory=hike&q=%ff", 400).text


@pytest.mark.parametrize(
    "options, reason",
    [
        (["--listen", "0.0.0.0:0"], "reached from other machines"),
        (["--listen", "192.0.2.1:0"], "reached from other machines"),
        (["--store", ""], "must not be empty"),
        (["--tls-roots", "/nowhere"], "/nowhere"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(options, reason):
    outcome = subprocess.run(
        [PROGRAM, "explore", *options], env=environment("mcp_reader"), stdin=subprocess.DEVNULL, capture_output=True
    )
    assert outcome.returncode != 0 and reason in outcome.stderr.decode()


def in_terminal(*arguments: str, role="mcp_reader"):
    return subprocess.run(
        [PROGRAM, "search", *arguments], env=environment(role), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


def test_a_terminal_shows_the_same_search():
    outcome = in_terminal("hike", "hut by the lake", "-k", "2")
    rows = sql("""SELECT entry_id, score, semantic, keyword, recency, importance, popularity
        FROM memory_explain('hike', 'hut by the lake', top_ke => 2) WHERE outcome = 'returned'""")
    paragraphs = outcome.stdout.strip().split("\n\n")
    assert len(paragraphs) == len(rows) == 2
    for paragraph, (entry, *numbers) in zip(paragraphs, rows):
        assert paragraph.endswith(entry)
        told = [
            float(number)
            for number in re.findall(r"(?:score|meaning|words|recency|importance|use) (\d\.\d{3})", paragraph)
        ]
        assert told == [pytest.approx(number, abs=0.00051) for number in numbers]


def test_a_terminal_shows_the_reason_and_the_response_with_all_digits():
    assert "deleted\nmemory_restore()" in in_terminal("hike", "hut", "--why", ID + "4").stdout
    trip = in_terminal("trip", "hotel", "--json", "--options", '{"fields": ["metadata"]}').stdout
    assert "12345678901234567890.123456789" in trip and "rawEntry" not in trip
    weird = in_terminal(HOSTILE, "hut", "--store", WEIRD)
    assert "<svg onload=alert(1)>" in weird.stdout


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (["hike", "x", "--filters", '{"tgs": "x"}'], 'Did you mean "tags"?'),
        (["hike", "x", "--options", "{"], "options is no JSON object"),
        (["hike", " "], "the question is blank"),
        (["hike", "x", "--store", "nowhere"], "Hint"),
        (["hike", "x", "--store", "slow_store"], "42501"),
        (["hike", "x", "--user", "ann"], "row-level security"),
        (["hike"], "QUESTION"),
    ],
)
def test_a_terminal_gets_hints(arguments, reason):
    outcome = in_terminal(*arguments)
    assert outcome.returncode != 0 and reason in outcome.stderr and not outcome.stdout
