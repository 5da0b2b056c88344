"""The pages of entities, the links of an entry and the picture of its neighbourhood: they show what the functions say,
whatever names and texts hold, and a sentence where there is nothing to read."""

import re
import xml.etree.ElementTree as xml

import pytest
from page import Browser, Element, Page
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
WEB = {"store": "memory", "memory": "web"}


def number(n: int) -> str:
    return f"00000000-0000-0000-0001-{n:012d}"


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
    # A circle of three, of which the last leads on to a chain, in one memory; a hub with sixty in another.
    sql("""SELECT memory_add('web', 'Entry ' || n, entry_id => ('00000000-0000-0000-0001-' || lpad(n::text, 12, '0'))::uuid,
        creation_time => timestamptz '2025-01-01Z' + n * interval '1 day') FROM generate_series(1, 9) n""")
    sql("SELECT memory_link('web', %s, %s, 'because', weight => 0.5)", number(1), number(2))
    sql("SELECT memory_link('web', %s, %s, 'because', weight => 0.25)", number(2), number(3))
    sql("SELECT memory_link('web', %s, %s, 'derived_from')", number(3), number(1))
    sql("SELECT memory_link('web', %s, %s, '<b>''&\" kind', valid_until => '2100-01-01Z')", number(3), number(4))
    sql("SELECT memory_link('web', %s, %s, 'derived_from', valid_from => '2020-01-01Z')", number(1), number(5))
    sql("SELECT memory_link('web', %s, %s, 'over', valid_until => '2020-01-01Z')", number(1), number(6))
    sql("SELECT memory_supersede('web', %s::uuid, %s::uuid)", number(5), number(7))
    sql("""SELECT memory_add('hub', 'Spoke ' || n, entry_id => ('00000000-0000-0000-0001-' || lpad(n::text, 12, '0'))::uuid)
        FROM generate_series(100, 250) n""")
    sql("""SELECT memory_link('hub', %s, '00000000-0000-0000-0001-' || lpad(n::text, 12, '0'), 'kind ' || n %% 30)
        FROM generate_series(101, 250) n""", number(100))
    with exploring() as url:
        yield Browser(url)


def section(page: Page, id: str) -> Element:
    return page.one("section", **{"aria-labelledby": id})


def rows(page: Page, table: Element) -> list[list[str]]:
    """The texts of a table's cells, without those of its head."""
    found = []
    for row in page.within(table, "tr"):
        if not any(outer.tag == "thead" for outer in row.within):
            cells = [element for element in page.elements if element.tag in ("th", "td") and row in element.within]
            found.append([cell.text for cell in cells])
    return found


def table_of_links(page: Page, heading: str) -> list[list[str]]:
    regions = [region for region in page.all("div") if region["aria-labelledby"] == heading]
    return rows(page, page.within(regions[0], "table")[0]) if regions else []


def picture(page: Page) -> xml.Element:
    """The picture, as a parser reads it that lets no mistake pass."""
    [text] = re.findall(r"<svg[^>]*role=\"img\".*?</svg>", page.html, re.S)
    return xml.fromstring(text)


def test_an_entity_shows_its_names_its_time_and_its_entries_in_their_order(browser):
    page = browser.get("entity", **CLUB, entity="ann")
    assert page.one("h1").text == "Ann"
    assert page.one("dl").text == "other names the boss entries 3 first seen 2025-01-02 03:04 last seen 2025-03-02 03:04"
    told = [heading.text for heading in page.within(section(page, "about"), "h3")]
    assert told == ["Ann founded the club.", "ANN met Bo in Porto.", "The boss left Porto."]
    beside = page.within(section(page, "beside"), "li")
    assert [item.text for item in beside] == ["Porto 2", "Bo 1", "Club 1"]
    # Each of them leads to its own page, from which one comes back.
    for item, own in zip(beside, ("Porto", "Bo", "Club")):
        [link] = page.within(item, "a")
        other = browser.get(link["href"])
        assert other.one("h1").text == own and "Ann" in section(other, "beside").text


@pytest.mark.parametrize("name", ["Ann", "  ANN ", "The  boss", "ánn"])
def test_every_way_to_write_a_name_is_the_page_of_its_entity(browser, name):
    assert browser.get("entity", **CLUB, entity=name).one("main").text == browser.get("entity", **CLUB, entity="ann").one(
        "main"
    ).text


