"""memory-search-import: reads the memories of other products into a memory of memory_search.

Its ways to be called:

    memory-search-import FILE.jsonl --memory trip-planner
    memory-search-import langchain COLLECTION --from postgresql://... --memory documents --store app
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psycopg

from ..memory import Memory
from . import databases, exports
from .chatgpt import chatgpt
from .graph import graph, jsonl_or_graph
from .letta import letta
from .lines import zep
from .loading import Loaded, Stopped, load, said
from .reading import Read

FILES: dict[str, Callable[[Path], Iterator[Read]]] = {
    "jsonl": jsonl_or_graph,
    "graph": graph,
    "chatgpt": chatgpt,
    "letta": letta,
    "zep": zep,
}
EXPORTS: dict[str, Callable[[Path, exports.Chosen], Iterator[Read]]] = {
    "mem0-export": exports.mem0_export,
    "chroma": exports.chroma,
    "qdrant": exports.qdrant,
    "pinecone": exports.pinecone,
}
DATABASES: dict[str, Callable[[str, str], Iterator[Read]]] = {
    "langchain": databases.langchain,
    "mem0": databases.mem0,
    "langgraph": databases.langgraph,
}


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    known = argparse.ArgumentParser(
        prog="memory-search-import",
        description="Reads what others keep memories in into a memory of memory_search. Started again, it goes on.",
    )
    known.add_argument(
        "format", help="jsonl where it is left out and a file is named", choices=[*FILES, *EXPORTS, *DATABASES]
    )
    known.add_argument("source", help="a file, the name of a collection, or labels of a namespace joined by dots")
    known.add_argument("--memory", required=True, help="the id of the memory that the entries go to")
    known.add_argument("--store", help="the store; without it that of the setting memory_search.store")
    known.add_argument("--database", default="", help="where the memory is; else DATABASE_URL, or what libpq takes")
    known.add_argument("--from", dest="origin", help="the database that is read; without it the same", default="")
    known.add_argument(
        "--text", default="", metavar="KEY", help="qdrant, pinecone, chroma: the key that holds the text"
    )
    known.add_argument("--vector", default="", metavar="NAME", help="qdrant: which vector, where points have several")
    known.add_argument("--without-embeddings", action="store_true", help="the server's embedder makes new ones")
    known.add_argument("--batch-size", type=int, default=200, help="entries in a transaction, 1 to 1000")
    known.add_argument(
        "--most-refused", type=int, default=100, metavar="N", help="stop when more entries than this cannot go in (100)"
    )
    known.add_argument("--quiet", action="store_true", help="no progress; what is refused is said all the same")
    return known


def with_format(arguments: Sequence[str]) -> list[str]:
    """The arguments with their format: a file name in place of the format means lines of JSON."""
    first = arguments[0] if arguments else ""
    left_out = first not in {*FILES, *EXPORTS, *DATABASES} and Path(first).suffix in (".jsonl", ".json")
    return ["jsonl", *arguments] if left_out else [*arguments]


def found_in(asked: argparse.Namespace, database: str) -> Iterator[Read]:
    """The entries of the source."""
    if asked.format in FILES:
        found = FILES[asked.format](Path(asked.source))
    elif asked.format in EXPORTS:
        found = EXPORTS[asked.format](Path(asked.source), exports.Chosen(asked.text, asked.vector))
    else:
        found = DATABASES[asked.format](asked.origin or database, asked.source)
    for one in found:
        if asked.without_embeddings and one.entry is not None:
            one.entry["embedding"] = None
        yield one


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 if everything was imported, 1 if something was not, after a message, and 130 if it was interrupted."""
    known = parser()
    asked = known.parse_args(with_format(sys.argv[1:] if arguments is None else arguments))
    if not 1 <= asked.batch_size <= 1000:
        known.error(f"--batch-size is 1 to 1000, not {asked.batch_size}")
    if asked.most_refused < 0:
        known.error(f"--most-refused is 0 or more, not {asked.most_refused}")
    if asked.text and asked.format not in ("chroma", "qdrant", "pinecone"):
        known.error(f"--text is for chroma, qdrant and pinecone, not for {asked.format}")
    if asked.vector and asked.format != "qdrant":
        known.error(f"--vector is for qdrant, not for {asked.format}")
    database = asked.database or os.environ.get("DATABASE_URL", "")
    began = time.monotonic()
    loaded = Loaded()

    def tell(so_far: Loaded) -> None:
        if not asked.quiet:
            print(f"{so_far.read} read in {time.monotonic() - began:.0f} s: {so_far}", file=sys.stderr)

    def refuse(where: str, why: str) -> None:
        print(f"memory-search-import: {asked.source}, {where}: {why}", file=sys.stderr)

    try:
        with psycopg.connect(database, autocommit=True) as connection:
            memory = Memory(connection, asked.memory, store=asked.store)
            # An error about the store or the memory's name is reported once, and not for each entry.
            memory.page(page_size=1)
            load(
                memory,
                found_in(asked, database),
                batch_size=asked.batch_size,
                most_refused=asked.most_refused,
                told=tell,
                refused=refuse,
                loaded=loaded,
            )
    except (OSError, ValueError, Stopped, psycopg.Error) as error:
        print(f"memory-search-import: {said(error)}", file=sys.stderr)
        print(f"{loaded}; not everything was read: run the command again to continue")
        return 1
    except KeyboardInterrupt:
        print(f"{loaded}; interrupted: run the command again to continue")
        return 130
    print(loaded)
    return 1 if loaded.refused else 0


if __name__ == "__main__":
    sys.exit(main())
