"""The workflows of the repository run dry without a fault; a workflow that names a thing that does not exist has
one."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "release"))
import dry_run
import model
import rules
import versions

VERSION = versions.version()
# The files that the workflows below call, and that the real programs read.
FILES = [".github", "packaging", "pgrx-config", "Makefile", "Cargo.toml", "CHANGELOG.md"]
FILES += [
    "tests/run_pg.sh",
    "crates/mcp/pyproject.toml",
    "clients/python/pyproject.toml",
    *(name for name, _, _ in versions.PLACES),
]


class AsTheyAre(unittest.TestCase):
    def test_every_step_runs_and_a_tag_hands_out_every_package_for_both_processors(self) -> None:
        wrong, steps, calls = dry_run.dry_run(dry_run.REPOSITORY)
        self.assertEqual(wrong, [])
        self.assertGreater(steps, 60)
        released = [call for call in calls if call[1:4] == ["gh", "release", "create"]]
        self.assertEqual(len(released), 1)
        names = " ".join(released[0])
        for major in ("16", "17", "18"):
            for processor in ("amd64", "arm64"):
                self.assertRegex(names, rf"postgresql-{major}-memory-search_\S+_{processor}\.deb")
        for name in (r"memory_search_mcp-\S+x86_64\.whl", r"memory_search_mcp-\S+aarch64\.whl", r"\.zip", "SHA256SUMS"):
            self.assertRegex(names, name)
        pushed = {call[-1].partition(":")[2] for call in calls if call[1:3] == ["docker", "push"]}
        self.assertEqual(len(pushed), 8, pushed)
        tested = {" ".join(call[1:]) for call in calls if call[0].startswith("ci.yml")}
        self.assertLessEqual({"tests/run_all.sh", "tests/run_pg.sh 16", "tests/run_pg.sh 17"}, tested)


class Copy(unittest.TestCase):
    """A copy of the tree in which one thing is changed."""

    def setUp(self) -> None:
        self.tree = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.tree)
        for name in FILES:
            source = dry_run.REPOSITORY / name
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, self.tree / name)
        subprocess.run(["git", "init", "-q"], cwd=self.tree, check=True)

    def keep(self, *names: str) -> None:
        """Only these workflows: the others' steps need not run again for this test."""
        for path in (self.tree / ".github/workflows").iterdir():
            if path.name not in names:
                path.unlink()

    def change(self, name: str, old: str, new: str) -> None:
        text = (self.tree / name).read_text()
        self.assertIn(old, text)
        (self.tree / name).write_text(text.replace(old, new))

    def step(self, text: str, job: str = "runs-on: ubuntu-24.04\n    timeout-minutes: 5\n    permissions: {}") -> None:
        """A workflow with one job, whose last step is this."""
        self.keep()
        (self.tree / ".github/workflows/one.yml").write_text(
            "on: {push: {branches: [main]}}\npermissions: {}\nconcurrency: one\njobs:\n  one:\n    "
            + job
            + "\n    steps:\n      - uses: actions/checkout@"
            + "0" * 40
            + " # v1\n        with: {persist-credentials: false}\n      - "
            + text.replace("\n", "\n        ")
            + "\n"
        )

    def assert_fault(self, *parts: str, only: set[str] | None = None) -> None:
        wrong = dry_run.dry_run(self.tree, only)[0]
        self.assertTrue(any(all(part in fault for part in parts) for fault in wrong), wrong)

    def assert_none(self) -> None:
        self.assertEqual(dry_run.dry_run(self.tree)[0], [])


