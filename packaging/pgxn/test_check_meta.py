"""META.json passes, and each mistake in it is reported."""

import copy
import json
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import check_meta

META = json.loads((check_meta.REPOSITORY / "META.json").read_text())


class Meta(unittest.TestCase):
    def faults(self, change) -> list[str]:
        meta = copy.deepcopy(META)
        change(meta)
        return list(check_meta.faults(meta, check_meta.REPOSITORY))

    def test_ours_is_as_the_spec_wants_it(self) -> None:
        self.assertEqual(self.faults(lambda meta: None), [])

    def test_each_mistake_is_reported_once(self) -> None:
        extension = "memory_search"
        for said, change in [
            ("abstract is missing", lambda meta: meta.pop("abstract")),
            ("licence is no field", lambda meta: meta.update(licence="postgresql")),
            ("name is no name", lambda meta: meta.update(name="memory search")),
            ("version is no version", lambda meta: meta.update(version="0.2")),
            ("version is no version", lambda meta: meta.update(version="0.02.0")),
            ("maintainer is neither", lambda meta: meta.update(maintainer=[])),
            ("license 'PostgreSQL' is none", lambda meta: meta.update(license="PostgreSQL")),
            ("tags is neither", lambda meta: meta.update(tags=[1])),
            ("meta-spec.version", lambda meta: meta["meta-spec"].update(version="1.1.0")),
            ("provides names no extension", lambda meta: meta.update(provides={})),
            ("provides.memory_search.version", lambda meta: meta["provides"][extension].pop("version")),
            ("is no file: gone.control", lambda meta: meta["provides"][extension].update(file="gone.control")),
            ("prereqs.run is no phase", lambda meta: meta.update(prereqs={"run": {}})),
            ("prereqs.runtime.needs is no relation", lambda meta: meta["prereqs"]["runtime"].update(needs={})),
            (
                "prereqs.runtime.requires.vector",
                lambda meta: meta["prereqs"]["runtime"]["requires"].update(vector="0.8"),
            ),
        ]:
            with self.subTest(said):
                found = self.faults(change)
                self.assertEqual(len(found), 1, found)
                self.assertIn(said, found[0])


if __name__ == "__main__":
    unittest.main()
