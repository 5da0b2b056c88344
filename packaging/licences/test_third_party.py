"""Compiled code is distributed with the licence of each crate in it, and a crate without one is named."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import third_party

TREE = ["cargo", "tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none", "--package"]
SHIPPED = {"memory_search": ["--no-default-features", "--features", "pg18"], "memory-search-mcp": []}


class Shipped(unittest.TestCase):
    """Cargo's own tree against what is written; both are of the platform of this machine."""

    def test_each_crate_of_the_tree_is_named_and_has_a_text(self) -> None:
        for root, features in SHIPPED.items():
            command = [*TREE, root, *features]
            tree = subprocess.run(command, cwd=third_party.REPOSITORY, check=True, capture_output=True, text=True)
            wanted = {
                f"{name} {version}" for name, version in re.findall(r"(?m)^(\S+) v(\S+)(?: \(\*\))?$", tree.stdout)
            }
            self.assertGreater(len(wanted), 50, "the tree was understood")
            packages = third_party.others(root)
            faults, texts = third_party.collect(packages, third_party.WITHOUT_TEXT)
            self.assertEqual(faults, [])
            written = third_party.document(root, packages, texts, "")
            with_text = {label for users in texts.values() for label in users}
            for label in sorted(wanted):
                with self.subTest(f"{root}: {label}"):
                    self.assertIn(f"\n{label}: ", written)
                    self.assertIn(label, with_text)

    def test_the_standard_library_and_code_in_it_by_others_are_listed(self) -> None:
        said = third_party.standard_library()
        for part in ("Apache License", "hashbrown", "gimli", "Permission is hereby granted"):
            self.assertIn(part, said)
        self.assertNotIn("</", said)


class Collected(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def crate(self, name: str, licence: str = "MIT", **files: str) -> dict:
        folder = Path(self.folder.name, name)
        for path, text in files.items():
            (folder / path.replace("__", "/")).parent.mkdir(parents=True, exist_ok=True)
            (folder / path.replace("__", "/")).write_text(text)
        return {"name": name, "version": "1.0.0", "license": licence, "manifest_path": str(folder / "Cargo.toml")}

    def test_every_licence_file_is_taken_and_no_other(self) -> None:
        files = {
            "LICENSE-MIT": "a",
            "COPYING": "b",
            "NOTICE.md": "c",
            "src__spin__LICENSE": "d",
            "LICENSES__ISC.txt": "e",
        }
        others = {"src__license.rs": "x", "README.md": "x", "licensee": "x", "LICENSES__build.py": "x"}
        faults, texts = third_party.collect([self.crate("one", **files, **others)], {})
        self.assertEqual((faults, sorted(texts)), ([], ["a", "b", "c", "d", "e"]))

    def test_texts_that_differ_in_spaces_are_one_with_all_their_crates(self) -> None:
        crates = [self.crate("one", LICENSE="to any\nperson"), self.crate("two", LICENSE="to any  person\n")]
        _, texts = third_party.collect(crates, {})
        self.assertEqual(texts, {"to any\nperson": ["one 1.0.0", "two 1.0.0"]})

    def test_a_crate_without_a_text_is_a_fault_until_its_copyright_holder_is_listed(self) -> None:
        bare = self.crate("bare")
        faults, texts = third_party.collect([bare], {})
        self.assertEqual(len(faults), 1)
        self.assertIn("bare 1.0.0, MIT, brings no licence", faults[0])
        faults, texts = third_party.collect([bare], {"bare": ["Copyright (c) Somebody"]})
        self.assertEqual(faults, [])
        (text,) = texts
        self.assertTrue(text.startswith("Copyright (c) Somebody\n\nPermission is hereby granted"), text)

    def test_a_listed_copyright_of_a_crate_with_its_text_or_another_licence_is_a_fault(self) -> None:
        said = {"bare": ["Copyright (c) Somebody"]}
        faults, _ = third_party.collect([self.crate("bare", LICENSE="its own")], said)
        self.assertIn("brings its licence by now", faults[0])
        Path(self.folder.name, "bare", "LICENSE").unlink()
        faults, _ = third_party.collect([self.crate("bare", licence="ISC")], said)
        self.assertIn("has the licence ISC", faults[0])


if __name__ == "__main__":
    unittest.main()