class Changed(Copy):
    def test_a_target_that_was_renamed_fails_the_step_that_makes_it(self) -> None:
        self.keep("pages.yml")
        self.assert_none()
        self.change("Makefile", "docs: ##", "site: ##")
        self.assert_fault("pages.yml: build: make docs", "Nothing to be done for 'docs'")
        self.assert_fault("Makefile: docs is in .PHONY and no target")
        self.change("Makefile", " docs ", " site ")
        shutil.rmtree(self.tree / "docs")
        self.assert_fault("pages.yml: build: make docs", "No rule to make target 'docs'")

    def test_so_does_a_script_that_is_gone_or_may_not_be_run(self) -> None:
        self.step("run: pgrx-config/lint.sh --cargo 17")
        self.assert_none()
        (self.tree / "pgrx-config/lint.sh").chmod(0o644)
        self.assert_fault("one.yml: one: pgrx-config/lint.sh --cargo 17", "Permission denied")
        (self.tree / "pgrx-config/lint.sh").unlink()
        self.assert_fault("one.yml: one: pgrx-config/lint.sh --cargo 17", "No such file")

    def test_so_does_an_option_or_a_server_that_a_script_does_not_know(self) -> None:
        self.step("run: pgrx-config/lint.sh --txt")
        self.assert_fault("pgrx-config/lint.sh knows no --txt")
        self.step("run: tests/run_pg.sh 15")
        self.assert_fault("tests/run_pg.sh knows no 15")

    def test_so_does_a_program_that_nothing_is_known_of(self) -> None:
        self.step("run: curl -fsS https://example.org | bash")
        self.assert_fault("curl: command not found")

    def test_so_does_a_variable_that_nobody_sets_and_a_failure_within_a_pipe(self) -> None:
        self.step("run: make lint LANES=$LANES")
        self.assert_fault("LANES: unbound variable")
        self.step("run: git no-such-command | true")
        self.assert_fault("status 1")

    def test_so_does_an_expression_of_which_nothing_is_known(self) -> None:
        self.step("run: make lint\nenv: {LANES: '${{ matrix.lanes }}'}")
        self.assert_fault("nothing is known of matrix.lanes")
        self.step("run: make lint\nenv: {NAME: '${{ steps.none.outputs.name }}'}")
        self.assert_fault("nothing is known of steps.none.outputs.name")

    def test_so_does_an_artifact_that_no_job_before_it_leaves(self) -> None:
        self.step("uses: actions/download-artifact@" + "0" * 40 + " # v1\nwith: {name: wheels, path: dist}")
        self.assert_fault("no job before this one uploads wheels")
        self.step("uses: actions/upload-artifact@" + "0" * 40 + " # v1\nwith: {name: wheels, path: dist/}")
        self.assert_fault("there is no dist/")

    def test_a_changelog_of_another_version_fails_the_release(self) -> None:
        self.keep("release.yml")
        self.change("packaging/release/notes.py", 'tag != f"v{version}"', 'tag != f"w{version}"')
        self.assert_fault("release.yml: notes: The tag is that of the tree", "is not that of", only={"notes"})

    def test_a_package_that_is_not_made_on_one_processor_fails_the_release(self) -> None:
        self.keep("release.yml")
        self.change(".github/workflows/release.yml", "path: dist/\n", "path: dist/*.deb\n")
        self.assert_fault("release: One folder of both", "has no SHA256SUMS", only={"packages", "release"})


class Rules(Copy):
    def assert_rule(self, *parts: str) -> None:
        wrong = list(rules.faults(self.tree))
        self.assertEqual(len(wrong), 1, wrong)
        for part in parts:
            self.assertIn(part, wrong[0])

    def test_an_action_is_pinned_by_a_commit_with_its_version_beside_it(self) -> None:
        for uses in ("actions/cache@v5", "actions/cache@27d5ce7", "docker://alpine:3", "actions/cache"):
            with self.subTest(uses):
                self.step(f"uses: {uses}")
                self.assert_rule(uses, "is not pinned")
        self.step("{uses: actions/cache@v5}")
        self.assert_rule("actions/cache@v5 is not on a line of its own")
        self.step("uses: actions/cache@" + "0" * 40)
        self.assert_rule("has no version beside it")
        self.step("uses: ./.github/actions/none")
        self.assert_rule("there is no action ./.github/actions/none")

    def test_a_job_lists_its_rights_and_has_an_end(self) -> None:
        self.step("run: make lint", "runs-on: ubuntu-24.04\n    timeout-minutes: 5")
        self.assert_rule("one does not list its permissions")
        self.step("run: make lint", "runs-on: ubuntu-24.04\n    permissions: {}")
        self.assert_rule("one has no timeout")

    def test_a_script_holds_no_expression_and_a_clone_no_token(self) -> None:
        self.step("run: echo '${{ github.ref_name }}'")
        self.assert_rule("an expression in a script")
        self.step("run: make lint")
        self.change(".github/workflows/one.yml", "persist-credentials: false", "fetch-depth: 0")
        self.assert_rule("leaves its token in the clone")

    def test_what_the_dry_run_does_not_do_is_no_key(self) -> None:
        self.step("run: make lint\nworking-directory: tests")
        self.assert_rule("a step with working-directory, which the dry run does not know")
        self.step(
            "run: make lint", "continue-on-error: true\n    runs-on: a\n    timeout-minutes: 5\n    permissions: {}"
        )
        self.assert_rule("a job with continue-on-error")

    def test_a_container_has_the_compiler_of_the_lints(self) -> None:
        job = "container: {image: 'rust:1.2-bookworm'}\n    runs-on: a\n    timeout-minutes: 5\n    permissions: {}"
        self.step("run: make lint", job)
        self.assert_rule("rust:1.2-bookworm", "LINTS_RUST")

    def test_a_workflow_has_no_rights_and_a_group(self) -> None:
        for line, said in (
            ("permissions: {}\nconc", "permissions of the workflow"),
            ("concurrency: one\n", "no concurrency"),
        ):
            self.step("run: make lint")
            self.change(".github/workflows/one.yml", line, "conc" if "conc" in line[1:] and "perm" in line else "")
            self.assert_rule(said)


