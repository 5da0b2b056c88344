"""Every test runs in an event loop of its own, and each program that it starts is stopped with it."""

import inspect
import signal

import anyio
import pytest

# A shell starts background jobs with SIGINT ignored, and a program that starts so leaves the signal alone.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}

    async def run() -> None:
        with anyio.fail_after(150):
            await pyfuncitem.obj(**arguments)

    anyio.run(run)
    return True
