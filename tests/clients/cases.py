"""The calls of the matrix: every function, with each argument in each type that a client may have it in.

A case is a query with one text as its answer, placeholders {0}, {1}, ..., and for each of them a kind and a value in
JSON. A driver converts each kind to the type that its users would pass: kinds.py has the list."""
from dataclasses import dataclass, field

FIRST = "00000000-0000-0000-0000-000000000001"
SECOND = "00000000-0000-0000-0000-000000000002"
CONTEXT = "00000000-0000-0000-0001-000000000001"
TIME, DATE = "2025-01-02T03:04:05", "2025-01-02"

# The objects that exist before each case; a case is rolled back.
SET_UP = f"""
CREATE EXTENSION IF NOT EXISTS memory_search CASCADE;
SELECT memory_create_store('clients', 3), memory_create_store('clients_wide');
SELECT memory_add('m', 'north', embedding => '[0.1,0.9,0]', entry_id => '{FIRST}', user_id => '7', store => 'clients');
SELECT memory_add('m', 'east', embedding => '[0.9,0.1,0]', entry_id => '{SECOND}', store => 'clients');
SELECT memory_add('{FIRST}', 'north', embedding => '[0.1,0.9,0]', store => 'clients');
SELECT memory_add('7', 'north', embedding => '[0.1,0.9,0]', store => 'clients');
INSERT INTO clients.contexts (memory_id, context_id, context) VALUES ('m', '{CONTEXT}', 'a compass');
CREATE TABLE clients_notes (id uuid PRIMARY KEY, body text);
"""

EMBEDDINGS = [
    ("floats", [0.1, 0.9, 0.0]),
    ("ints", [0, 1, 0]),
    ("decimals", ["0.1", "0.9", "0"]),
    ("texts", ["0.1", "0.9", "0"]),
    ("text", "[0.1, 0.9, 0]"),
    ("json", [0.1, 0.9, 0.0]),
    ("null", None),
]
MEMORIES = [("text", "m"), ("uuid", FIRST), ("int", 7), ("bigint", 7)]
IDS = [("uuid", FIRST), ("text", FIRST)]
LISTS_OF_IDS = [("uuids", [FIRST, SECOND]), ("texts", [FIRST, SECOND]), ("texts", [])]
TIMES = [("time", TIME), ("naive", TIME), ("date", DATE), ("text", TIME + "Z"), ("null", None)]
COUNTS = [("int", 1), ("bigint", 1)]
JSON = [("json", {}), ("text", "{}"), ("null", None)]


@dataclass
class Case:
    function: str
    varied: str
    sql: str
    arguments: list = field(default_factory=list)
    answer: str | None = None

    @property
    def name(self):
        return f"{self.function} {self.varied}"


def varied(function, argument, values, sql, fixed=(), answer=None):
    """The call in `sql`, whose last placeholder is the argument, with each of its values."""
    for kind, value in values:
        what = "empty" if value == [] else kind
        yield Case(function, f"{argument} {what}", sql, [*fixed, (kind, value)], answer)