class Forms(unittest.TestCase):
    """Issue forms that GitHub would refuse, and calls in them of functions that the extension does not have."""

    def test_every_form_is_one_that_github_shows(self) -> None:
        folder = dry_run.REPOSITORY / ".github/ISSUE_TEMPLATE"
        forms = [path for path in sorted(folder.glob("*.yml")) if path.name != "config.yml"]
        self.assertGreaterEqual(len(forms), 3)
        for path in forms:
            with self.subTest(path.name):
                form = model.read(path)
                self.assertLessEqual({"name", "description", "body"}, form.keys())
                fields = [field for field in form["body"] if field["type"] != "markdown"]
                ids = [field["id"] for field in fields]
                self.assertEqual(len(ids), len(set(ids)))
                self.assertTrue(any(field["validations"]["required"] for field in fields))
                for field in fields:
                    self.assertIn(field["type"], {"textarea", "input", "dropdown", "checkboxes"})
                    self.assertTrue(field["attributes"]["label"])

    def test_functions_and_pages_that_a_form_names_are_there(self) -> None:
        script = (dry_run.REPOSITORY / f"sql/memory_search--{VERSION}.sql").read_text()
        for path in (dry_run.REPOSITORY / ".github").rglob("*"):
            text = path.read_text() if path.suffix in (".yml", ".md") and "workflows" not in path.parts else ""
            for name in re.findall(r"\b(memory_[a-z_]+)\(", text):
                self.assertIn(f'CREATE FUNCTION "{name}"(', script, path.name)
            for page in re.findall(r"\b(docs/[\w/-]+\.md|[A-Z]+\.md)\b", text):
                self.assertTrue((dry_run.REPOSITORY / page).is_file(), f"{path.name}: {page}")


class Matrices(unittest.TestCase):
    def test_a_matrix_has_all_combinations_and_what_is_included(self) -> None:
        two = {"a": ["1", "2"], "b": ["x"]}
        self.assertEqual(model.rows(two), [{"a": "1", "b": "x"}, {"a": "2", "b": "x"}])
        self.assertEqual(model.rows({"include": [{"a": "1"}, {"a": "2"}]}), [{"a": "1"}, {"a": "2"}])
        self.assertEqual(model.rows(two | {"include": [{"a": "3", "b": "y"}]})[-1], {"a": "3", "b": "y"})
        self.assertEqual(model.rows(two | {"include": [{"a": "2", "c": "z"}]})[1], {"a": "2", "b": "x", "c": "z"})

    def test_expressions_have_the_values_that_github_gives_them(self) -> None:
        contexts = {"github": {"ref_type": "tag"}, "vars": {"ON": "true"}}
        self.assertTrue(model.evaluate("github.ref_type == 'tag' && vars.ON == 'true'", contexts))
        self.assertFalse(model.evaluate("github.ref_type != 'tag' || !(vars.ON == 'true')", contexts))
        self.assertEqual(model.fill("a-${{ github.ref_type }}-${{ github.ref_type == 'tag' }}", contexts), "a-tag-true")
        for wrong in ("github.nothing", "__import__('os')", "vars.ON;", "1 + 1"):
            with self.subTest(wrong), self.assertRaises(model.Fault):
                model.evaluate(wrong, contexts)


if __name__ == "__main__":
    unittest.main()
