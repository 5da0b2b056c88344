"""Runs a suite and prints the number of tests that passed.

    judge.py SUITE | --list | --packages SUITE | --table | --check-table PAGE

suites.toml has the suites, their bars, and the tests that fail by design; `--packages` prints the list in requirements/
that a suite runs with.
"""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

FOLDER = Path(__file__).parent
QUIET = ["-q", "--no-header", "--no-summary", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto"]
SHOW = ["--tb=short", "-W", "ignore"]


class Outcomes:
    """The names of the tests that passed, and of those that failed or were skipped."""

    def __init__(self) -> None:
        self.passed: set[str] = set()
        self.others: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test passes if its set-up, call and end pass."""
        name = name_of(report.nodeid)
        if report.outcome != "passed":
            self.others.add(name)
        elif report.when == "call":
            self.passed.add(name)


def name_of(node: str) -> str:
    """The test's name with its parameters, which may contain colons."""
    function, bracket, parameters = node.partition("[")
    return function.split("::")[-1] + bracket + parameters


def judge(suite: dict, passed: set[str], failed: set[str]) -> list[str]:
    """The faults of these outcomes."""
    complaints = []
    if len(passed) + len(failed) != suite["cases"]:
        complaints.append(f"{len(passed) + len(failed)} tests ran, not {suite['cases']}")
    if len(passed) < suite["bar"]:
        complaints.append(f"fewer than {suite['bar']} passed")
    explained: set[str] = set()
    for listed in suite.get("by_design", {}):
        prefix = listed.removesuffix("*")
        meant = {name for name in passed | failed if name == listed or (listed != prefix and name.startswith(prefix))}
        if not meant:
            complaints.append(f"listed as failing, but not there: {listed}")
        complaints += [f"listed as failing, but passes: {name}" for name in sorted(meant & passed)]
        explained |= meant
    complaints += [f"fails, and is not listed: {name}" for name in sorted(failed - explained)]
    return complaints


def table_of(suites: dict) -> str:
    """The tests that fail by design, as a table of the guide."""
    rows = ["| suite | test that fails | why |", "|---|---|---|"]
    for suite in suites.values():
        for test, reason in suite.get("by_design", {}).items():
            rows.append(f"| {suite['about']} | `{test.replace('|', chr(92) + '|')}` | {reason} |")
    return "\n".join(rows)


def main() -> int:
    """Runs one suite; 0 if the outcome is the one in suites.toml."""
    suites = tomllib.loads((FOLDER / "suites.toml").read_text())
    if sys.argv[1] == "--list":
        print("\n".join(suites))
        return 0
    if sys.argv[1] in ("--table", "--check-table"):
        table = table_of(suites)
        if sys.argv[1] == "--table":
            print(table)
        elif table not in Path(sys.argv[2]).read_text():
            print(f"{sys.argv[2]} has not the table that judge.py --table prints", file=sys.stderr)
            return 1
        return 0
    name = sys.argv[-1]
    if name not in suites:
        print(f"{name} is none of the suites: {', '.join(suites)}", file=sys.stderr)
        return 1
    suite = suites[name]
    if sys.argv[1] == "--packages":
        print(suite.get("packages", "stores"))
        return 0
    # The import is here, because a caller that only reads needs no packages.
    import pytest

    os.environ |= suite.get("environment", {})
    outcomes = Outcomes()
    tests = [str(FOLDER / test) for test in suite["tests"]]
    pytest.main([*QUIET, *SHOW, "-c", os.devnull, f"--rootdir={FOLDER}", *tests], plugins=[outcomes])
    passed, failed = outcomes.passed - outcomes.others, outcomes.others
    print(f"{name}, {suite['about']}: {len(passed)} of {suite['cases']} passed, at least {suite['bar']} must")
    for listed, reason in suite.get("by_design", {}).items():
        print(f"    by design: {listed}: {reason}")
    complaints = judge(suite, passed, failed)
    for complaint in complaints:
        print(f"    {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
