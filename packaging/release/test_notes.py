"""The notes of a release are the changelog's, of the version that the tag names."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import notes

CHANGELOG = """# Changelog

## [1.2.3] - 2026-12-01

What is new, in a paragraph
of two lines.

- **One** ([page](docs/guide/one.md#here),
  [site](https://example.org/x), [above](#top)).
- Two:
  ```sql
  SELECT 1
    FROM two;
  ```

| a |
|---|
| b |

## [1.2.2] - 2026-11-01

Older.
"""


class Notes(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.tree)
        (self.tree / "Cargo.toml").write_text('version = "1.2.3"\n')
        (self.tree / "CHANGELOG.md").write_text(CHANGELOG)

    def test_they_are_the_newest_section_with_a_line_for_each_paragraph(self) -> None:
        said = notes.notes(self.tree, "v1.2.3").split("\n")
        self.assertEqual(said[0], "What is new, in a paragraph of two lines.")
        self.assertTrue(said[2].startswith("- **One** (") and said[2].endswith("[above](#top))."), said)
        self.assertNotIn("Older", "\n".join(said))

    def test_code_and_tables_stay_as_they_are(self) -> None:
        said = notes.notes(self.tree)
        self.assertIn("- Two:\n  ```sql\n  SELECT 1\n    FROM two;\n  ```\n", said)
        self.assertIn("| a |\n|---|\n| b |", said)

    def test_a_link_to_a_file_is_one_to_the_file_of_the_tag(self) -> None:
        said = notes.notes(self.tree, "v1.2.3", "https://example.org/us/it/")
        self.assertIn("[page](https://example.org/us/it/blob/v1.2.3/docs/guide/one.md#here)", said)
        self.assertIn("[site](https://example.org/x), [above](#top)", said)

    def test_another_tag_and_a_section_without_a_day_are_refused(self) -> None:
        for tag in ("v1.2.4", "1.2.3", "v1.2.3-rc1"):
            with self.subTest(tag), self.assertRaisesRegex(SystemExit, "it would be v1.2.3"):
                notes.notes(self.tree, tag)
        (self.tree / "CHANGELOG.md").write_text(CHANGELOG.replace("2026-12-01", "unreleased"))
        with self.assertRaisesRegex(SystemExit, "YEAR-MONTH-DAY"):
            notes.notes(self.tree, "v1.2.3")
        self.assertIn("What is new", notes.notes(self.tree), "without a tag it is a look at what would be said")
        (self.tree / "CHANGELOG.md").write_text("# Changelog\n")
        with self.assertRaisesRegex(SystemExit, "no section"):
            notes.notes(self.tree)

    def test_the_notes_of_this_repository_have_a_line_for_each_entry(self) -> None:
        said = notes.notes(notes.versions.REPOSITORY)
        entries = [line for line in said.split("\n") if line.startswith("- ")]
        self.assertGreater(len(entries), 3)
        self.assertNotRegex(said, r"\n  \S", "no line goes on with the one before")


if __name__ == "__main__":
    unittest.main()
