#!/usr/bin/env python3
"""Plain English: the pages below PATHS use none of the wordings that make a reader stop. CONTRIBUTING.md has the style.

    check_wording.py [PAGE...]

Reads paragraphs, list items and table cells, and leaves out code, comments and headings. Prints each place with its
rule; the exit code is 1 if there is one. A page that has been edited comes into PATHS, so that it stays as it is."""

import glob
import os
import re
import sys
from collections.abc import Iterator

REPOSITORY = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# The pages that are checked: files, and folders with all pages in them.
PATHS = [
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "adr", "docs"),
    *("tests", "packaging", "pgrx-config", "benches/README.md", "benches/contestants"),
    *(f"crates/{crate}/README.md" for crate in ("analyzer", "core", "embedder", "index")),
]

# Wrong beginnings of a sentence that is no question.
OPENINGS = [
    (r"(Who|Whom|Whose|Whoever)\b", "begin with a noun: 'a caller that ...', 'a user who ...'"),
    (r"(What|Whatever)\b", "begin with a noun: 'an entry that ...', 'To do this, ...'"),
    (r"Where\b", "'If ...' for a condition"),
    (r"The same of\b", "say which thing it is the same as"),
    (r"Of (?!course\b)", "begin with the subject: 'The index holds ...', not 'Of metadata it holds ...'"),
    (r"(Nor|Neither|So) (is|are|was|does|do|did|has|have|can|must|may|should)\b", "subject before verb"),
    (r"Not (?!all\b|every\b|only\b)", "begin with the subject"),
]
# Wrong phrases, with better ones.
PHRASES = [
    (r"\bthe same of\b", "say which thing it is the same as"),
    (r"\bwhoever\b", "'anyone who', 'the role that'"),
    (r"\bmend(s|ed|ing)?\b", "'fix' or 'repair'"),
    (r"\bheed(s|ed|ing)?\b", "'use', 'follow' or 'apply'"),
    (r"\bstand(s)? again\b", "'is reinstated', 'is found again'"),
    (r"\bbut for\b", "'except'"),
    (r"\bsay(s)? nothing of\b", "'contains no', 'does not describe'"),
    (r"\bin silence\b", "'silently', 'without an error'"),
]
MOST_SEMICOLONS = 3

FENCE = re.compile(r"^```.*?^```", re.S | re.M)
COMMENT = re.compile(r"<!--.*?-->", re.S)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"(!?)\[([^\]]*)\]\([^)]*\)")
# The beginnings of a new piece of text: a blank line, a list item, a table row, a heading, a quote.
BREAK = re.compile(r"^(\s*$|\s*([-*]|\d+\.)\s|\||#|>)")
SENTENCE_END = re.compile(r"[.!?][)*\"]*\s+")


def blank(match: re.Match) -> str:
    """Keeps the number of lines, so that line numbers stay."""
    return re.sub(r"[^\n]", " ", match[0])


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """(line, text) of each paragraph, list item and table cell."""
    text = COMMENT.sub(blank, FENCE.sub(blank, text))
    text = CODE.sub("`x`", text)
    start, gathered = 1, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if BREAK.match(line) or not gathered:
            if gathered:
                yield start, " ".join(gathered)
            start, gathered = number, []
            if line.startswith("|"):
                for cell in line.strip().strip("|").split(" | "):
                    yield number, cell.strip()
                continue
            if line.startswith("#"):
                continue
            line = re.sub(r"^\s*([-*>]|\d+\.)\s+", "", line)
        if line.strip():
            gathered.append(line.strip())


def sentences(piece: str) -> Iterator[str]:
    """With links as their texts, and without pictures."""
    piece = LINK.sub(lambda link: "" if link[1] else link[2], piece)
    start = 0
    for end in SENTENCE_END.finditer(piece):
        yield piece[start : end.end()].strip()
        start = end.end()
    yield piece[start:].strip()


def faults(text: str) -> list[tuple[int, str, str]]:
    """(line of the paragraph, the sentence, a better wording)"""
    found = []
    for line, piece in pieces(text):
        for sentence in sentences(piece):
            plain = sentence.lstrip("*_(\"'")
            if not re.search(r"\?[)*_\"]*$", plain):
                found += [(line, sentence, better) for opening, better in OPENINGS if re.match(opening, plain)]
            found += [(line, sentence, better) for phrase, better in PHRASES if re.search(phrase, plain, re.I)]
            if plain.count(";") > MOST_SEMICOLONS:
                found.append((line, sentence, f"more than {MOST_SEMICOLONS} semicolons: make a list, or sentences"))
    return found


def pages(paths: list[str]) -> list[str]:
    found = [glob.glob(f"{path}/**/*.md", recursive=True) if os.path.isdir(path) else [path] for path in paths]
    # A table of contents has titles only, which are no sentences.
    return sorted(page for group in found for page in group if os.path.basename(page) != "SUMMARY.md")


def main() -> None:
    named = [os.path.relpath(os.path.abspath(path), REPOSITORY) for path in sys.argv[1:]]
    os.chdir(REPOSITORY)
    wrong = []
    for page in pages(named or PATHS):
        with open(page, encoding="utf-8") as file:
            wrong += [f"{page}:{line}: {sentence[:90]}\n    {better}" for line, sentence, better in faults(file.read())]
    if wrong:
        sys.exit("\n".join([*wrong, f"{len(wrong)} sentences to be worded anew"]))


if __name__ == "__main__":
    main()
