"""Does check_layers.py see what it is for? Each test makes a small repository with one thing wrong."""

import tempfile
import unittest
from pathlib import Path

import check_layers
import rules
from rust_source import code_of, expand

GOOD = {
    "src/lib.rs": "#![deny(unsafe_code)]\nmod api;\n#[allow(unsafe_code)]\nmod index;\n#[allow(unsafe_code)]\nmod pg;\n"
    "mod search;\nmod store;\n",
    "src/index/mod.rs": "use crate::pg::spi;\nfn f() { unsafe {} }\n",
    "src/api/mod.rs": "mod find;\n",
    "src/api/find.rs": "use crate::search;\nuse crate::pg::spi;\n",
    "src/search/mod.rs": "use crate::store::definition::Store;\nfn f() { crate::pg::spi::run() }\n",
    "src/store/mod.rs": "pub mod definition;\npub mod writing;\n",
    "src/store/writing/mod.rs": "pub mod add;\n",
    "src/store/writing/add.rs": "use super::super::definition::{self, Store};\n",
    "src/store/definition/mod.rs": "use crate::pg::spi;\n",
    "src/pg/mod.rs": "pub mod spi;\n",
    "src/pg/spi.rs": "pub fn run() { unsafe {} }\n",
    "crates/core/src/lib.rs": "#![forbid(unsafe_code)]\npub mod error;\npub mod rank;\npub use error::Error;\n",
    "crates/core/src/error.rs": "pub struct Error;\n",
    "crates/core/src/rank.rs": "use crate::Error;\n",
    "CONTRIBUTING.md": "",
}
ROWS = """\
| `src/api/` | the functions | `search`, `index`, `store`, `embed`, `pg` |
| `src/search/` | the pipeline | `index`, `store::links::following`, `store::predicate`, `store::definition`, `embed`, `pg` |
| `src/index/` | the memory index | `pg` |
| `src/store/` | stores | |
| `src/store/doctor/` | health | `store::adopted`, `store::schema`, `store::writing`, `store::recording`, `store::predicate`, `store::definition`, `embed`, `pg` |
| `src/store/adopted/` | other tables | `store::schema`, `store::writing`, `store::definition`, `pg` |
| `src/store/schema/` | stores as schemas | `store::rights`, `store::recording`, `store::definition`, `embed`, `pg` |
| `src/store/rights/` | privileges | `store::recording`, `store::definition`, `pg` |
| `src/store/transfer/` | lines | `store::writing`, `store::reading`, `store::links`, `store::definition`, `pg` |
| `src/store/lifecycle/` | ends | `store::reading`, `store::links`, `store::recording`, `store::statements`, `store::predicate`, `store::definition`, `pg` |
| `src/store/writing/` | changes | `store::statements`, `store::predicate`, `store::definition`, `embed`, `pg` |
| `src/store/reading/` | reads | `store::recording`, `store::statements`, `store::predicate`, `store::definition`, `pg` |
| `src/store/links/` | links | `store::links::following`, `store::statements`, `store::predicate`, `store::definition`, `pg` |
| `src/store/links/following/` | links followed | `store::predicate`, `store::definition`, `pg` |
| `src/store/recording/` | history | `store::definition`, `pg` |
| `src/store/statements/` | locks | `store::predicate`, `store::definition`, `pg` |
| `src/store/predicate/` | conditions | `store::definition`, `pg` |
| `src/store/definition/` | what a store is | `embed`, `pg` |
| `src/embed/` | vectors | `pg` |
| `src/pg/` | the kit | |
| `crates/core/` | the engine | `crates/analyzer` |
| `crates/analyzer/` | words | |
| `crates/pgformat/` | bytes | `crates/core` |
| `crates/index/` | the memory index | `crates/core` |
| `crates/embedder/` | vectors | `crates/tiles` |
| `crates/tiles/` | products | |
| `crates/install_script/` | a program | |
| `crates/client/` | a base | `crates/core` |
| `crates/explore/` | pages | `crates/client`, `crates/core` |
| `crates/metrics/` | figures | `crates/client` |
| `crates/watch/` | work | `crates/metrics`, `crates/client` |
| `crates/mcp/` | a program | `crates/explore`, `crates/watch`, `crates/metrics`, `crates/client`, `crates/core` |
"""


