"""Tests that are in a package's source distribution, but not in its wheel."""

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

FETCHED = Path(os.environ["SUITE_SOURCES"])


def import_from(distribution: str, module: str) -> ModuleType:
    """A module of an unpacked source distribution."""
    (folder,) = FETCHED.glob(f"{distribution}-*/")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module(module)