def test_an_alias_that_no_entry_uses_is_no_unknown_name(browser):
    page = browser.get("entity", **CLUB, entity="Ghost")
    assert page.one("h1").text == "Nobody There" and page.one("dl").text == "other names ghost entries 0"


def test_the_list_of_entities_is_that_of_memory_entities(browser):
    page = browser.get("entities", **CLUB)
    found = sql("""SELECT entity, aliases, entries, to_char(first_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
        to_char(last_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), occurs_with FROM memory_entities('club')""")
    assert rows(page, page.one("table")) == [
        [" ".join([name, *(f"also {alias}" for alias in aliases)]), str(count), first, last, " ".join(beside)]
        for name, aliases, count, first, last, beside in found
    ]
    narrowed = browser.get("entities", **CLUB, prefix="P")
    assert [row[0] for row in rows(narrowed, narrowed.one("table"))] == ["Porto"]


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
    assert f"About {name}"[:100] in section(page, "about").text
    [back] = [link["href"] for link in page.within(section(page, "beside"), "a")]
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
def test_a_mistake_is_answered_with_what_to_do(browser, page, values, said):
    assert said in browser.get(page, 400, **values).text


def pages(browser: Browser, address: str, more: str) -> list[Page]:
    found = []
    while address:
        found.append(browser.get(address))
        [address] = [link["href"] for link in found[-1].all("a") if link.text.startswith(more)] or [None]
    return found


def test_a_long_list_of_entities_and_the_entries_of_one_come_page_by_page(browser):
    told = pages(browser, "entity?store=memory&memory=many&entity=all+of+it", "Newer entries")
    facts = [re.findall(r"fact (\d+)", section(page, "about").text) for page in told]
    assert [len(page) for page in facts] == [50, 50, 20]
    assert [int(fact) for page in facts for fact in page] == list(range(1, 121))
    listed = pages(browser, "entities?store=memory&memory=many", "More entities")
    names = [row[0] for page in listed for row in rows(page, page.one("table"))]
    assert len(listed) == 3 and names == ["All of it", *(f"Thing {n:03d}" for n in range(1, 121))]
    # What is folded up is there all the same.
    assert len(told[0].within(section(told[0], "beside"), "li")) == 120


def test_a_search_goes_on_from_page_to_page(browser):
    search = {"q": "who?", "from": "2025-01-01", "tags": "x"}
    listed = browser.get("entities", **CLUB, **search)
    for link in [link for link in listed.links if link.startswith(("entity?", "entities?"))]:
        assert "q=who" in link and "from=2025-01-01" in link and browser.get(link)
    [form] = listed.all("form")
    sent = {field["name"]: field["value"] for field in listed.within(form, "input") if field["type"] == "hidden"}
    assert sent == CLUB | search


def test_a_memory_without_entities_and_an_entry_without_links_say_so(browser):
    empty = browser.get("entities", store="memory", memory="web")
    assert "No entry that this role sees names an entity." in empty.text and not empty.all("table")
    assert "No entity here has such a name." in browser.get("entities", **CLUB, prefix="zzz").text
    alone = browser.get("entry", **WEB, id=number(9))
    assert "No link that holds now leads from this entry or to it." in section(alone, "links").text
    assert not alone.all("svg") and not alone.all("section", **{"aria-labelledby": "neighbourhood"})


def test_links_are_those_of_memory_links_and_sources_stand_apart(browser):
    page = browser.get("entry", **WEB, id=number(1))
    assert table_of_links(page, "sources") == [["Entry 7", "derived_from", "1.000", "from 2020-01-01 00:00"]]
    assert table_of_links(page, "derived") == [["Entry 3", "derived_from", "1.000", "always"]]
    assert table_of_links(page, "from-here") == [["Entry 2", "because", "0.500", "always"]]
    assert table_of_links(page, "to-here") == []
    assert "Entry 6" not in page.text, "a link that holds no more"
    [link] = [link["href"] for link in page.within(section(page, "links"), "a") if link.text == "Entry 3"]
    other = browser.get(link)
    assert table_of_links(other, "sources") == [["Entry 1", "derived_from", "1.000", "always"]]
    assert table_of_links(other, "from-here") == [["Entry 4", "<b>'&\" kind", "1.000", "until 2100-01-01 00:00"]]
    assert table_of_links(other, "to-here") == [["Entry 2", "because", "0.250", "always"]]


