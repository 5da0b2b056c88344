"""Stores whose rows are not in their own tables, compared with a plain store that has the same rows."""

from __future__ import annotations

import os
import re

from .access import Access, Questions
from .server import Server

KINDS = ("answers", "explanations")
# With LONG=1 all 300 combinations of a memory, a query and a way of asking are asked.
EVERY = 1 if os.environ.get("LONG") else 3
ANSWERS = 300 // EVERY
SERIALIZABLE = {"default_transaction_isolation": "serializable"}


class Stores:
    """The stores of rows_elsewhere_stores.sql: "plain", which has the expected answers, and "template", which is empty;
    and the stores of the other scripts."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.add("stores", every=EVERY)
        self.keep()

    def add(self, script: str, **variables: str | int) -> None:
        self.server.psql_file(f"rows_elsewhere_{script}.sql", **variables)

    def said(self, store: str, kind: str = "answers", by: Questions | None = None) -> list[str]:
        """The answers of a store to all queries, a line each."""
        return (by or self.server).column(f"SELECT elsewhere.{kind}('{store}')")

    def keep(self) -> None:
        """Keeps the present answers of "plain" as the expected ones."""
        self.kept = {kind: self.said("plain", kind) for kind in KINDS}

    def difference(self, store: str, kind: str = "answers", by: Questions | None = None) -> str:
        """The first line in which a store differs from the kept answers; empty if all bytes are the same."""
        return difference(self.kept[kind], self.said(store, kind, by))

    def differences(self, store: str, by: Questions | None = None) -> list[str]:
        """The differences of searches and of the other reading functions."""
        return [said for kind in KINDS if (said := self.difference(store, kind, by))]

    def secure(self, store: str) -> None:
        self.server.run(f"SELECT memory_enable_row_security('{store}')")

    def make_reader(self) -> None:
        self.server.run("""
            CREATE ROLE elsewhere_reader;
            GRANT USAGE ON SCHEMA elsewhere TO elsewhere_reader;
            GRANT SELECT ON ALL TABLES IN SCHEMA elsewhere TO elsewhere_reader""")

    def reader(self, user: str) -> Access:
        """The role that may read, for a user."""
        return self.server.by(settings={"role": "elsewhere_reader", "memory_search.user_id": user})

    def users(self, store: str, user: str) -> set[str]:
        """The users whose entries the reader finds in a store."""
        found = re.findall('"userId": (?:"([^"]*)"|null)', "\n".join(self.said(store, by=self.reader(user))))
        return set(found)


def difference(expected: list[str], got: list[str]) -> str:
    """The first line that differs, from shortly before the place."""
    assert expected, "there is something to compare with"
    for number, (wanted, line) in enumerate(zip(expected, got, strict=False), 1):
        if line != wanted:
            place = len(os.path.commonprefix([wanted, line]))
            shown = [text[max(0, place - 60) : place + 140] for text in (wanted, line)]
            return f"line {number} ({wanted.split(': ')[0]}) differs at its byte {place}: {shown[0]} | {shown[1]}"
    return "" if len(got) == len(expected) else f"{len(got)} lines instead of {len(expected)}"


def with_entries(answers: list[str]) -> int:
    """The number of answers that have entries."""
    return sum('"rawEntry"' in answer for answer in answers)
