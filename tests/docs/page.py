"""The examples of a page of Markdown: fenced blocks, their output, and the examples that must run before.

Two comments, which no reader of the rendered page sees, speak to the tests:

    <!-- after: ../../README.md#getting-started -->   the page's examples continue those of a page, or of a section
    <!-- not run: needs pg_cron -->                   the next block is not run; the reason is printed and counted

Each page also names the page that it continues in a line of prose."""
import os
import re
from dataclasses import dataclass

BLOCK = re.compile(r'(?:^<!-- not run: (?P<reason>.+?) -->\n+)?^```(?P<language>\w*)\n(?P<text>.*?)^```$', re.S | re.M)
AFTER = re.compile(r'^<!-- after: (\S+?)(?:#(\S+))? -->$', re.M)
HEADING = re.compile(r'^(#+) (.+)$', re.M)
COMMENT = re.compile(r'^<!-- (?:after|not run)\b.*$', re.M)
OUTPUT = ('text', 'json', 'markdown')
PROGRAM = ('python', 'typescript', 'rust')
SHOWN_ONLY = ('sh', 'conf', 'toml')
WIDTH = 120  # of a line of code


class PageError(Exception):
    """The page cannot be checked as it is written."""


@dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    kind: str | None = None  # of the output: text, json or markdown
    shown: str | None = None
    reason: str | None = None  # why it is not run


class Page:
    def __init__(self, path):
        self.path = os.path.normpath(path)
        with open(path, encoding='utf-8') as file:
            self.text = file.read()
        self.blocks = self._blocks()
        self.after = [(os.path.normpath(os.path.join(os.path.dirname(path), target)), anchor)
                      for target, anchor in AFTER.findall(self.text)]

    def _line(self, position):
        return self.text.count('\n', 0, position) + 1

    def _blocks(self):
        """The sql blocks and programs in their order, each with the output that the page shows right after it."""
        found, end = [], None
        for match in BLOCK.finditer(self.text):
            language, line = match['language'], self._line(match.start('language'))
            follows = end is not None and self.text[end:match.start()].strip() == ''
            end = None
            if language == 'sql' or language in PROGRAM:
                found.append(Block(self.path, line, language, match['text'], reason=match['reason']))
                if any(len(code) > WIDTH for code in match['text'].split('\n')):
                    raise PageError(f'{self.path}:{line}: a line of this block is longer than {WIDTH} characters')
                end = match.end()
            elif language in OUTPUT:
                if follows:
                    found[-1].kind, found[-1].shown = language, match['text']
            elif language not in SHOWN_ONLY:
                raise PageError(f'{self.path}:{line}: no such language of a block: "{language}"')
            if match['reason'] and language != 'sql' and language not in PROGRAM:
                raise PageError(f'{self.path}:{line}: a {language} block is never run: "not run" says nothing here')
        written = re.findall(rf'^[ >]*```+ *(?:sql|{"|".join(PROGRAM)})\b', self.text, re.M | re.I)
        if len(written) != len(found):
            raise PageError(f'{self.path}: {len(written)} blocks of code are written, {len(found)} were found: '
                            'a fence must be at the beginning of its line, with the language in lower case')
        known = len(AFTER.findall(self.text)) + sum(block.reason is not None for block in found)
        if len(COMMENT.findall(self.text)) != known:
            raise PageError(f'{self.path}: a comment "after" or "not run" is not where, or as, it should be')
        return found

    def section(self, anchor):
        """The blocks below the heading of this anchor, up to the next heading of the same or a higher level."""
        if not anchor:
            return self.blocks
        bounds = None
        for heading in HEADING.finditer(self.text):
            if self._in_a_block(heading.start()):
                continue
            level = len(heading[1])
            if bounds and level <= bounds[0]:
                return [block for block in self.blocks if bounds[1] < block.line < self._line(heading.start())]
            if not bounds and anchor_of(heading[2]) == anchor:
                bounds = level, self._line(heading.start())
        if not bounds:
            raise PageError(f'{self.path}: no section has the anchor #{anchor}')
        return [block for block in self.blocks if bounds[1] < block.line]

    def _in_a_block(self, position):
        return any(match.start() <= position < match.end() for match in BLOCK.finditer(self.text))


def anchor_of(heading):
    """The anchor that GitHub makes of a heading."""
    return re.sub(r'[^\w\- ]', '', heading.lower().replace('`', '')).replace(' ', '-')


def set_up(page, seen=()):
    """The sql blocks that have to run before the page's own, each once, in their order."""
    blocks = []
    for path, anchor in page.after:
        if path in seen:
            raise PageError(f'{page.path}: comes after itself, by way of {path}')
        other = Page(path)
        wanted = [*set_up(other, (*seen, page.path)), *(b for b in other.section(anchor) if b.language == 'sql')]
        blocks += [block for block in wanted if (block.page, block.line) not in {(b.page, b.line) for b in blocks}]
    return [block for block in blocks if block.reason is None]
