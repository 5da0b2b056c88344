"""A server whose commits are waited for until another has applied them, so that no test polls for rows.

The primary needs "synchronous_standby_names = '*'", or a subscription's name in place of '*'."""

from __future__ import annotations

import dataclasses
from typing import Any

from .access import Access, Questions, within
from .server import Server


@dataclasses.dataclass(frozen=True)
class Followed(Questions):
    """Questions to a primary or publisher; their changes are on the follower when they are answered."""

    access: Access
    follower: Server

    def by(self, **who: Any) -> Followed:
        return dataclasses.replace(self, access=self.access.by(**who))

    def execute(self, sql: str, *parameters: Any) -> list[tuple]:
        waiting = self.access.by(settings={"synchronous_commit": "remote_apply"})
        # The limit is for a follower that does not follow; its log says why.
        with within(60, lambda: f"on the primary and its follower: {sql}; {self.follower.log[-1000:]}"):
            return waiting.execute(sql, *parameters)
