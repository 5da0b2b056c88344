"""The fixtures and the count of assertions for tests that need servers and sessions of their own. tests/README.md
describes how to write one."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from .server import KEEP, Server, Servers

KEPT = pytest.StashKey[list[Path]]()

# --- Servers --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def servers(pytestconfig: pytest.Config):
    """Starts servers for a module's tests: servers.start("work_mem = '8MB'"), servers.standby(primary)."""
    servers = Servers()
    try:
        yield servers
    finally:
        servers.remove()
        pytestconfig.stash[KEPT] += [server.folder for server in servers.all if KEEP]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    """A server with the extension. A module that needs settings has a fixture of this name itself."""
    server = servers.start()
    server.create_extension()
    return server


@pytest.fixture(autouse=True)
def clean_logs(servers: Servers):
    """No test leaves a crash or an internal error in a server's log."""
    yield
    for server in servers.all:
        server.check_log()


@pytest.fixture
def say(capsys: pytest.CaptureFixture):
    """say("...") prints a measurement that the test does not check, also if the test passes."""

    end_of_line = ["\n"]  # of the test's name, which pytest has printed

    def say(text: str) -> None:
        with capsys.disabled():
            print(f"{end_of_line.pop() if end_of_line else ''}{text}", flush=True)

    return say


# --- What is counted ------------------------------------------------------------------------------

CHECKS = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[CHECKS] = 0
    config.stash[KEPT] = []
    # After a signal, it still removes its servers.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))


def pytest_assertion_pass(item: pytest.Item, lineno: int, orig: str, expl: str) -> None:
    item.config.stash[CHECKS] += 1


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function):
    before = pyfuncitem.config.stash[CHECKS]
    result = yield
    if pyfuncitem.config.stash[CHECKS] == before:
        pytest.fail("it checks nothing")
    return result


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int):
    yield
    # No test may be skipped silently, or be expected to fail.
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    left_out = [kind for kind in ("skipped", "xfailed", "xpassed") if reporter and reporter.stats.get(kind)]
    if left_out:
        print(f"\nA test was {left_out[0]}: it checks nothing", file=sys.stderr)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config: pytest.Config) -> None:
    for folder in config.stash[KEPT]:
        print(f"kept: {folder}", flush=True)
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter and reporter.stats.get("passed"):
        print(f"{config.stash[CHECKS]} checks passed", flush=True)
