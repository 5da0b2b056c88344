"""Calls that wait, for interfaces that are awaited."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def beside_loop(call: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """What a call returns that is made in a thread.

    A caller who is cancelled meanwhile learns it when the call has ended: nothing is written behind its back.
    """
    made = asyncio.ensure_future(asyncio.to_thread(call, *arguments, **named))
    try:
        return await asyncio.shield(made)
    except asyncio.CancelledError:
        while not made.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([made])
        if not made.cancelled():
            # Looked at, or the loop would report it as lost.
            made.exception()
        raise
