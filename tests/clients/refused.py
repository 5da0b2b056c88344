"""The refusals of drivers: rules of a driver, a pattern of cases and a pattern of the message.

Most are the driver's own, before anything is sent: a driver that asks the server for an argument's type sends no other
type. The message then names the value and the type. docs/guide/clients.md shows what to write instead."""
import re

# A function of one argument: a literal for it could be either, so there is no second one.
JSON_REQUEST = ("memory_search request json", r"function memory_search\(json\) does not exist.*add explicit type casts")

IDS = "(memory_id|user_id|agent_id|session_id|entry_id|entry_key)"
NO_LIST = r"a sized iterable container expected \(got type 'str'\)"
ASYNCPG = [
    (rf"memory_(?!update|supersede).* {IDS} (uuid|int|bigint)$(?<!memory_add entry_id uuid)", r"expected str, got (UUID|int)"),
    ("embedding texts", "must be real number, not str"),
    ("embedding text", NO_LIST),
    ("(creation_time|expires_at|before) text", "expected a datetime.date or datetime.datetime instance, got 'str'"),
    ("memory_touch entry_ids uuids", "expected str, got UUID"),
]
TOKIO_POSTGRES = "cannot convert between the Rust type `[^`]*` and the Postgres type `{}`"
# tokio-postgres takes for an argument of each type only the corresponding type of Rust.
OF_RUST = [
    (rf"memory_(?!update|supersede).* {IDS} (uuid|int|bigint)$(?<!memory_add entry_id uuid)", "text"),
    ("embedding (ints|decimals|texts|text|json)", "memory_embedding"),
    ("(filters|options|metadata|columns) text", "jsonb"),
    ("(top_ke|k|token_budget|importance|dimensions) bigint", "int4"),
    ("all at once", "int4"),
    ("max_rows int$", "int8"),
    ("(memory_add|memory_update|memory_supersede).* (entry_id|old_entry_id|new_entry_id) text", "uuid"),
    ("(memory_delete|memory_restore)(_contexts)? (entry_ids|context_ids) (texts|empty)", "_uuid"),
    ("memory_touch entry_ids uuids", "_text"),
    ("(creation_time|expires_at|before) (naive|date|text)", "timestamptz"),
    ("memory_index_check index text", "regclass"),
]
REFUSED = {
    "psycopg": [JSON_REQUEST],
    "psycopg binary": [JSON_REQUEST],
    "psycopg prepared": [JSON_REQUEST],
    "psycopg client cursor": [JSON_REQUEST],
    "sqlalchemy psycopg2": [JSON_REQUEST],
    "sqlalchemy psycopg": [JSON_REQUEST],
    "sqlalchemy pg8000": [JSON_REQUEST],
    "sqlalchemy asyncpg": [("memory_search request json$", r"function memory_search\(json\) does not exist")],
    # Without a codec it writes no JSON: the list is a string then.
    "asyncpg": [*ASYNCPG, ("embedding json", NO_LIST)],
    "asyncpg no cache": [*ASYNCPG, ("embedding json", NO_LIST)],
    "asyncpg jsonb codec": ASYNCPG,
    # A bigint calls the wider function, whose other arguments are of types that this driver cannot write as JSON.
    "postgres.js": [("all at once", "invalid input syntax for type json")],
    "postgres.js prepared": [("all at once", "invalid input syntax for type json")],
    "tokio-postgres": [(cases, TOKIO_POSTGRES.format(type_)) for cases, type_ in OF_RUST],
    "sqlx": [("tags null", "explicit type casts")],
    "sqlx unprepared": [("tags null", "explicit type casts")],
}


def message(driver, case):
    """The pattern of the refusal of a case, or None, if the case is answered."""
    for cases, words in REFUSED.get(driver, []):
        if re.search(f"{cases}$", case):
            return words
    return None
