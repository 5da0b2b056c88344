"""The pages of `memory-search explore` in Chromium, over the demo's sample memories: every page light and dark, wide and
narrow, with and without scripts. Writes a picture of each; the last line says how many checks passed.

    look.py PROGRAM AXE FOLDER [--picture FILE]   AXE: axe.min.js, or - to go without; FILE: what the guide shows
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.parse
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

TRIP = "store=memory&memory=trip-planner"
QUESTION = "where can we eat with a nut allergy?"
ASKED = f"{TRIP}&q={urllib.parse.quote(QUESTION)}&k=3"
PAGES = {
    "stores": "",
    "memories": "memories?store=memory",
    "overview": f"search?{TRIP}",
    "search": f"search?{ASKED}",
    "filtered": f"search?{ASKED}&tags=allergy&minScore=0.3&options=%7B%22mmr%22%3A+0.7%7D",
    "nothing": f"search?{ASKED}&user=nobody",
    "mistake": f"search?{ASKED}&strategy=semntic",
    "entries": f"entries?{ASKED}&contains=hotel&hidden=yes",
    "entry": "",  # by a click
    "entities": f"entities?{TRIP}",
    "entity": f"entity?{TRIP}&entity=Lisbon",
    "linked": "",  # by a click
    "contexts": f"timeline?{TRIP}",
    "health": "doctor?store=memory",
}
SIZES = {"wide": (1200, 820), "narrow": (320, 700)}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}

failures: list[str] = []
passed = 0


def check(holds: bool, what: str) -> None:
    global passed
    if holds:
        passed += 1
    else:
        failures.append(what)
        print(f"FAILED: {what}")


def go(page: Page, base: str, name: str) -> None:
    if name == "entry":
        page.goto(base + PAGES["search"])
        page.locator(".behind a").nth(2).click()
    elif name == "linked":
        page.goto(base + PAGES["entity"])
        page.locator(".entries h3 a").first.click()
        check(page.locator("svg.graph g").count() > 2, "an entry with links has a picture")
    else:
        page.goto(base + PAGES[name])
    if name == "search":
        page.locator(".results details").first.click()


def look(browser: Browser, base: str, axe: str | None, folder: Path) -> None:
    for scheme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height})
            page = context.new_page()
            said, asked = [], []
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.on("request", lambda request: asked.append(request.url))
            for name in PAGES:
                go(page, base, name)
                here = f"{name}, {scheme}, {size}"
                overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                check(page.evaluate(overflow) == 0, f"{here}: nothing is wider than the window")
                if axe:
                    page.evaluate(axe)
                    found = page.evaluate("options => axe.run(options)", RULES)["violations"]
                    told = [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]
                    check(not told, f"{here}: axe finds nothing, but {told[:5]}")
                page.screenshot(path=folder / f"{name}-{scheme}-{size}.png", full_page=True)
            # A page that was refused is what Chromium itself says, too.
            said = [line for line in said if "status of 4" not in line]
            check(not said, f"{scheme}, {size}: the console is empty, but {said[:3]}")
            check(all(url.startswith(base) for url in asked), f"{scheme}, {size}: nothing is asked elsewhere")
            context.close()


def without_scripts(browser: Browser, base: str) -> None:
    """From a question to why an entry is missing, by keyboard and links alone."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(base)
    page.get_by_role("link", name="memory", exact=True).click()
    page.get_by_role("link", name="trip-planner").click()
    page.get_by_role("searchbox", name="Question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q="))
    check(page.locator(".results > li").count() == 5, "a question gives five entries without scripts")
    check(page.locator(".results .parts").first.locator("svg").count() == 5, "each part has a bar")
    page.get_by_label("A part of its text").fill("sauna")
    page.get_by_role("button", name="Find it").click()
    page.locator(".entries a").first.click()
    check("Not given:" in page.locator(".outcome").inner_text(), "an entry says why it is not given")
    page.get_by_role("link", name="All that this search gives").click()
    check(page.get_by_role("searchbox", name="Question").input_value() == QUESTION, "the question stays")
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Tags tags").fill("allergy, food")
    page.get_by_label("Of these tags").select_option("all")
    page.get_by_role("button", name="Search").click()
    tags = [text.split() for text in page.locator(".results .about").all_inner_texts()]
    check(len(tags) > 0 and all({"#allergy", "#food"} <= set(words) for words in tags), "filters narrow the search")
    context.close()


def by_keyboard(browser: Browser, base: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(base + PAGES["overview"])
    page.keyboard.press("Tab")
    focused = "getComputedStyle(document.activeElement)"
    check(page.evaluate("document.activeElement.textContent") == "Skip to the content", "the first stop skips the head")
    check(page.evaluate(f"{focused}.outlineWidth") == "3px", "what has the focus is seen")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    check(page.evaluate("document.activeElement.id") == "q", "the next stop is the question")
    page.keyboard.type("hazelnut")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("q=hazelnut"))
    check(page.locator(".results mark").count() > 0, "words of the question are marked")
    context.close()


def picture(browser: Browser, base: str, file: Path) -> None:
    context = browser.new_context(color_scheme="light", viewport={"width": 1120, "height": 860})
    page = context.new_page()
    page.goto(base + PAGES["search"])
    page.screenshot(path=file)
    check(file.stat().st_size < 200_000, f"{file} is below 200 kB")
    context.close()


def main() -> int:
    program, axe_file, folder = sys.argv[1:4]
    file = Path(sys.argv[5]) if sys.argv[4:5] == ["--picture"] else None
    axe = None if axe_file == "-" else Path(axe_file).read_text(encoding="utf-8")
    url = f"host={os.environ['PGHOST']} port={os.environ['PGPORT']} user=explorer dbname={os.environ['PGDATABASE']}"
    process = subprocess.Popen(
        [program, "explore", "--listen", "127.0.0.1:0", "--database", url], stderr=subprocess.PIPE, text=True
    )
    try:
        base = process.stderr.readline().split("open ")[1].split()[0]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
            look(browser, base, axe, Path(folder))
            without_scripts(browser, base)
            by_keyboard(browser, base)
            if file:
                picture(browser, base, file)
            browser.close()
    finally:
        process.kill()
        process.wait()
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
