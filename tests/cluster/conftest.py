"""Loads harness/plugin.py, which all tests of this folder use."""

import pytest

pytest.register_assert_rewrite("harness")

from harness.plugin import *  # noqa: E402, F403
