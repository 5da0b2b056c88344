"""memory-search-import: what others keep memories in, into a memory of ours.

Its ways to be called:

    memory-search-import jsonl FILE --memory trip-planner
    memory-search-import langchain COLLECTION --from postgresql://... --memory documents --store app
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psycopg

from ..arguments import NewEntry
from ..memory import Memory
from . import databases, files
from .loading import Loaded, load

FILES: dict[str, Callable[[Path], Iterator[NewEntry]]] = {
    "jsonl": files.jsonl,
    "chatgpt": files.chatgpt,
    "letta": files.letta,
    "zep": files.zep,
}
DATABASES: dict[str, Callable[[str, str], Iterator[NewEntry]]] = {
    "langchain": databases.langchain,
    "mem0": databases.mem0,
    "langgraph": databases.langgraph,
}


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    known = argparse.ArgumentParser(
        prog="memory-search-import",
        description="Reads what others keep memories in into a memory of memory_search. Started again, it goes on.",
    )
    known.add_argument("format", choices=[*FILES, *DATABASES])
    known.add_argument("source", help="a file, the name of a collection, or labels of a namespace joined by dots")
    known.add_argument("--memory", required=True, help="the id of the memory that the entries go to")
    known.add_argument("--store", help="the store; without it that of the setting memory_search.store")
    known.add_argument("--database", default="", help="where the memory is; else DATABASE_URL, or what libpq takes")
    known.add_argument("--from", dest="origin", help="the database that is read; without it the same", default="")
    known.add_argument("--without-embeddings", action="store_true", help="the server's embedder makes new ones")
    known.add_argument("--batch-size", type=int, default=200, help="entries in a transaction, 1 to 1000")
    known.add_argument("--quiet", action="store_true", help="no progress")
    return known


def entries_of(asked: argparse.Namespace, database: str) -> Iterator[NewEntry]:
    """What is read."""
    if asked.format in FILES:
        entries = FILES[asked.format](Path(asked.source))
    else:
        entries = DATABASES[asked.format](asked.origin or database, asked.source)
    for entry in entries:
        if asked.without_embeddings:
            entry["embedding"] = None
        yield entry


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where all was read; 1 where something cannot be, which is said."""
    known = parser()
    asked = known.parse_args(arguments)
    if not 1 <= asked.batch_size <= 1000:
        known.error(f"--batch-size is 1 to 1000, not {asked.batch_size}")
    database = asked.database or os.environ.get("DATABASE_URL", "")
    began = time.monotonic()

    def tell(loaded: Loaded) -> None:
        if not asked.quiet:
            print(f"{loaded.read} read in {time.monotonic() - began:.0f} s: {loaded}", file=sys.stderr)

    try:
        with psycopg.connect(database, autocommit=True) as connection:
            memory = Memory(connection, asked.memory, store=asked.store)
            loaded = load(memory, entries_of(asked, database), batch_size=asked.batch_size, told=tell)
    except (OSError, ValueError, KeyError, psycopg.Error) as error:
        print(f"memory-search-import: {said(error)}", file=sys.stderr)
        return 1
    print(loaded)
    return 0


def said(error: Exception) -> str:
    """An error in a line, with the server's hint where it has one."""
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        hint = error.diag.message_hint
        return f"{error.diag.message_primary}{f' ({hint})' if hint else ''}"
    if isinstance(error, KeyError):
        return f"the key {error} is missing: this is no such export"
    return str(error)


if __name__ == "__main__":
    sys.exit(main())
