"""A release that cannot be made here says so before it compiles anything."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import freeze
import versions

SCRIPT = Path(__file__).parent / "release.sh"
NEEDED = ("dpkg-deb", "mmdebstrap", "lintian")


class WhatIsMissing(unittest.TestCase):
    def test_missing_programs_for_the_tests_of_packages_are_reported_together(self) -> None:
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


class TreeOnly(unittest.TestCase):
    """Checks of the tree and of git, without set-up and compiler."""

    def setUp(self) -> None:
        self.tree = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.tree)
        names = [
            ".gitignore",
            "Cargo.toml",
            "CHANGELOG.md",
            "docs/operations.md",
            *(name for name, _, _ in versions.PLACES),
        ]
        for name in [*names, "packaging", "pgrx-config", "sql"]:
            source, to = versions.REPOSITORY / name, self.tree / name
            to.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, to)
        self.version = versions.version(self.tree)
        log = self.tree / "CHANGELOG.md"
        log.write_text(re.sub(r"(?m)^## .*$", f"## [{self.version}] - 2026-12-01", log.read_text(), count=1))
        freeze.freeze(self.tree, again=True)
        self.git("init", "-q")
        self.commit()

    def git(self, *words: str) -> None:
        who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=self.tree, check=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a commit")

    def run_script(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.tree / "packaging/release/release.sh", "--tree-only"],
            env=os.environ | {"MEMORY_SEARCH_DEV": str(self.tree / "none")},
            capture_output=True,
            text=True,
        )

    def test_a_tree_that_may_be_released_passes_and_nothing_is_made(self) -> None:
        ended = self.run_script()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(f"the tree is that of a release of {self.version}", ended.stdout)
        self.assertFalse((self.tree / "none").exists() or (self.tree / "dist").exists())

    def test_a_change_without_a_commit_and_a_tag_of_another_commit_are_refused(self) -> None:
        self.git("tag", f"v{self.version}")
        self.assertEqual(self.run_script().returncode, 0, "the tag of this commit is what is released")
        self.commit()
        ended = self.run_script()
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn(f"the tag v{self.version} is that of another commit", ended.stderr)
        (self.tree / "new").write_text("new")
        ended = self.run_script()
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("?? new", ended.stderr)


if __name__ == "__main__":
    unittest.main()
