"""Names that must agree with other places: the extension's version, its functions and their arguments, columns of
answers."""

import os
import re
from pathlib import Path

import memory_search
import psycopg
import pytest
from memory_search import answers, arguments
from memory_search.answers import camel

REPOSITORY = Path(os.environ["MEMORY_SEARCH_REPO"])
SOURCE = "".join(path.read_text() for path in (REPOSITORY / "clients/python/src/memory_search").rglob("*.py"))


def test_the_version_is_the_extensions(database: psycopg.Connection) -> None:
    row = database.execute("SELECT extversion FROM pg_extension WHERE extname = 'memory_search'").fetchone()
    assert row == (memory_search.__version__,)


def test_every_function_has_a_method(database: psycopg.Connection) -> None:
    rows = database.execute(
        "SELECT DISTINCT proname FROM pg_proc JOIN pg_depend d ON d.objid = pg_proc.oid AND d.deptype = 'e'"
        " AND d.classid = 'pg_proc'::regclass JOIN pg_extension e ON e.oid = d.refobjid"
        " WHERE extname = 'memory_search' AND proname LIKE 'memory\\_%' AND proname <> 'memory_embedding'"
    ).fetchall()
    public = {name for (name,) in rows if re.search(rf"^### {name}$", REFERENCE, re.M)}
    # Functions without a method: SQL calls those that take the name of a table and those that an index uses, and nodes
    # of a cluster call memory_search_sent.
    without = {
        "memory_adopt_table",
        "memory_entity_keys",
        "memory_import_table",
        "memory_index_check",
        "memory_search_sent",
    }
    assert {name for name in public if f'"{name}"' not in SOURCE} == without


REFERENCE = (REPOSITORY / "docs/reference/functions.md").read_text()
RESPONSE = (REPOSITORY / "docs/reference/response.md").read_text()


@pytest.mark.parametrize(
    ("function", "kind", "elsewhere"),
    [
        ("memory_add", arguments.EntryArguments, {"memory_id", "raw_entry", "store"}),
        ("memory_update", arguments.UpdateArguments, {"memory_id", "entry_id", "store"}),
    ],
)
def test_the_arguments_are_those_of_the_function(function: str, kind: type, elsewhere: set[str]) -> None:
    text = re.search(rf"```text\n{function}\((.*?)\) RETURNS", REFERENCE, re.S)
    assert {line.split()[0] for line in text[1].strip().splitlines()} == set(kind.__annotations__) | elsewhere


def fields_of(heading: str) -> set[str]:
    """The names in the first column of the table below a heading."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", RESPONSE, re.S | re.M)[1]
    table = re.search(r"<!-- generated.*?<!-- end -->", section, re.S)[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Columns of memory_search_entries", answers.RankedEntry),
        ("Columns of memory_explain", answers.Candidate),
        ("Columns of memory_add_many", answers.Added),
        ("Columns of memory_delete_where", answers.Deleted),
        ("Columns of memory_history", answers.Change),
        ("Columns of memory_links", answers.Link),
        ("Columns of memory_related", answers.RelatedEntry),
        ("Columns of memory_aliases", answers.Alias),
        ("Columns of memory_entities", answers.Entity),
        ("Columns of memory_about", answers.EntryAbout),
        ("Columns of memory_facets", answers.FacetCount),
        ("Columns of memory_list_memories", answers.MemorySummary),
        ("Columns of memory_stats", answers.Stats),
        ("Columns of memory_doctor", answers.Check),
    ],
)
def test_the_fields_of_a_row_are_its_columns(heading: str, kind: type) -> None:
    assert set(kind.__dataclass_fields__) == fields_of(heading)


def test_the_fields_of_an_entry_are_the_columns_of_get_and_list() -> None:
    assert set(answers.Entry.__dataclass_fields__) == fields_of("Columns of memory_get") | fields_of(
        "Columns of memory_list"
    )


@pytest.mark.parametrize(
    ("heading", "kind"),
    [("Fields of an entry", answers.AnswerEntry), ("Fields of a context", answers.AnswerContext)],
)
def test_the_fields_of_an_answer_are_those_of_the_response(heading: str, kind: type) -> None:
    assert {camel(name) for name in kind.__dataclass_fields__} - {"document"} == fields_of(heading)
