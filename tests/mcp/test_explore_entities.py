"""The pages of entities: they show the answers of the functions, page by page, also of hostile names."""

import re

import pytest
from page import Browser, Page
from program import exploring, sql

HOSTILE = [
    "<script>alert(1)</script>",
    '"><b onclick="x">',
    "it's %2F..%2f & more",
    "entity?store=x&entity=y#z",
    "n" * 200,
    "{{7*7}} {ext} {store}",
]
CLUB = {"store": "memory", "memory": "club"}


@pytest.fixture(scope="module")
def browser():
    sql("""SELECT memory_add('club', text, entities => names, creation_time => day)
        FROM (VALUES ('Ann founded the club.', '{Ann,Club}'::text[], timestamptz '2025-01-02 03:04Z'),
          ('ANN met Bo in Porto.', '{ANN,Bo,Porto}', '2025-02-02 03:04Z'),
          ('The boss left Porto.', '{The Boss,Porto}', '2025-03-02 03:04Z'),
          ('Bo is alone.', '{Bo}', '2025-04-02 03:04Z'),
          ('Nobody is named.', NULL, '2025-05-02 03:04Z')) AS v (text, names, day)""")
    sql("SELECT memory_alias('club', 'the boss', 'Ann'), memory_alias('club', 'ghost', 'Nobody There')")
    sql("SELECT memory_add('hostile', 'About ' || n, entities => ARRAY[n, 'x']) FROM unnest(%s::text[]) AS n", HOSTILE)
    sql("""SELECT memory_add('many', 'fact ' || n, creation_time => timestamptz '2025-01-01Z' + n * interval '1 day',
        entities => ARRAY['All of it', 'Thing ' || lpad(n::text, 3, '0')]) FROM generate_series(1, 120) n""")
    with exploring() as url:
        yield Browser(url)


def test_an_entity_shows_its_names_its_time_and_its_entries_in_their_order(browser):
    page = browser.get("entity", **CLUB, entity="ann")
    assert page.one("h1").text == "Ann"
    assert (
        page.one("dl").text == "other names the boss entries 3 first seen 2025-01-02 03:04 last seen 2025-03-02 03:04"
    )
    told = [heading.text for heading in page.within(page.section("about"), "h3")]
    assert told == ["Ann founded the club.", "ANN met Bo in Porto.", "The boss left Porto."]
    beside = page.within(page.section("beside"), "li")
    assert [item.text for item in beside] == ["Porto 2", "Bo 1", "Club 1"]
    # Each of them leads to its own page, from which one comes back.
    for item, own in zip(beside, ("Porto", "Bo", "Club")):
        [link] = page.within(item, "a")
        other = browser.get(link["href"])
        assert other.one("h1").text == own and "Ann" in other.section("beside").text


@pytest.mark.parametrize("name", ["Ann", "  ANN ", "The  boss", "ánn"])
def test_every_way_to_write_a_name_is_the_page_of_its_entity(browser, name):
    assert (
        browser.get("entity", **CLUB, entity=name).one("main").text
        == browser.get("entity", **CLUB, entity="ann").one("main").text
    )


def test_an_alias_that_no_entry_uses_is_no_unknown_name(browser):
    page = browser.get("entity", **CLUB, entity="Ghost")
    assert page.one("h1").text == "Nobody There" and page.one("dl").text == "other names ghost entries 0"


def test_the_list_of_entities_is_that_of_memory_entities(browser):
    page = browser.get("entities", **CLUB)
    found = sql("""SELECT entity, aliases, entries, to_char(first_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
        to_char(last_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), occurs_with FROM memory_entities('club')""")
    assert page.rows(page.one("table")) == [
        [" ".join([name, *(f"also {alias}" for alias in aliases)]), str(count), first, last, " ".join(beside)]
        for name, aliases, count, first, last, beside in found
    ]
    narrowed = browser.get("entities", **CLUB, prefix="P")
    assert [row[0] for row in narrowed.rows(narrowed.one("table"))] == ["Porto"]


def test_entities_are_reached_from_a_memory_its_entries_and_what_a_search_finds(browser):
    overview = browser.get("search", **CLUB)
    assert any(link.startswith("entities?") for link in overview.links)
    for page in (overview, browser.get("entries", **CLUB), browser.get("search", **CLUB, q="who met Bo in Porto?")):
        [link] = {link["href"] for link in page.all("a") if link.text == "ANN"}
        assert browser.get(link).one("h1").text == "Ann"
    entry = browser.get(next(link["href"] for link in overview.all("a") if link.text == "Bo is alone."))
    [link] = [link["href"] for link in entry.all("a") if link.text == "Bo"]
    assert "Bo is alone." in browser.get(link).text


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_a_name_like_others(browser, name):
    of = {"store": "memory", "memory": "hostile"}
    listed = browser.get("entities", **of)
    shown = name if len(name) <= 60 else name[:60] + "…"
    [link] = {link["href"] for link in listed.all("a") if link.text == shown}
    page = browser.get(link)
    assert page.one("h1").text == name
    assert f"About {name}"[:100] in page.section("about").text
    [back] = [link["href"] for link in page.within(page.section("beside"), "a")]
    assert shown in browser.get(back).text
    for each in (listed, page):
        assert "<script" not in each.html and "<b " not in each.html


