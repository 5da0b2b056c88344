"""JSON exports of vector databases and of mem0: the answers of Qdrant, Chroma, Pinecone and mem0 when they are read.

A file holds one answer, a list of answers, or an answer a line: an export is written page by page.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ..arguments import NewEntry
from .lines import lines_of
from .reading import MALFORMED, Read, an_object, objects, parsed, read, with_zone

# The keys in which frameworks store the text of a record, in the order of the search.
TEXT_KEYS = ("text", "page_content", "document", "content", "chunk_text", "data")


@dataclass(frozen=True)
class Chosen:
    """The caller's choices about the records: the key of the text, and which of several vectors."""

    text: str = ""
    vector: str = ""


def answers_of(path: Path) -> Iterator[tuple[str, dict[str, Any] | Read]]:
    """The file's answers with their places: line by line, because a file may be larger than memory, or all at once."""
    if not has_answers_in_lines(path):
        whole = parsed(path.read_text(encoding="utf-8-sig"))
        yield from objects(whole if isinstance(whole, list) else [whole], "answer")
        return
    for where, line in lines_of(path):
        try:
            yield where, an_object(parsed(line.decode("utf-8")))
        except MALFORMED as error:
            yield where, Read(where, None, str(error))


def has_answers_in_lines(path: Path) -> bool:
    """Whether the first line is an answer, or the second one if the first is only broken."""
    first, second = [*(line for _, line in islice(lines_of(path), 2)), b"", b""][:2]
    return is_object(first) or (is_object(second) and not first.lstrip().startswith(b"["))


def is_object(line: bytes) -> bool:
    """Whether a line is a JSON object by itself."""
    try:
        return isinstance(json.loads(line), dict)
    except (*MALFORMED, RecursionError):
        return False


Record = tuple[str, Callable[[], NewEntry]]


def entries_of(path: Path, records_of: Callable[[str, dict[str, Any]], Iterator[Record | Read]]) -> Iterator[Read]:
    """The entries of all answers. If there is none, the file was probably wrong, which is an error."""
    none = True
    for where, answer in answers_of(path):
        if isinstance(answer, Read):
            none = False
            yield answer
            continue
        try:
            for record in records_of(where, answer):
                none = False
                yield record if isinstance(record, Read) else read(*record)
        except MALFORMED as error:
            none = False
            yield Read(where, None, str(error))
    if none:
        raise ValueError(f"{path}: no record is in it; export the records again, or name the format of the file")


def qdrant(path: Path, chosen: Chosen) -> Iterator[Read]:
    """Answers of Qdrant's `points/scroll`, or points by themselves: `id`, `payload`, `vector`."""

    def records(where: str, answer: dict[str, Any]) -> Iterator[Record | Read]:
        result = answer.get("result", answer)
        points = result.get("points", [result] if "id" in result else None)
        if points is None:
            raise ValueError('neither "points" nor "id" is there; write the answers of points/scroll to the file')
        for place, point in objects(points, f"{where}, point"):
            yield point if isinstance(point, Read) else (place, partial(entry, point))

    def entry(point: dict[str, Any]) -> NewEntry:
        return record_of(point["id"], point.get("payload"), one_vector(point.get("vector"), chosen), chosen)

    return entries_of(path, records)


def chroma(path: Path, chosen: Chosen) -> Iterator[Read]:
    """Answers of a Chroma collection's `get`: a list each of ids, documents, metadatas and embeddings."""

    def records(where: str, answer: dict[str, Any]) -> Iterator[Record | Read]:
        if not isinstance(answer.get("ids"), list):
            raise ValueError('"ids" is missing, or no list; write the answer of collection.get() to the file')
        count = len(answer["ids"])
        columns: list[Sequence[Any]] = []
        for name in ("ids", "documents", "metadatas", "embeddings"):
            column = answer.get(name)
            if column is not None and (not isinstance(column, list) or len(column) != count):
                raise ValueError(f'"{name}" is no list of {count}, as many as there are ids; export the file again')
            columns.append([None] * count if column is None else column)
        for number, row in enumerate(zip(*columns, strict=True), 1):
            yield f"{where}, record {number}", partial(entry, *row)

    def entry(key: Any, document: Any, metadata: Any, embedding: Any) -> NewEntry:
        if document is None or chosen.text:
            return record_of(key, metadata, embedding, chosen)
        return NewEntry(entry_key=str(key), raw_entry=document, metadata=metadata, embedding=embedding)

    return entries_of(path, records)


