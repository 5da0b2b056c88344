"""A page as a browser without scripts reads it, and the rules of every page."""

from __future__ import annotations

import dataclasses
import re
import urllib.parse
from html.parser import HTMLParser

import httpx2

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# Every element of the pages; an injected one would be another element, or one of these with other attributes.
ELEMENTS = set(
    "html head meta title link body a header nav ol ul li div main h1 h2 h3 p span strong b code pre section article "
    "aside footer form label input select option textarea button details summary table caption thead tbody tr th td "
    "svg rect circle polygon line g desc text dl dt dd time mark".split()
)
ATTRIBUTES = set(
    "lang charset name content rel href class aria-label aria-current aria-labelledby aria-hidden role tabindex id for "
    "type value action method autocomplete placeholder spellcheck min max inputmode checked selected open rows scope "
    "datetime title width height x y x1 x2 y1 y2 cx cy r dy points text-anchor aria-describedby viewbox "
    "preserveaspectratio".split()
)
PAGES = {"./", "memories", "doctor", "search", "entry", "entries", "timeline", "entities", "entity", "style.css"}
PAGES |= {"#content"}
INLINE = set("a span strong b code mark time".split())


@dataclasses.dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    within: tuple[Element, ...]
    words: list[str] = dataclasses.field(default_factory=list)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.words)).strip()

    def __getitem__(self, name: str) -> str | None:
        return self.attributes.get(name)


class Page(HTMLParser):
    """The elements of a page in order, each with its text."""

    def __init__(self, html: str):
        super().__init__()
        self.html, self.elements, self.unbalanced = html, [], []
        self._open: list[Element] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs), f"<{tag}> has an attribute twice"
        self._end_of_line(tag)
        element = Element(tag, dict(attrs), tuple(self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def _end_of_line(self, tag):
        if tag not in INLINE:
            self.handle_data(" ")

    def handle_endtag(self, tag):
        self._end_of_line(tag)
        if not self._open or self._open.pop().tag != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data):
        for element in self._open:
            element.words.append(data)

    def all(self, tag: str, **attributes: str) -> list[Element]:
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [
            element
            for element in self.elements
            if element.tag == tag and all((element[name] or "") == value for name, value in wanted.items())
        ]

    def one(self, tag: str, **attributes: str) -> Element:
        found = self.all(tag, **attributes)
        assert len(found) == 1, (tag, attributes, len(found))
        return found[0]

    def within(self, element: Element, tag: str) -> list[Element]:
        return [other for other in self.elements if other.tag == tag and element in other.within]

    def section(self, heading: str) -> Element:
        return self.one("section", **{"aria-labelledby": heading})

    def rows(self, table: Element) -> list[list[str]]:
        """The texts of a table's cells, without its head."""
        found: dict[int, list[str]] = {}
        for cell in self.elements:
            if cell.tag in ("th", "td") and table in cell.within and all(outer.tag != "thead" for outer in cell.within):
                [row] = [outer for outer in cell.within if outer.tag == "tr"]
                found.setdefault(id(row), []).append(cell.text)
        return list(found.values())

    @property
    def text(self) -> str:
        return self.one("body").text

    @property
    def links(self) -> list[str]:
        return [element["href"] for element in self.all("a")]


def check(page: Page) -> None:
    """Asserts the rules of every page, for all contents."""
    assert not page.unbalanced and page.html.startswith("<!DOCTYPE html>")
    assert {element.tag for element in page.elements} <= ELEMENTS
    assert {name for element in page.elements for name in element.attributes} <= ATTRIBUTES
    ids = [element["id"] for element in page.elements if element["id"]]
    assert len(ids) == len(set(ids)), ids
    # A page loads nothing from other servers, and has no links to them.
    for element in page.elements:
        for name in ("href", "action"):
            if element[name] is not None:
                assert element[name].split("?")[0] in PAGES, element[name]
    # For users of screen readers, and users with only a keyboard.
    [title] = [element for element in page.all("title") if not any(outer.tag == "svg" for outer in element.within)]
    assert page.one("html")["lang"] == "en" and title.text and page.one("h1").text
    assert page.all("a")[0]["href"] == "#content" and page.one("main")["id"] == "content"
    levels = [int(element.tag[1]) for element in page.elements if re.fullmatch("h[1-6]", element.tag)]
    assert all(after <= before + 1 for before, after in zip([0, *levels], levels)), levels
    labelled = {label["for"] for label in page.all("label")}
    assert labelled <= set(ids)
    for element in page.elements:
        if element.tag in ("input", "select", "textarea") and element["type"] != "hidden":
            assert element["id"] in labelled, element
        for name in ("aria-labelledby", "aria-describedby"):
            assert element[name] is None or element[name] in ids, element
        if element.tag == "svg" and element["role"] == "img":
            # It has a title and a description, and no links: a table beside it has them.
            assert element["aria-labelledby"] and element["aria-describedby"]
            assert not page.within(element, "a") and len(page.within(element, "desc")) == 1
        elif element.tag == "svg":
            assert element["aria-hidden"] == "true"
        if element.tag == "th":
            assert element["scope"] in ("row", "col")
        if element.tag in ("a", "button", "summary", "th", "label", "option"):
            assert element.text, element
    for nav in page.all("nav") + page.all("form"):
        assert nav["aria-label"] or nav["method"] == "get"


class Browser:
    """Gets pages of one program; each is checked."""

    def __init__(self, url: str):
        self.url = url
        self.http = httpx2.Client(timeout=60)

    def response(self, page: str, **headers: str):
        return self.http.get(urllib.parse.urljoin(self.url, page), headers=headers)

    def get(self, page: str = "./", status: int = 200, **values: str) -> Page:
        address = page if not values else f"{page}?{urllib.parse.urlencode(values)}"
        response = self.response(address)
        shown = Page(response.text)
        assert response.status_code == status, (response.status_code, shown.text[:500])
        check(shown)
        return shown
