"""Every test runs in an event loop of its own, and each program that it starts is stopped with it."""

import inspect

import anyio
import pytest


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}

    async def run() -> None:
        with anyio.fail_after(150):
            await pyfuncitem.obj(**arguments)

    anyio.run(run)
    return True