def test_a_corrected_entry_shows_the_links_of_its_correction_and_says_so(browser):
    page = browser.get("entry", **WEB, id=number(5))
    links = section(page, "links")
    assert "the entry that corrects this one" in links.text
    assert table_of_links(page, "derived") == [["Entry 1", "derived_from", "1.000", "from 2020-01-01 00:00"]]
    [middle] = [row for row in rows(page, page.within(section(page, "neighbourhood"), "table")[0]) if row[0] == "0"]
    assert middle[1] == "the entry that corrects this one"


def test_a_deleted_entry_says_that_its_links_are_hidden(browser):
    sql("SELECT memory_delete('web', %s::uuid[])", [number(8)])
    assert "Links of an entry that is deleted or expired are hidden." in browser.get("entry", **WEB, id=number(8)).text


@pytest.mark.parametrize("memory, entry", [("web", 1), ("web", 3), ("web", 4), ("hub", 100), ("hub", 101)])
def test_picture_and_table_say_what_memory_related_says(browser, memory, entry):
    page = browser.get("entry", store="memory", memory=memory, id=number(entry))
    found = sql("SELECT * FROM memory_related(%s, %s, max_entries => 40)", memory, number(entry))
    place = {number(entry): 0} | {row[0]: at + 1 for at, row in enumerate(found)}
    told = rows(page, page.within(section(page, "neighbourhood"), "table")[0])
    assert len(told) == len(found) + 1
    letters = {}
    for (name, text, away, kind, via, weight), (id, hops, strong, of_kind, from_id, raw, *_) in zip(told[1:], found):
        assert (int(name), text, int(away), int(via)) == (place[id], raw, hops, place[from_id])
        letter, said = kind.split(" ", 1)
        assert said == of_kind and letters.setdefault(said, letter) == letter
        assert float(weight) == pytest.approx(strong, abs=0.0006)
    assert len(set(letters.values())) == len(letters), "each kind has a letter of its own"
    shown = picture(page)
    assert (shown.get("role"), shown[0].tag, shown[1].tag) == ("img", "title", "desc")
    shapes = {1: "circle", 2: "polygon"}
    drawn = [(group.find("text").text, group[1].tag) for group in shown.iter("g")]
    assert drawn == [("0", "rect"), *((str(at + 1), shapes[row[1]]) for at, row in enumerate(found))]
    marks = [text.text for text in shown.iter("text") if text.get("class") == "kind"]
    assert marks == [letters[row[3]] for row in found]
    # Each line leads from the entry that the table names to the entry itself.
    at = [centre(group[1]) for group in shown.iter("g")]
    lines = [tuple(float(line.get(name)) for name in ("x1", "y1", "x2", "y2")) for line in shown.iter("line")]
    assert lines == [(*at[place[row[4]]], *at[place[row[0]]]) for row in found]


def centre(shape: xml.Element) -> tuple[float, float]:
    if shape.tag == "circle":
        return float(shape.get("cx")), float(shape.get("cy"))
    if shape.tag == "rect":
        x, y, width, height = (float(shape.get(name)) for name in ("x", "y", "width", "height"))
        return round(x + width / 2, 1), round(y + height / 2, 1)
    corners = [tuple(map(float, corner.split(","))) for corner in shape.get("points").split()]
    return corners[0][0], corners[1][1]


def test_a_circle_of_links_shows_each_entry_once(browser):
    page = browser.get("entry", **WEB, id=number(2))
    told = [row[1] for row in rows(page, page.within(section(page, "neighbourhood"), "table")[0])]
    assert sorted(told) == ["Entry 1", "Entry 2", "Entry 3", "Entry 4", "Entry 7"]
    assert len(list(picture(page).iter("g"))) == 5


def test_a_picture_of_a_hub_is_bounded_says_so_and_has_room_for_all(browser):
    page = browser.get("entry", store="memory", memory="hub", id=number(100))
    assert "There are more: only the 40 nearest are shown" in page.text
    assert "of each way only the 100 heaviest links are shown" in page.text
    assert len(table_of_links(page, "from-here")) == 100
    shown = picture(page)
    left, top, width, height = map(float, shown.get("viewBox").split())
    at = [centre(group[1]) for group in shown.iter("g")]
    assert len(at) == 41
    for one, (x, y) in enumerate(at):
        assert left + 16 <= x <= left + width - 16 and top + 16 <= y <= top + height - 16
        assert all((x - u) ** 2 + (y - v) ** 2 > 38**2 for u, v in at[one + 1 :])
    assert page.html == browser.get("entry", store="memory", memory="hub", id=number(100)).html, "the same each time"


