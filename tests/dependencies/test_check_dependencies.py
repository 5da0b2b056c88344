"""check_dependencies.py finds each kind of violation."""

import unittest

from check_dependencies import SOURCE, allowed, check


def metadata(*packages, edges=()):
    """Packages as (name, version, licence, source); edges as (from, to, kind) by place."""
    return {
        "packages": [
            {
                "id": place,
                "name": p[0],
                "version": p[1],
                "license": p[2],
                "source": p[3],
                "targets": [{"kind": ["lib"]}],
            }
            for place, p in enumerate(packages)
        ],
        "resolve": {
            "nodes": [
                {
                    "id": place,
                    "deps": [{"pkg": to, "dep_kinds": [{"kind": kind}]} for one, to, kind in edges if one == place],
                }
                for place in range(len(packages))
            ]
        },
    }


ROOT = ("memory_search", "1.0.0", "PostgreSQL", None)


class CheckDependencies(unittest.TestCase):
    def test_one_allowed_choice_is_enough_and_all_parts_are_needed(self):
        for licence in ["MIT", "GPL-3.0 OR MIT", "Unlicense/MIT", "(MIT OR GPL-3.0) AND Unicode-3.0"]:
            self.assertTrue(allowed(licence), licence)
        for licence in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND GPL-3.0", "", None, "GPL-2.0 WITH MIT"]:
            self.assertFalse(allowed(licence), licence)

    def test_a_licence_and_a_source_that_are_not_allowed_are_found(self):
        packages = [ROOT, ("a", "1", "AGPL-3.0", SOURCE), ("b", "1", "MIT", "git+https://example.org/b")]
        wrong = check(metadata(*packages), duplicates={})
        self.assertEqual([line.split()[0] for line in wrong], ["a", "b"])

    def test_two_linked_versions_are_found_and_build_dependencies_do_not_count(self):
        packages = [ROOT, ("a", "1", "MIT", SOURCE), ("a", "2", "MIT", SOURCE)]
        both = metadata(*packages, edges=[(0, 1, None), (0, 2, None)])
        self.assertEqual(len(check(both, duplicates={})), 1)
        self.assertEqual(check(both, duplicates={"a": "for a reason"}), [])
        one = metadata(*packages, edges=[(0, 1, None), (0, 2, "build")])
        self.assertEqual(check(one, duplicates={}), [])
        self.assertEqual(len(check(one, duplicates={"a": "for a reason"})), 1)


if __name__ == "__main__":
    unittest.main()
