"""A page of docs/cookbook as the steps of its test: files, set-up in SQL, programs and commands, in their order.

Comments that no reader of the rendered page sees speak to the test:

    <!-- file: points.json -->              the next block is a file that the programs find in their folder
    <!-- not run: needs Qdrant -->          the next block is shown only; the reason is printed and counted
    <!-- connects by PgBouncer as: api -->  DATABASE_URL of the page's programs
    <!-- numbers are the machine's -->      in outputs of this page a number stands for any number

A ```python block is a whole program and a ```sh block with an output a command; each is followed by the ```text block
that it prints. A ```sh block without one is shown only, as the installation of a package."""

import os
import re
from dataclasses import dataclass

FENCED = re.compile(r"(?P<comment>^<!-- [^\n]* -->\n+)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.S | re.M)
OPENING = re.compile(r"^[ >]*```+ *(\w+)", re.M)
FILE = re.compile(r"<!-- file: ([\w.-]+) -->")
NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
POOLED = re.compile(r"^<!-- connects by PgBouncer as: (\w+) -->$", re.M)
OWN_NUMBERS = re.compile(r"^<!-- numbers are the machine\'s -->$", re.M)
COMMENT = re.compile(r"^<!-- .*$", re.M)
LANGUAGES = ("sql", "python", "sh", "text", "json", "markdown")
RUN = ("python", "sh")


class PageError(Exception):
    """The page cannot be tested as it is written."""


@dataclass
class Step:
    """A block of the page. `shown` is the output that the page shows, and its place."""

    page: str
    line: int
    language: str
    text: str
    file: str | None = None
    reason: str | None = None
    shown: str | None = None
    place: int = 0

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


class Recipe:
    """A page. `steps` lacks outputs and what is only shown."""

    def __init__(self, path: str) -> None:
        self.path = os.path.normpath(path)
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        pooled = POOLED.search(self.text)
        self.pooled_role = pooled[1] if pooled else None
        self.own_numbers = OWN_NUMBERS.search(self.text) is not None
        self.steps = self._steps()
        self._check_comments()

    def _steps(self) -> list[Step]:
        blocks = list(FENCED.finditer(self.text))
        opened = len(OPENING.findall(self.text))
        if opened != len(blocks):
            raise PageError(
                f"{self.path}: {opened} blocks begin, {len(blocks)} were read: a fence must be at the "
                "beginning of its line and names a language"
            )
        steps: list[Step] = []
        end = 0
        for block in blocks:
            language, comment = block["language"], block["comment"] or ""
            step = Step(self.path, self.text.count("\n", 0, block.start("language")) + 1, language, block["text"])
            if language not in LANGUAGES:
                raise PageError(f'{step}: no such language of a block: "{language}"')
            file, reason = FILE.search(comment), NOT_RUN.search(comment)
            step.file, step.reason = file and file[1], reason and reason[1]
            follows = bool(steps) and self.text[end : block.start()].strip() == ""
            end = block.end()
            if language == "text" and follows and not step.file:
                if steps[-1].shown is None and steps[-1].language in RUN:
                    steps[-1].shown, steps[-1].place = step.text, block.start("text")
                continue
            if step.file or step.reason or language in ("sql", *RUN):
                steps.append(step)
        steps = [step for step in steps if step.language != "sh" or step.shown is not None or step.reason]
        for step in steps:
            if step.language in RUN and not step.file and not step.reason and step.shown is None:
                raise PageError(f"{step}: a program without the ```text block that it prints")
        return steps

    def _check_comments(self) -> None:
        known = sum(bool(step.file) + bool(step.reason) for step in self.steps)
        known += len(POOLED.findall(self.text)) + len(OWN_NUMBERS.findall(self.text))
        if len(COMMENT.findall(self.text)) != known:
            raise PageError(f"{self.path}: a comment is not where, or as, tests/cookbook/recipe.py reads it")

    def programs(self) -> list[Step]:
        """The steps that are run and compared."""
        return [step for step in self.steps if step.language in RUN and not step.file and not step.reason]

    def left_out(self) -> list[Step]:
        """The steps that are only shown, with a reason."""
        return [step for step in self.steps if step.reason]

    def fill(self, outputs: dict[int, str]) -> None:
        """Writes outputs into the page, by the places of the old ones, the last first."""
        for step in reversed(self.programs()):
            if step.line in outputs:
                new = outputs[step.line]
                self.text = self.text[: step.place] + new + self.text[step.place + len(step.shown or "") :]
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.text)