@pytest.mark.parametrize("name", ["Nobody", "<script>", "n" * 201, "n" * 5000, "%2F", "../../etc/passwd", "An"])
def test_a_name_that_the_memory_does_not_know_is_not_found(browser, name):
    page = browser.get("entity", 404, **CLUB, entity=name)
    assert page.one("h1").text == "No such entity" and "<script" not in page.html
    assert browser.get(next(link for link in page.links if link.startswith("entities?")))


@pytest.mark.parametrize(
    "page, values, said",
    [
        ("entity", CLUB, "names no entity"),
        ("entity", CLUB | {"entity": " "}, "names no entity"),
        ("entity", CLUB | {"entity": "Ann", "cursor": "x"}, "cursor"),
        ("entity", CLUB | {"entity": "A\0nn"}, "SQLSTATE 22"),
        ("entity", CLUB | {"entitty": "Ann"}, 'Did you mean "entity"?'),
        ("entities", CLUB | {"skip": "-1"}, "skip must be a number below 1000"),
        ("entities", CLUB | {"skip": "1000"}, "skip must be a number below 1000"),
        ("entities", CLUB | {"prefx": "x"}, 'Did you mean "prefix"?'),
    ],
)
def test_a_mistake_is_answered_with_a_hint(browser, page, values, said):
    assert said in browser.get(page, 400, **values).text


def pages(browser: Browser, address: str, more: str) -> list[Page]:
    found = []
    while address:
        found.append(browser.get(address))
        [address] = [link["href"] for link in found[-1].all("a") if link.text.startswith(more)] or [None]
    return found


def test_a_long_list_of_entities_and_the_entries_of_one_come_page_by_page(browser):
    told = pages(browser, "entity?store=memory&memory=many&entity=all+of+it", "Newer entries")
    facts = [re.findall(r"fact (\d+)", page.section("about").text) for page in told]
    assert [len(page) for page in facts] == [50, 50, 20]
    assert [int(fact) for page in facts for fact in page] == list(range(1, 121))
    listed = pages(browser, "entities?store=memory&memory=many", "More entities")
    names = [row[0] for page in listed for row in page.rows(page.one("table"))]
    assert len(listed) == 3 and names == ["All of it", *(f"Thing {n:03d}" for n in range(1, 121))]
    # The page has the folded part, too.
    assert len(told[0].within(told[0].section("beside"), "li")) == 120


def test_a_search_goes_on_from_page_to_page(browser):
    search = {"q": "who?", "from": "2025-01-01", "tags": "x"}
    listed = browser.get("entities", **CLUB, **search)
    for link in [link for link in listed.links if link.startswith(("entity?", "entities?"))]:
        assert "q=who" in link and "from=2025-01-01" in link and browser.get(link)
    [form] = listed.all("form")
    sent = {field["name"]: field["value"] for field in listed.within(form, "input") if field["type"] == "hidden"}
    assert sent == CLUB | search


def test_the_page_of_a_memory_without_entities_says_so(browser):
    empty = browser.get("entities", store="memory", memory="contexts-alone")
    assert "No entry that this role sees names an entity." in empty.text and not empty.all("table")
    assert "No entity here has such a name." in browser.get("entities", **CLUB, prefix="zzz").text
    assert "No more entities." in browser.get("entities", **CLUB, skip="50").text


def test_an_adopted_table_without_entities_says_so(browser):
    notes = {"store": "adopted", "memory": "m"}
    assert "No entry that this role sees names an entity." in browser.get("entities", **notes).text
    assert browser.get("entity", 404, **notes, entity="hut")
    for number in ("1", "2", "10"):
        assert "No link that holds now" in browser.get("entry", **notes, id=number).section("links").text


def test_a_role_that_may_not_read_other_names_is_told_so(browser):
    sql("SELECT memory_create_store('nameless'); SELECT memory_grant('nameless', 'mcp_reader')")
    sql("SELECT memory_add('m', 'Ann is here.', entities => '{Ann}', store => 'nameless')")
    sql("REVOKE SELECT ON nameless.aliases FROM mcp_reader")
    of = {"store": "nameless", "memory": "m"}
    for page in (browser.get("entity", 403, **of, entity="Ann"), browser.get("entities", 403, **of)):
        assert "aliases" in page.text and "SQLSTATE 42501" in page.text and "No such entity" not in page.text


def test_the_page_says_that_there_are_more_entities_than_listed(browser):
    sql("""SELECT memory_add('crowd', 'fact ' || n, entities => ARRAY(SELECT format('N%s of %s', i, n)
        FROM generate_series(1, 60) i)) FROM generate_series(1, 17) n""")
    told = pages(browser, "entities?store=memory&memory=crowd", "More entities")
    assert len(told) == 20 and sum(len(page.rows(page.one("table"))) for page in told) == 1000
    assert "No more than 1000 are listed." in told[-1].text and "No more than" not in told[-2].text
    assert "N60 of 17" in browser.get("entities", store="memory", memory="crowd", prefix="n60 of 17").one("table").text
