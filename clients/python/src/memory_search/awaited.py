"""Blocking calls for interfaces that are awaited."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def beside_loop(call: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """The result of a call that is made in a thread.

    A caller that is cancelled meanwhile is told after the call has ended, so that nothing is written later.
    """
    made = asyncio.ensure_future(asyncio.to_thread(call, *arguments, **named))
    try:
        return await asyncio.shield(made)
    except asyncio.CancelledError:
        while not made.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([made])
        if not made.cancelled():
            # The exception is retrieved, because otherwise the loop would report it as lost.
            made.exception()
        raise
