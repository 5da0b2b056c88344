"""What all tests of this folder have: harness/plugin.py."""

import pytest

pytest.register_assert_rewrite("harness")

from harness.plugin import *  # noqa: E402, F403
