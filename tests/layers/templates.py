"""The lines of an SQL template that are lost, or lose their line break, when `filled` of src/pg/sql_text.rs joins them.

`filled` drops lines that begin with a comment, and joins the rest by blanks. A comment behind code would then comment
out the rest of the statement, and a literal over several lines would be another text: the server would report neither.
"""

import re

INCLUDED = re.compile(r'include_str!\(\s*"(?P<path>[^"]+\.sql)"\s*\)')
AS_WRITTEN = re.compile(r"\bsql_text::(?:\{[^}]*\b)?filled_as_written\b")
ONE_LINE = re.compile(r"\bsql_text::(?:\{(?:[^}]*\W)?)?filled\b(?!_)")
# A tag in front of a dollar-quoted literal; a parameter, as $1, is none.
DOLLARS = re.compile(r"\$(?:[A-Za-z_]\w*)?\$")
# A quoted text runs to the next quote: a doubled one begins another piece of the same literal.
QUOTES = "'\""


def broken_by_joining(text):
    """The literals and comments that joining would break: the number of the line and the name."""
    at, found = 0, []
    while at < len(text):
        line = text.count("\n", 0, at) + 1
        begins = text[at]
        if text.startswith("--", at):
            if text[text.rfind("\n", 0, at) + 1 : at].strip():
                found.append((line, "a comment behind code"))
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        if text.startswith("/*", at):
            found.append((line, "a comment between /* and */"))
            opening, closing = "/*", "*/"
        elif begins in QUOTES:
            opening = closing = begins
        elif dollars := DOLLARS.match(text, at):
            opening = closing = dollars[0]
        else:
            at += 1
            continue
        end = text.find(closing, at + len(opening))
        end = len(text) if end < 0 else end + len(closing)
        if opening != "/*" and "\n" in text[at:end]:
            found.append((line, "a literal or a name over several lines"))
        at = end
    return found


def templates(source):
    """The templates below a folder of Rust source, without those that keep their lines at every use."""
    in_one_line, as_written = set(), set()
    for path in source.rglob("*.rs"):
        text = path.read_text(encoding="utf-8")
        keeps_lines = AS_WRITTEN.search(text) and not ONE_LINE.search(text)
        for included in INCLUDED.finditer(text):
            (as_written if keeps_lines else in_one_line).add((path.parent / included["path"]).resolve())
    every = {path.resolve() for path in source.rglob("*.sql")}
    return sorted(path for path in every | in_one_line if path in in_one_line or path not in as_written)


def check_templates(repository, findings):
    """No template is broken by `filled`, which makes one line of it."""
    for path in templates(repository / "src"):
        place = str(path.relative_to(repository.resolve()))
        for line, what in broken_by_joining(path.read_text(encoding="utf-8")):
            findings.add(
                f"{place}:{line}",
                f"{what}: src/pg/sql_text.rs joins the lines of this template. Give a comment a line of its own that"
                " begins with --, write a literal in one line",
                "template",
                place,
            )