def pinecone(path: Path, chosen: Chosen) -> Iterator[Read]:
    """Answers of Pinecone's `fetch`, or records by themselves: `id`, `values`, `metadata`."""

    def records(where: str, answer: dict[str, Any]) -> Iterator[Record | Read]:
        vectors = answer.get("vectors", [answer] if "id" in answer else None)
        if vectors is None:
            raise ValueError('neither "vectors" nor "id" is there; write the answers of fetch to the file')
        found = [*vectors.values()] if isinstance(vectors, dict) else vectors
        for place, vector in objects(found, f"{where}, record"):
            yield vector if isinstance(vector, Read) else (place, partial(entry, vector))

    def entry(vector: dict[str, Any]) -> NewEntry:
        # A record with only a sparse vector has none that can be compared here.
        return record_of(vector["id"], vector.get("metadata"), vector.get("values") or None, chosen)

    return entries_of(path, records)


def mem0_export(path: Path, _chosen: Chosen) -> Iterator[Read]:
    """Answers of mem0's `get_all`: `results` with memories; they have no embeddings."""

    def records(where: str, answer: dict[str, Any]) -> Iterator[Record | Read]:
        results = answer.get("results", [answer] if "memory" in answer else None)
        if results is None:
            raise ValueError('neither "results" nor "memory" is there; write the answers of get_all to the file')
        for place, memory in objects(results, f"{where}, memory"):
            yield memory if isinstance(memory, Read) else (place, partial(entry, memory))

    def entry(memory: dict[str, Any]) -> NewEntry:
        return NewEntry(
            entry_key=str(memory["id"]),
            raw_entry=memory["memory"],
            metadata=memory.get("metadata") or None,
            tags=memory.get("categories") or None,
            user_id=memory.get("user_id"),
            agent_id=memory.get("agent_id"),
            session_id=memory.get("run_id"),
            creation_time=with_zone(memory.get("created_at")),
            expires_at=end_of_day(memory.get("expiration_date")),
        )

    return entries_of(path, records)


def end_of_day(day: Any) -> datetime | None:
    """The time of expiry for a memory that is visible for a whole day, in UTC; a given time does not change."""
    at = with_zone(day)
    return at + timedelta(days=1) if at is not None and len(day) == len("2030-01-31") else at


def record_of(key: Any, payload: Any, embedding: Any, chosen: Chosen) -> NewEntry:
    """The entry of a record whose text is in its payload; the other fields become metadata."""
    if isinstance(key, bool) or not isinstance(key, str | int):
        raise ValueError(f"its id is neither a text nor a number, but {type(key).__name__}; give the record one")
    payload = an_object(payload or {})
    name = chosen.text or next((name for name in TEXT_KEYS if isinstance(payload.get(name), str)), "")
    if name not in payload:
        wanted = f'the key "{name}"' if name else "a key that usually holds the text"
        raise ValueError(f"{wanted} is not there; --text names one of: {', '.join(payload) or 'no key at all'}")
    metadata = {other: value for other, value in payload.items() if other != name}
    # LangChain nests the application's metadata.
    if metadata.keys() == {"metadata"} and isinstance(metadata["metadata"], dict):
        metadata = metadata["metadata"]
    return NewEntry(entry_key=str(key), raw_entry=payload[name], metadata=metadata, embedding=embedding)


def one_vector(vector: Any, chosen: Chosen) -> Any:
    """The chosen one of several named vectors, or the only dense one."""
    if not isinstance(vector, dict):
        return vector
    if chosen.vector:
        if chosen.vector not in vector:
            names = ", ".join(vector) or "none at all"
            raise ValueError(f'it has no vector "{chosen.vector}"; --vector names one of: {names}')
        return vector[chosen.vector]
    dense = [name for name, value in vector.items() if isinstance(value, list)]
    if len(dense) > 1:
        raise ValueError(f"it has several vectors, {json.dumps(dense)}: --vector says which")
    return vector[dense[0]] if dense else None
