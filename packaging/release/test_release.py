"""A release that cannot be made here says so before it compiles anything."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).parent / "release.sh"
NEEDED = ("dpkg-deb", "mmdebstrap", "lintian")


class WhatIsMissing(unittest.TestCase):
    def test_programs_that_the_tests_of_packages_need_are_asked_for_at_once(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            # Every program of this machine but these.
            for place in os.environ["PATH"].split(os.pathsep):
                for program in Path(place).glob("*"):
                    link = Path(folder, program.name)
                    if program.name not in NEEDED and not link.is_symlink():
                        link.symlink_to(program)
            ended = subprocess.run([SCRIPT], env=os.environ | {"PATH": folder}, capture_output=True, text=True)
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("dpkg mmdebstrap lintian missing: apt-get install dpkg mmdebstrap lintian", ended.stderr)
        self.assertEqual(ended.stdout, "", "nothing was begun")


if __name__ == "__main__":
    unittest.main()