def test_what_texts_and_kinds_hold_breaks_no_picture(browser):
    sql("""SELECT memory_add('bad', t, entry_id => ('00000000-0000-0000-0001-' || lpad((300 + n)::text, 12, '0'))::uuid)
        FROM unnest(%s::text[]) WITH ORDINALITY AS v (t, n)""",
        ["start", "</svg></title><script>alert(1)</script>", "a\x01b\x1b[31m & <c> \"d\" 'e'", "ü" * 5000])
    for to, kind in ((302, "</text><script>"), (303, "k\x02\"'&"), (304, "x" * 256)):
        sql("SELECT memory_link('bad', %s, %s, %s)", number(301), number(to), kind)
    page = browser.get("entry", store="memory", memory="bad", id=number(301))
    shown = picture(page)
    assert "<script" not in page.html and len(list(shown.iter("g"))) == 4
    titles = [group[0].text for group in shown.iter("g")]
    assert "0: start" in titles and any("</svg></title><script>" in title for title in titles)
    assert all(len(title) < 100 for title in titles) and len(shown[1].text) < 700


def test_an_unknown_entry_has_neither_links_nor_a_picture(browser):
    for wrong in (number(999), "no-uuid", "<script>"):
        page = browser.get("entry", 404, **WEB, id=wrong)
        assert "No such entry" in page.text and not page.all("svg")
        assert not page.all("section", **{"aria-labelledby": "links"})


def test_a_store_without_the_tables_of_links_says_so_and_shows_the_rest(browser):
    sql("SELECT memory_create_store('older'); SELECT memory_grant('older', 'mcp_reader')")
    [(entry,)] = sql("SELECT memory_add('m', 'Ann is here.', entities => '{Ann}', store => 'older')::text")
    sql("DROP TABLE older.links; DROP TABLE older.aliases")
    page = browser.get("entry", store="older", memory="m", id=entry)
    assert "This store has no links: an older version made it." in section(page, "links").text
    assert "Ann is here." in page.text and not page.all("svg")
    page = browser.get("entity", store="older", memory="m", entity="ann")
    assert "This store has no other names: an older version made it." in page.text
    assert page.one("h1").text == "Ann" and "Ann is here." in page.text
    assert "Ann" in browser.get("entities", store="older", memory="m").one("table").text


def test_a_role_that_may_not_read_links_is_told_so_and_sees_the_rest(browser):
    sql("SELECT memory_create_store('closed'); SELECT memory_grant('closed', 'mcp_reader')")
    [(entry,)] = sql("SELECT memory_add('m', 'Ann is here.', entities => '{Ann}', store => 'closed')::text")
    sql("REVOKE SELECT ON closed.links FROM mcp_reader")
    page = browser.get("entry", store="closed", memory="m", id=entry)
    assert "This role may not read the links of this store." in section(page, "links").text
    assert "Ann is here." in page.text


def test_a_user_sees_entities_and_links_of_his_own_entries_alone():
    sql("""SELECT memory_add('gang', user_id || ' met ' || user_id || '''s friend', user_id => user_id, store => 'own',
        entities => ARRAY['Friend of ' || user_id, 'Everybody'],
        entry_id => ('00000000-0000-0000-0002-' || lpad(n::text, 12, '0'))::uuid)
        FROM (VALUES (1, 'ann'), (2, 'ann'), (3, 'bo')) AS v (n, user_id)""")
    ids = [f"00000000-0000-0000-0002-{n:012d}" for n in (1, 2, 3)]
    sql("SELECT memory_link('gang', %s, %s, 'own', store => 'own')", ids[0], ids[1])
    sql("SELECT memory_link('gang', %s, %s, 'foreign', store => 'own')", ids[0], ids[2])
    with exploring("--store", "own", "--user", "ann", role="mcp_writer") as url:
        browser, gang = Browser(url), {"store": "own", "memory": "gang"}
        listed = browser.get("entities", **gang).text
        assert "Friend of ann" in listed and "Friend of bo" not in listed
        assert browser.get("entity", 404, **gang, entity="Friend of bo")
        page = browser.get("entity", **gang, entity="Everybody")
        assert "entries 2" in page.one("dl").text and "bo" not in section(page, "beside").text
        page = browser.get("entry", **gang, id=ids[0])
        assert [row[1] for row in table_of_links(page, "from-here")] == ["own"]
        assert len(list(picture(page).iter("g"))) == 2 and "foreign" not in page.text
