"""The links of an entry and the picture of its neighbourhood: they show the answers of the functions, also of hostile
texts and kinds, and a sentence if there is nothing to show."""

import re
import xml.etree.ElementTree as xml

import pytest
from page import Browser, Page
from program import exploring, sql

WEB = {"store": "memory", "memory": "web"}


def number(n: int) -> str:
    return f"00000000-0000-0000-0001-{n:012d}"


@pytest.fixture(scope="module")
def browser():
    # A circle of three, of which the last leads on to a chain, in one memory; a hub with 150 spokes in another.
    sql(
        """SELECT memory_add('web', 'Entry ' || n, entry_id => ('00000000-0000-0000-0001-' || lpad(n::text, 12, '0'))::uuid,
        creation_time => timestamptz '2025-01-01Z' + n * interval '1 day') FROM generate_series(1, 9) n"""
    )
    sql("SELECT memory_link('web', %s, %s, 'because', weight => 0.5)", number(1), number(2))
    sql("SELECT memory_link('web', %s, %s, 'because', weight => 0.25)", number(2), number(3))
    sql("SELECT memory_link('web', %s, %s, 'derived_from')", number(3), number(1))
    sql("SELECT memory_link('web', %s, %s, '<b>''&\" kind', valid_until => '2100-01-01Z')", number(3), number(4))
    sql("SELECT memory_link('web', %s, %s, 'derived_from', valid_from => '2020-01-01Z')", number(1), number(5))
    sql("SELECT memory_link('web', %s, %s, 'over', valid_until => '2020-01-01Z')", number(1), number(6))
    sql("SELECT memory_supersede('web', %s::uuid, %s::uuid)", number(5), number(7))
    sql(
        """SELECT memory_add('hub', 'Spoke ' || n, entry_id => ('00000000-0000-0000-0001-' || lpad(n::text, 12, '0'))::uuid)
        FROM generate_series(100, 250) n"""
    )
    sql(
        """SELECT memory_link('hub', %s, '00000000-0000-0000-0001-' || lpad(n::text, 12, '0'), 'kind ' || n %% 30)
        FROM generate_series(101, 250) n""",
        number(100),
    )
    with exploring() as url:
        yield Browser(url)


def table_of_links(page: Page, heading: str) -> list[list[str]]:
    regions = [region for region in page.all("div") if region["aria-labelledby"] == heading]
    return page.rows(page.within(regions[0], "table")[0]) if regions else []


def picture(page: Page) -> xml.Element:
    """The picture, as a parser reads it that lets no mistake pass."""
    [text] = re.findall(r"<svg[^>]*role=\"img\".*?</svg>", page.html, re.S)
    return xml.fromstring(text)


def test_an_entry_without_links_says_so(browser):
    alone = browser.get("entry", **WEB, id=number(9))
    assert "No link that holds now leads from this entry or to it." in alone.section("links").text
    assert not alone.all("svg") and not alone.all("section", **{"aria-labelledby": "neighbourhood"})


def test_links_are_those_of_memory_links_and_sources_stand_apart(browser):
    page = browser.get("entry", **WEB, id=number(1))
    assert table_of_links(page, "sources") == [["Entry 7", "derived_from", "1.000", "from 2020-01-01 00:00"]]
    assert table_of_links(page, "derived") == [["Entry 3", "derived_from", "1.000", "always"]]
    assert table_of_links(page, "from-here") == [["Entry 2", "because", "0.500", "always"]]
    assert table_of_links(page, "to-here") == []
    assert "Entry 6" not in page.text, "a link that holds no more"
    [link] = [link["href"] for link in page.within(page.section("links"), "a") if link.text == "Entry 3"]
    other = browser.get(link)
    assert table_of_links(other, "sources") == [["Entry 1", "derived_from", "1.000", "always"]]
    assert table_of_links(other, "from-here") == [["Entry 4", "<b>'&\" kind", "1.000", "until 2100-01-01 00:00"]]
    assert table_of_links(other, "to-here") == [["Entry 2", "because", "0.250", "always"]]


