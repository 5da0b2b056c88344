"""A server whose commits wait until another server has applied them, so that no test polls for rows.

The primary needs "synchronous_standby_names = '*'", or a subscription's name in place of '*'."""

from __future__ import annotations

import dataclasses
from typing import Any

from .access import Access, Questions, within
from .server import Server


@dataclasses.dataclass(frozen=True)
class Followed(Questions):
    """Queries on a primary or publisher; the follower has their changes when they return."""

    access: Access
    follower: Server

    def by(self, **who: Any) -> Followed:
        return dataclasses.replace(self, access=self.access.by(**who))

    def execute(self, sql: str, *parameters: Any) -> list[tuple]:
        waiting = self.access.by(settings={"synchronous_commit": "remote_apply"})
        # The limit applies if the follower does not follow; its log has the reason.
        with within(60, lambda: f"on the primary and its follower: {sql}; {self.follower.log[-1000:]}"):
            return waiting.execute(sql, *parameters)