def page(table="There is none today.\n", rows=ROWS):
    return {"CONTRIBUTING.md": f"{rows}{check_layers.BEGIN}\n{table}{check_layers.END}\n"}


GOOD |= page()


def package(name, *dependencies):
    return {"name": name, "manifest_path": f"{name}/Cargo.toml", "dependencies": [{"name": d} for d in dependencies]}


CORE = package("memory-search-core", "serde")
PACKAGES = [package("memory_search", "pgrx", "memory-search-core"), CORE]


class CheckLayers(unittest.TestCase):
    def findings(self, files=(), packages=PACKAGES, exceptions=()):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**GOOD, **dict(files)}.items():
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / path).write_text(text, encoding="utf-8")
            return check_layers.check(Path(folder), packages, exceptions)[0]

    def assert_one(self, findings, *parts):
        self.assertEqual(len(findings), 1, findings)
        for part in parts:
            self.assertIn(part, findings[0])

    def test_a_tree_that_keeps_the_rules_has_no_finding(self):
        self.assertEqual(self.findings(), [])

    def test_an_arrow_up_is_found_in_every_form(self):
        for text in [
            "\nuse crate::store::writing::add;\n",
            "\nuse crate::{search, store::{writing::add::vector, definition}};\n",
            "\nfn f() { crate::store::writing::add::run() }\n",
            "\nuse super::super::store::writing::add as other;\n",
            "\nuse crate::\n    store::writing::add::{self};\n",
        ]:
            found = self.findings({"src/pg/spi.rs": text})
            self.assertTrue(
                any(line.startswith("src/pg/spi.rs:2: pg names store::writing::add;") for line in found), (text, found)
            )

    def test_search_knows_of_store_what_a_store_is_and_nothing_else(self):
        self.assert_one(
            self.findings({"src/search/mod.rs": "use crate::store::writing::add;\n"}),
            "src/search/mod.rs:1: search names store::writing::add",
        )

    def test_comments_strings_and_tests_are_no_arrows(self):
        text = (
            "// crate::store::writing::add\n/* crate::store::writing::add */\n"
            'const A: &str = "crate::store::writing::add";\n'
            "#[cfg(test)]\nmod tests { use crate::store::writing::add; fn f() { let c = '{'; } }\n"
        )
        self.assertEqual(self.findings({"src/pg/spi.rs": text}), [])

    def test_a_folder_without_a_layer_is_found(self):
        self.assert_one(self.findings({"src/extra/mod.rs": ""}), "src/extra/mod.rs: is in no layer")

    def test_a_file_beside_the_rooms_is_found(self):
        self.assert_one(
            self.findings({"src/store/rows.sql": "SELECT;\n"}),
            "src/store/rows.sql: is beside the rooms of src/store",
        )

    def test_a_room_names_the_rooms_below_it_only(self):
        self.assert_one(
            self.findings({"src/store/writing/add.rs": "use crate::store::doctor;\n", "src/store/doctor/mod.rs": ""}),
            "src/store/writing/add.rs:1: store::writing names store::doctor",
        )
        self.assert_one(
            self.findings({"src/store/new/mod.rs": "use crate::store::definition;\n"}),
            "src/store/new/mod.rs:1: store names store::definition",
        )

    def test_a_circle_of_files_is_found_with_each_arrow(self):
        found = self.findings(
            {
                "src/store/writing/add.rs": "use super::drop;\n",
                "src/store/writing/drop.rs": "\nuse crate::store::writing::add::x;\n",
            }
        )
        self.assert_one(
            found,
            "src/store/writing: add, drop",
            "src/store/writing/add.rs:1: add names drop",
            "src/store/writing/drop.rs:2: drop names add",
        )

    def test_a_circle_through_the_folders_own_file_and_through_folders_is_found(self):
        self.assert_one(
            self.findings(
                {"src/store/writing/mod.rs": "fn f() { add::run() }\n", "src/store/writing/add.rs": "use super::S;\n"}
            ),
            "src/store/writing: add, mod.rs",
        )
        deeper = {
            "crates/core/src/rank.rs": "",
            "crates/core/src/rank/a.rs": "use crate::text::b;\n",
            "crates/core/src/text/mod.rs": "",
            "crates/core/src/text/b.rs": "use crate::rank::a;\n",
        }
        self.assert_one(self.findings(deeper), "crates/core/src: rank, text")

    def test_what_a_folder_only_hands_on_makes_no_circle(self):
        files = {
            "src/store/writing/mod.rs": "pub use add::Added;\n",
            "src/store/writing/add.rs": "",
            "src/store/writing/drop.rs": "use super::Added;\n",
        }
        self.assertEqual(self.findings(files), [])
        # ... and is followed to where it comes from.
        self.assert_one(
            self.findings({**files, "src/store/writing/add.rs": "use super::drop;\n"}), "src/store/writing: add, drop"
        )

    def test_crates_that_know_too_much_are_found(self):
        self.assert_one(self.findings(packages=[package("memory-search-core", "pgrx-pg-sys")]), "remove pgrx-pg-sys")
        self.assert_one(
            self.findings(packages=[package("memory-search-core", "memory_search"), package("memory_search")]),
            "may not depend on memory_search",
        )
        self.assert_one(self.findings(packages=[package("memory-search-new")]), "has no place in CRATES")

    def test_the_arrows_of_the_program_lead_from_its_commands_to_their_parts_to_the_client(self):
        for parts in (["explore"], ["watch", "metrics"]):
            order = [f"memory-search-{part}" for part in ["mcp", *parts, "client"]]
            for place, name in enumerate(order):
                others = [package(other) for other in order if other != name]
                down = package(name, *order[place + 1 :])
                self.assertEqual(self.findings(packages=[down, *others]), [])
                for above in order[:place]:
                    self.assert_one(
                        self.findings(packages=[package(name, above), *others]), f"{name} may not depend on {above}"
                    )

    def test_the_parts_of_the_program_that_do_not_name_each_other_stay_apart(self):
        for name, other in (("explore", "metrics"), ("metrics", "explore"), ("watch", "explore"), ("explore", "watch")):
            name, other = f"memory-search-{name}", f"memory-search-{other}"
            self.assert_one(
                self.findings(packages=[package(name, other), package(other)]), f"{name} may not depend on {other}"
            )

    def test_unsafe_is_found_where_it_may_not_stand(self):
        self.assert_one(
            self.findings({"src/store/writing/add.rs": "\nfn f() { unsafe { g() } }\n"}),
            "src/store/writing/add.rs:2: unsafe outside src/index and src/pg",
        )

    def test_what_the_compiler_has_to_be_told_is_missed(self):
        self.assert_one(
            self.findings({"crates/core/src/lib.rs": "// #![forbid(unsafe_code)]\n"}),
            "crates/core/src/lib.rs: #![forbid",
        )
        self.assert_one(
            self.findings({"src/lib.rs": "#![deny(unsafe_code)]\n#[allow(unsafe_code)]\nmod index;\nmod pg;\n"}),
            "src/lib.rs: #[allow(unsafe_code)]modpg;",
        )
        crate = {
            "crates/index/src/lib.rs": "#![deny(unsafe_code)]\npub mod quantization;\n",
            "crates/index/src/quantization/simd.rs": "fn f() { unsafe {} }\n",
        }
        declared = "crates/index/src/quantization/mod.rs"
        self.assertEqual(self.findings(crate | {declared: "#[allow(unsafe_code)]\nmod simd;\n"}), [])
        self.assert_one(self.findings(crate | {declared: "mod simd;\n"}), f"{declared}: #[allow(unsafe_code)]modsimd;")

    def test_a_long_file_is_found(self):
        self.assertEqual(self.findings({"tests/a.py": "\n" * rules.LONGEST_FILE}), [])
        self.assert_one(self.findings({"tests/a.py": "\n" * (rules.LONGEST_FILE + 1)}), "tests/a.py:601: has 601 lines")

    def test_a_template_that_joining_would_break_is_found(self):
        including = 'use crate::pg::sql_text::filled;\nconst A: &str = include_str!("a.sql");\n'
        source = {"src/store/writing/a.rs": including}
        for text, line, what in (
            ("SELECT 1 -- why\nFROM t\n", 1, "a comment behind code"),
            ("SELECT 'it''s -- no comment',\n  'two\nlines'\n", 2, "over several lines"),
            ('SELECT 1 AS "two\nlines"\n', 1, "over several lines"),
            ("SELECT $1,\n$$two\nlines$$\n", 2, "over several lines"),
            ("SELECT\n1 /* why */\n", 2, "/*"),
        ):
            findings = self.findings({**source, "src/store/writing/a.sql": text})
            self.assert_one(findings, f"src/store/writing/a.sql:{line}: ", what)
        kept = "-- Why, isn't it?\nSELECT $1, $2, 'a -- b', '/*', $$c$$,\n  -- Why.\n  \"d'\"\n"
        self.assertEqual(self.findings({**source, "src/store/writing/a.sql": kept}), [])
        # A file that nothing includes is a template to be.
        self.assert_one(self.findings({"src/store/writing/b.sql": "SELECT 1 -- why\n"}), "src/store/writing/b.sql:1: ")

    def test_a_template_that_keeps_its_lines_may_have_what_joining_would_break(self):
        includes = 'const A: &str = include_str!("a.sql");\n'
        kept = "use crate::pg::sql_text::filled_as_written;\n" + includes
        broken = {"src/store/writing/a.sql": "SELECT 1 -- why\n"}
        broken["src/store/writing/a.rs"] = kept
        self.assertEqual(self.findings(broken), [])
        joined = {"src/store/writing/b.rs": "use crate::pg::sql_text::filled;\n" + includes}
        self.assert_one(self.findings({**broken, **joined}), "src/store/writing/a.sql:1: ")
        both = "use crate::pg::sql_text::{filled, filled_as_written};\n" + includes
        self.assert_one(self.findings({**broken, "src/store/writing/a.rs": both}), "src/store/writing/a.sql:1: ")

    def test_an_exception_excuses_one_thing_and_must_be_needed_and_shown(self):
        exception = rules.Exception_("layer", "src/pg/spi.rs", "store::writing::add", "for a reason")
        up = {"src/pg/spi.rs": "use crate::store::writing::add;\n"}
        shown = page(check_layers.table((exception,)))
        self.assertEqual(self.findings({**up, **shown}, exceptions=(exception,)), [])
        self.assert_one(self.findings(up, exceptions=(exception,)), "CONTRIBUTING.md: its table")
        self.assert_one(self.findings(shown, exceptions=(exception,)), "is not needed any more")
        other = {"src/pg/mod.rs": "pub mod spi;\nuse crate::store::writing::add;\n"}
        self.assert_one(self.findings({**up, **other, **shown}, exceptions=(exception,)), "src/pg/mod.rs:2")

    def test_the_table_of_layers_must_say_what_the_rules_say(self):
        row = "| `src/embed/` | vectors | `pg` |"
        self.assert_one(
            self.findings(page(rows=ROWS.replace(row, row.replace("`pg`", "`pg`, `store`")))), "`src/embed/`", "`pg`"
        )
        self.assert_one(self.findings(page(rows=ROWS.replace(row + "\n", ""))), "`src/embed/`")


class RustSource(unittest.TestCase):
    def test_use_trees(self):
        for tree, paths in {
            "a::b": [("a", "b")],
            "a::{b, c::{self, d as e}, f::*}": [("a", "b"), ("a", "c"), ("a", "c", "d"), ("a", "f")],
            "super::*": [("super",)],
            "a::b as c": [("a", "b")],
        }.items():
            self.assertEqual(expand(tree), paths, tree)

    def test_code_keeps_its_lines(self):
        text = 'a /* x\n// y\n*/ b "c\n\\" d" e r#"f "\n"# g\n\'"\' h <\'static> // i\nj'
        code = code_of(text)
        self.assertEqual(code.count("\n"), text.count("\n"))
        self.assertEqual(code.split(), ["a", "b", "e", "g", "h", "<'static>", "j"])


if __name__ == "__main__":
    unittest.main()