def searching():
    """The cases of memory_search and the functions like it."""
    text = ("text", "m"), ("text", "north")
    answers = {
        "memory_search": ("({})->'entries'->0->>'rawEntry'", "top_ke"),
        "memory_recall": ("({})->'entries'->0->>'rawEntry'", "top_ke"),
        "memory_search_entries": ("(SELECT raw_entry FROM {} LIMIT 1)", "k"),
        "memory_explain": ("(SELECT max(outcome) FROM {})", "top_ke"),
        "memory_build_context": ("substring({} FROM 'north')", "top_ke"),
    }
    for function, (answer, count) in answers.items():
        def call(arguments, answer=answer, function=function):
            return "SELECT " + answer.format(f"{function}({arguments}, store => 'clients')")
        wanted = "returned" if function == "memory_explain" else "north"
        yield from varied(function, "memory_id", MEMORIES, call("{0}, 'north'"), (), wanted)
        yield from varied(function, "embedding", EMBEDDINGS, call("{0}, {1}, embedding => {2}"), text, wanted)
        yield from varied(function, count, COUNTS, call(f"{{0}}, {{1}}, {count} => {{2}}"), text, wanted)
        yield from varied(function, "filters", JSON, call("{0}, {1}, filters => {2}"), text, wanted)
        yield from varied(function, "options", JSON, call("{0}, {1}, options => {2}"), text, wanted)
        everything = [*text, ("bigint", 1), ("decimals", ["0.1", "0.9", "0"]), ("json", {}), ("text", "{}")]
        yield Case(function, "all at once",
                   call(f"{{0}}, {{1}}, {count} => {{2}}, embedding => {{3}}, filters => {{4}}, options => {{5}}"),
                   everything, wanted)
    request = {"memoryId": "m", "query": "north", "store": "clients", "embedding": [0.1, 0.9, 0]}
    for kind in ("jsonb", "json"):
        yield Case("memory_search", f"request {kind}", "SELECT memory_search({0})->'entries'->0->>'rawEntry'",
                   [(kind, request)], "north")
    yield from varied("memory_explain", "entry_id", IDS,
                      "SELECT max(outcome) FROM memory_explain({0}, 'north', entry_id => {1}, store => 'clients')",
                      [("text", "m")], "returned")
    yield from varied("memory_build_context", "token_budget", [("int", 500), ("bigint", 500)],
                      "SELECT substring(memory_build_context('m', {0}, token_budget => {1}, store => 'clients')"
                      " FROM 'north')", [("text", "north")], "north")


def adding():
    added = "SELECT (memory_add({{0}}, {{1}}, {} => {{2}}, embedding => '[1,2,3]', store => 'clients') IS NOT NULL)::text"
    text = ("text", "m"), ("text", "south")
    yield from varied("memory_add", "memory_id", MEMORIES,
                      "SELECT (memory_add({0}, 'south', embedding => '[1,2,3]', store => 'clients') IS NOT NULL)::text",
                      (), "true")
    yield from varied("memory_add", "embedding", EMBEDDINGS[:-1],
                      "SELECT (memory_add({0}, {1}, embedding => {2}, store => 'clients') IS NOT NULL)::text", text, "true")
    for argument, values in {
        "summary": [("text", "s"), ("null", None)], "context": [("text", "c")],
        "tags": [("texts", ["a", "b"]), ("texts", []), ("null", None)], "metadata": JSON,
        "importance": [*COUNTS, ("null", None)], "user_id": [*MEMORIES, ("null", None)], "agent_id": MEMORIES, "session_id": MEMORIES, "entry_key": MEMORIES,
        "source_type": [("text", "mail")], "creation_time": TIMES, "entry_id": [("uuid", CONTEXT), ("text", CONTEXT)],
        "expires_at": TIMES,
    }.items():
        yield from varied("memory_add", argument, values, added.format(argument), text, "true")
    put = ("SELECT (memory_put_context({{0}}, {{1}}, {} => {{2}}, store => 'clients') IS NOT NULL)::text").format
    yield from varied("memory_put_context", "embedding", EMBEDDINGS, put("embedding"), text, "true")
    yield from varied("memory_put_context", "user_id", MEMORIES, put("user_id"), text, "true")
    yield from varied("memory_put_context", "creation_time", TIMES, put("creation_time"), text, "true")


