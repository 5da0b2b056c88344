"""A tree that may be released passes, and each fault is reported."""

import hashlib
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import check_release
import freeze
import versions

FILES = ["Cargo.toml", "CHANGELOG.md", "docs/operations.md", *(name for name, _, _ in versions.PLACES)]


class Release(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.tree)
        for name in FILES:
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(versions.REPOSITORY / name, self.tree / name)
        shutil.copytree(versions.REPOSITORY / "sql", self.tree / "sql")
        self.version = versions.version(self.tree)
        log = self.tree / "CHANGELOG.md"
        log.write_text(re.sub(r"(?m)^## .*$", f"## [{self.version}] - 2026-12-01", log.read_text(), count=1))
        freeze.freeze(self.tree, again=True)

    def script(self) -> Path:
        return self.tree / f"sql/memory_search--{self.version}.sql"

    def frozen(self) -> Path:
        return self.tree / f"sql/releases/memory_search--{self.version}.sql"

    def note_frozen(self) -> None:
        """The checksums of every script that is there."""
        scripts = sorted(self.frozen().parent.glob("memory_search--*.sql"))
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in scripts]
        (self.frozen().parent / "SHA256SUMS").write_text("".join(lines))

    def change(self, name: str, old: str, new: str) -> None:
        """A replacement that changes nothing would prove nothing, except if the section has its day already."""
        text = (self.tree / name).read_text()
        if "unreleased" not in old:
            self.assertIn(old, text)
        (self.tree / name).write_text(text.replace(old, new, 1))

    def faults(self) -> list[str]:
        return list(check_release.faults(self.tree))

    def assert_fault(self, *parts: str) -> None:
        found = self.faults()
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_a_frozen_version_with_a_day_in_the_changelog_may_be_released(self) -> None:
        self.assertEqual(self.faults(), [])

    def test_every_place_that_names_another_version_is_reported(self) -> None:
        for name, _, _ in versions.PLACES:
            with self.subTest(name):
                kept = (self.tree / name).read_text()
                self.change(name, self.version, "9.9.9")
                self.assert_fault(name, "9.9.9")
                (self.tree / name).write_text(kept)

    def test_a_new_version_is_written_everywhere_from_one_place(self) -> None:
        self.change("Cargo.toml", f'version = "{self.version}"', 'version = "9.9.9"')
        self.assertEqual(len(versions.others(self.tree)), 10)
        versions.write(self.tree)
        self.assertEqual(versions.others(self.tree), [])
        self.assertIn('"vector": "0.8.0"', (self.tree / "META.json").read_text(), "what is required stays")

    def test_a_missing_place_is_reported(self) -> None:
        self.change("clients/typescript/package.json", '"version"', '"other"')
        self.assert_fault("package.json", "0 times")

    def test_a_version_without_a_day_is_no_release(self) -> None:
        day = "## [" + self.version + "] - "
        text = (self.tree / "CHANGELOG.md").read_text()
        line = next(line for line in text.splitlines() if line.startswith(day))
        self.change("CHANGELOG.md", line, day + "unreleased")
        self.assert_fault("CHANGELOG.md", "YEAR-MONTH-DAY")

    def test_a_changelog_that_begins_with_another_version_is_reported(self) -> None:
        self.change("CHANGELOG.md", f"## [{self.version}]", "## [9.9.9]")
        self.assert_fault("[9.9.9]")

    def test_a_script_that_is_not_frozen_or_differs_from_the_frozen_one_is_reported(self) -> None:
        self.frozen().write_text(self.frozen().read_text() + "SELECT 1;\n")
        self.note_frozen()
        self.assert_fault("is not what")
        self.frozen().unlink()
        self.note_frozen()
        self.assert_fault("not frozen")

    def test_a_released_script_that_has_changed_is_reported(self) -> None:
        with self.assertRaisesRegex(SystemExit, "frozen already"):
            freeze.freeze(self.tree)
        text = self.frozen().read_text()
        self.frozen().write_text(text.replace("\n", "\n--\n", 1))
        self.assertIn(f"sql/releases/{self.frozen().name} has changed since it was frozen", self.faults())
        self.frozen().write_text(text)
        sums = self.frozen().parent / "SHA256SUMS"
        lines = sums.read_text()
        sums.write_text(lines + f"{'0' * 64}  memory_search--0.0.9.sql\n")
        self.assert_fault("0.0.9.sql is gone")
        sums.write_text(lines.replace(self.frozen().name, "memory_search--0.0.8.sql"))
        self.assertIn(f"sql/releases/{self.frozen().name} is not in SHA256SUMS", " ".join(self.faults()))

    def test_a_release_without_updates_to_this_one_is_reported(self) -> None:
        (self.tree / "sql/releases/memory_search--0.0.9.sql").write_text("--\n")
        self.note_frozen()
        found = self.faults()
        self.assertIn(f"no update scripts lead from 0.0.9 to {self.version}", found)
        self.assertTrue(any("no row from 0.0.9" in fault for fault in found), found)
        (self.tree / f"sql/memory_search--0.0.9--{self.version}.sql").write_text("--\n")
        self.assert_fault(f"no row from 0.0.9 to {self.version}")

    def test_a_version_older_than_a_release_is_reported(self) -> None:
        (self.tree / "sql/releases/memory_search--9.9.9.sql").write_text("--\n")
        self.note_frozen()
        self.assert_fault("9.9.9 is released already")


if __name__ == "__main__":
    unittest.main()