def test_a_corrected_entry_shows_the_links_of_its_correction_and_says_so(browser):
    page = browser.get("entry", **WEB, id=number(5))
    links = page.section("links")
    assert "the entry that corrects this one" in links.text
    assert table_of_links(page, "derived") == [["Entry 1", "derived_from", "1.000", "from 2020-01-01 00:00"]]
    [middle] = [row for row in page.rows(page.within(page.section("neighbourhood"), "table")[0]) if row[0] == "0"]
    assert middle[1] == "the entry that corrects this one"


def test_a_deleted_entry_says_that_its_links_are_hidden(browser):
    sql("SELECT memory_delete('web', %s::uuid[])", [number(8)])
    assert "Links of an entry that is deleted or expired are hidden." in browser.get("entry", **WEB, id=number(8)).text


@pytest.mark.parametrize("memory, entry", [("web", 1), ("web", 3), ("web", 4), ("hub", 100), ("hub", 101)])
def test_picture_and_table_agree_with_memory_related(browser, memory, entry):
    page = browser.get("entry", store="memory", memory=memory, id=number(entry))
    found = sql("SELECT * FROM memory_related(%s, %s, max_entries => 40)", memory, number(entry))
    place = {number(entry): 0} | {row[0]: at + 1 for at, row in enumerate(found)}
    told = page.rows(page.within(page.section("neighbourhood"), "table")[0])
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
    told = [row[1] for row in page.rows(page.within(page.section("neighbourhood"), "table")[0])]
    assert sorted(told) == ["Entry 1", "Entry 2", "Entry 3", "Entry 4", "Entry 7"]
    assert len(list(picture(page).iter("g"))) == 5


def test_a_picture_of_a_hub_is_bounded_says_so_and_has_room_for_all(browser):
    page = browser.get("entry", store="memory", memory="hub", id=number(100))
    assert "There are more: only the 40 nearest are shown" in page.text
    assert "of each way only the 100 heaviest links are shown" in page.text
    heaviest = sql(
        """SELECT e.raw_entry, l.kind FROM memory_links('hub', %s, max_rows => 100) WITH ORDINALITY l
        JOIN memory.entries e ON e.memory_id = 'hub' AND e.entry_id::text = l.to_entry ORDER BY l.ordinality""",
        number(100),
    )
    assert len(heaviest) == 100
    assert [tuple(row[:2]) for row in table_of_links(page, "from-here")] == heaviest
    shown = picture(page)
    left, top, width, height = map(float, shown.get("viewBox").split())
    at = [centre(group[1]) for group in shown.iter("g")]
    assert len(at) == 41
    for one, (x, y) in enumerate(at):
        assert left + 16 <= x <= left + width - 16 and top + 16 <= y <= top + height - 16
        assert all((x - u) ** 2 + (y - v) ** 2 > 38**2 for u, v in at[one + 1 :])
    assert page.html == browser.get("entry", store="memory", memory="hub", id=number(100)).html, "the same each time"


def test_no_text_and_no_kind_breaks_a_picture(browser):
    sql(
        """SELECT memory_add('bad', t, entry_id => ('00000000-0000-0000-0001-' || lpad((300 + n)::text, 12, '0'))::uuid)
        FROM unnest(%s::text[]) WITH ORDINALITY AS v (t, n)""",
        ["start", "</svg></title><script>alert(1)</script>", "a\x01b\x1b[31m & <c> \"d\" 'e'", "ü" * 5000],
    )
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
    assert "This store has no links: an older version made it." in page.section("links").text
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
    assert "This role may not read the links of this store." in page.section("links").text
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
        assert "entries 2" in page.one("dl").text and "bo" not in page.section("beside").text
        page = browser.get("entry", **gang, id=ids[0])
        assert [row[1] for row in table_of_links(page, "from-here")] == ["own"]
        assert len(list(picture(page).iter("g"))) == 2 and "foreign" not in page.text