def changing():
    memory = [("text", "m")]
    count = "SELECT {}({{0}}, {}, store => 'clients')::text".format
    yield from varied("memory_update", "entry_id", IDS, count("memory_update", "{1}, importance => 7"), memory, "1")
    for argument, values in {
        "summary": [("text", "up"), ("null", None)], "tags": [("texts", ["a"])], "metadata": JSON, "importance": COUNTS,
        "embedding": EMBEDDINGS, "expires_at": TIMES,
    }.items():
        yield from varied("memory_update", argument, values, count("memory_update", f"{{1}}, {argument} => {{2}}, source_type => 'mail'"),
                          [*memory, ("uuid", FIRST)], "1")
    yield from varied("memory_supersede", "old_entry_id", IDS,
                      count("memory_supersede", f"{{1}}, '{SECOND}'"), memory, "1")
    yield from varied("memory_supersede", "new_entry_id", [("uuid", SECOND), ("text", SECOND), ("null", None)],
                      count("memory_supersede", "{1}, {2}"), [*memory, ("uuid", FIRST)], "1")
    for function, hidden in {"memory_delete": "2", "memory_restore": "0"}.items():
        for case in varied(function, "entry_ids", LISTS_OF_IDS, count(function, "{1}"), memory, hidden):
            case.answer = "0" if "empty" in case.varied else hidden
            yield case
        yield from varied(function, "memory_id", MEMORIES, count(function, "whole_memory => true"), (),
                          None)
    for function, hidden in {"memory_delete_contexts": "1", "memory_restore_contexts": "0"}.items():
        yield from varied(function, "context_ids", [("uuids", [CONTEXT]), ("texts", [CONTEXT])], count(function, "{1}"),
                          memory, hidden)
    for case in varied("memory_touch", "entry_ids", LISTS_OF_IDS, count("memory_touch", "{1}"), memory, "2"):
        case.answer = "0" if "empty" in case.varied else "2"
        yield case
    yield from varied("memory_forget_user", "user_id", MEMORIES[1:],
                      "SELECT (memory_forget_user({0}, 'clients') < 2)::text", (), "true")
    yield from varied("memory_purge", "before", TIMES[:-1], "SELECT memory_purge({0}, store => 'clients')::text", (), "0")
    yield from varied("memory_purge", "max_rows", COUNTS,
                      "SELECT memory_purge(max_rows => {0}, store => 'clients')::text", (), "0")
    for function in ("memory_reembed", "memory_embed_pending"):
        yield from varied(function, "memory_id", [("text", "none"), ("uuid", CONTEXT), ("null", None)],
                          f"SELECT ({function}({{0}}, store => 'clients_wide') >= 0)::text", (), "true")
        yield from varied(function, "max_rows", COUNTS,
                          f"SELECT ({function}(max_rows => {{0}}, store => 'clients_wide') >= 0)::text", (), "true")


def the_rest():
    yield from varied("memory_create_store", "dimensions", [("int", 3), ("bigint", 3), ("null", None)],
                      "SELECT memory_create_store({0}, {1})::text", [("text", "another")], "")
    yield from varied("memory_adopt_table", "columns", [
        ("json", {"memory_id": "'a'", "entry_id": "id", "raw_entry": "body"}),
        ("text", '{"memory_id": "\'a\'", "entry_id": "id", "raw_entry": "body"}')],
                      "SELECT memory_adopt_table({0}, 'clients_notes', {1})::text", [("text", "another")], "")
    yield Case("memory_drop_store", "store text", "SELECT memory_drop_store({0}, {1})::text",
               [("text", "clients"), ("bool", True)], "")
    yield Case("memory_grant", "role text", "SELECT memory_grant({0}, {1}, {2})::text",
               [("text", "clients"), ("text", "public"), ("text", "writer")], "")
    yield Case("memory_enable_row_security", "store text", "SELECT memory_enable_row_security({0})::text",
               [("text", "clients")], "")
    yield Case("memory_doctor", "store text", "SELECT (count(*) > 3)::text FROM memory_doctor({0})",
               [("text", "clients")], "true")
    yield Case("memory_index_check", "index text", "SELECT (count(*) > 1)::text FROM memory_index_check({0})",
               [("text", "clients.entries_memory")], "true")
    yield Case("memory_tool_spec", "name text", "SELECT memory_tool_spec({0}, {1})->>'name'",
               [("text", "mcp"), ("text", "full")], "memory_search")
    yield Case("memory_embed", "text text", "SELECT (memory_embed({0}) IS NOT NULL)::text", [("text", "kite")], "true")
    yield Case("memory_passages", "raw_entry text", "SELECT count(*)::text FROM memory_passages({0})",
               [("text", "kite " * 300)], "3")


def all_cases():
    return [*searching(), *adding(), *changing(), *the_rest()]


if __name__ == "__main__":
    print(SET_UP)
