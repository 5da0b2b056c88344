"""The files of two processors come into one folder, if each processor has all of them."""

import hashlib
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import gather
import versions

VERSION = versions.version()
FILES = [
    *(f"postgresql-{n}-memory-search{part}_{VERSION}-1_DEBIAN.deb" for n in (16, 17, 18) for part in ("", "-dbgsym")),
    f"memory-search-model-wordllama_{VERSION}-1_all.deb",
    f"memory_search-{VERSION}-pg18-KERNEL.tar.gz",
    f"memory_search-{VERSION}.zip",
    f"memory_search_server-{VERSION}-py3-none-manylinux_2_GLIBC_KERNEL.whl",
]


class Gather(unittest.TestCase):
    def setUp(self) -> None:
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        self.out = self.work / "out"
        # All wheels of this repository.
        projects = sorted(versions.REPOSITORY.glob("*/*/pyproject.toml"))
        names = [re.search(r'(?m)^name = "(.*)"', path.read_text()).group(1).replace("-", "_") for path in projects]
        self.files = [*FILES, *(f"{name}-{VERSION}-py3-none-manylinux_2_GLIBC_KERNEL.whl" for name in names)]
        self.x86 = self.folder("x86_64", "amd64", "34")
        self.arm = self.folder("aarch64", "arm64", "35")

    def folder(self, kernel: str, debian: str, glibc: str) -> Path:
        folder = self.work / kernel
        folder.mkdir()
        for name in self.files:
            name = name.replace("KERNEL", kernel).replace("DEBIAN", debian).replace("GLIBC", glibc)
            (folder / name).write_text(f"the bytes of {name}")
        self.sum(folder)
        return folder

    def sum(self, folder: Path) -> None:
        files = sorted(path for path in folder.iterdir() if path.name != gather.SUMS)
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
        (folder / gather.SUMS).write_text("".join(lines))

    def gathered(self) -> list[str]:
        return gather.gather(self.out, [self.x86, self.arm])

    def assert_refused(self, *parts: str) -> None:
        with self.assertRaises(SystemExit) as refused:
            self.gathered()
        for part in parts:
            self.assertIn(part, str(refused.exception))
        self.assertFalse(self.out.exists() and any(self.out.iterdir()), "nothing was gathered")

    def test_all_files_of_both_are_there_with_the_checksums_of_all(self) -> None:
        said = self.gathered()
        names = {path.name for folder in (self.x86, self.arm) for path in folder.iterdir()}
        self.assertEqual({path.name for path in self.out.iterdir()}, names)
        self.assertEqual(said, [f"{len(names) - 1} files for x86_64 and aarch64, and SHA256SUMS"])
        sums = dict(line.split()[::-1] for line in (self.out / gather.SUMS).read_text().splitlines())
        self.assertEqual(sums.keys(), names - {gather.SUMS})
        for name, digest in sums.items():
            self.assertEqual(digest, hashlib.sha256((self.out / name).read_bytes()).hexdigest())

    def test_a_package_that_one_processor_lacks_is_reported(self) -> None:
        for pattern, what in (
            ("*17-memory-search_*", "postgresql-17-memory-search_"),
            ("*.tar.gz", "tar.gz"),
            ("*.whl", ".whl"),
        ):
            with self.subTest(pattern):
                path = next(self.arm.glob(pattern))
                path.unlink()
                self.sum(self.arm)
                self.assert_refused(f"{self.arm} has no", what, "which another has")
                path.write_text("again")
                self.sum(self.arm)

    def test_a_package_that_both_lack_is_reported(self) -> None:
        for pattern, what in (
            ("postgresql-16-memory-search_*", "the Debian package postgresql-16-memory-search"),
            ("*_all.deb", "the Debian package of a model"),
            ("*.zip", "the distribution for PGXN"),
            ("*.tar.gz", "the tar file"),
            ("memory_search_mcp-*.whl", "the wheel of crates/mcp"),
            ("memory_search_server-*.whl", "the wheel of packaging/server_wheel"),
        ):
            with self.subTest(what):
                paths = [next(folder.glob(pattern)) for folder in (self.x86, self.arm)]
                for path in paths:
                    path.unlink()
                    self.sum(path.parent)
                self.assert_refused(f"no folder has {what}")
                for path in paths:
                    path.write_text("again")
                    self.sum(path.parent)

    def test_an_incomplete_folder_is_reported(self) -> None:
        path = next(self.arm.glob("*.zip"))
        path.write_text("cut")
        self.assert_refused(f"{path} is not the file that its SHA256SUMS means")
        path.unlink()
        self.assert_refused(f"{self.arm} lacks {path.name}")
        self.sum(self.arm)
        (self.arm / "more").write_text("more")
        self.assert_refused("more is not in its SHA256SUMS")
        (self.arm / gather.SUMS).unlink()
        self.assert_refused(f"{self.arm} has no SHA256SUMS")

    def test_two_folders_of_one_processor_and_a_mixed_one_are_refused(self) -> None:
        shutil.rmtree(self.arm)
        self.arm = shutil.copytree(self.x86, self.work / "again")
        self.assert_refused("are both for x86_64")
        (self.arm / f"postgresql-18-memory-search_{VERSION}-1_arm64.deb").write_text("mixed")
        (self.arm / f"postgresql-18-memory-search_{VERSION}-1_amd64.deb").unlink()
        self.sum(self.arm)
        self.assert_refused("is for aarch64 and x86_64: one is meant")

    def test_a_file_of_another_version_is_refused(self) -> None:
        for folder in (self.x86, self.arm):
            (folder / "memory-search-model-wordllama_0.0.9-1_all.deb").write_text("old")
            self.sum(folder)
        self.assert_refused("memory-search-model-wordllama_0.0.9-1_all.deb is not of version")

    def test_a_file_for_all_processors_that_differs_is_reported_and_the_first_is_taken(self) -> None:
        path = next(self.arm.glob("*.zip"))
        path.write_text("other bytes")
        self.sum(self.arm)
        said = self.gathered()
        self.assertEqual(said[0], f"{path.name} differs between processors: that of {self.x86} is taken")
        self.assertEqual((self.out / path.name).read_text(), (self.x86 / path.name).read_text())

    def test_a_folder_with_something_in_it_is_left_as_it_is(self) -> None:
        self.out.mkdir()
        (self.out / "kept").write_text("kept")
        with self.assertRaisesRegex(SystemExit, "is not empty"):
            self.gathered()
        self.assertEqual([path.name for path in self.out.iterdir()], ["kept"])


if __name__ == "__main__":
    unittest.main()
