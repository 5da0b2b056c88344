"""The file of the reference memory server of the Model Context Protocol: a line for each entity and each relation.

An entity becomes an entry of its own and one for each observation, a relation becomes one, as the program's
`mcp --tools graph` stores them: under the same keys, so that neither adds what the other has added.
"""

import hashlib
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

from ..arguments import NewEntry
from .lines import jsonl, lines_of, object_of
from .reading import MALFORMED, Read, read

MOST_CHARACTERS_OF_NAME = 200
# A file whose first lines are broken is recognised as well.
LINES_LOOKED_AT = 10


def jsonl_or_graph(path: Path) -> Iterator[Read]:
    """Lines for `memory_add_many`, or those of the reference memory server: only these have a key `type`."""
    return graph(path) if is_graph(path) else jsonl(path)


def is_graph(path: Path) -> bool:
    """Whether one of the first lines is an entity or a relation."""
    return any(is_of_graph(line) for _, line in islice(lines_of(path), LINES_LOOKED_AT))


def is_of_graph(line: bytes) -> bool:
    """Whether a line is an entity or a relation."""
    try:
        return object_of(line).get("type") in ("entity", "relation")
    except (*MALFORMED, RecursionError):
        return False


def graph(path: Path) -> Iterator[Read]:
    """Entities with `name`, `entityType` and `observations`; relations with `from`, `to` and `relationType`."""
    for where, line in lines_of(path):
        try:
            found = [*entries_of(where, object_of(line))]
        except MALFORMED as error:
            found = [Read(where, None, f"the key {error} is missing" if isinstance(error, KeyError) else str(error))]
        yield from found


def entries_of(where: str, one: dict[str, Any]) -> Iterator[Read]:
    """The entries for a line."""
    kind = one.get("type")
    if kind == "entity":
        yield from entries_of_entity(where, one)
    elif kind == "relation":
        yield read(where, partial(of_relation, one), in_order=True)
    else:
        raise ValueError(f'"type" is entity or relation, not {kind!r}')


def entries_of_entity(where: str, entity: dict[str, Any]) -> Iterator[Read]:
    """The entity itself, and each observation after its name."""
    name = name_of(entity, "name")
    observations = entity["observations"]
    if not isinstance(observations, list):
        raise ValueError('"observations" is no list')

    def itself() -> NewEntry:
        kind = text_of(entity, "entityType")
        text = f"{name} ({kind})" if kind.strip(" ") else name
        return made(text, ["entity", name], [name], {"name": name, "entityType": kind})

    def observed(text: Any) -> NewEntry:
        if not isinstance(text, str):
            raise ValueError(f"an observation must be a text, not {type(text).__name__}")
        return made(f"{name}: {text}", ["observation", name, text], [name], {"name": name})

    yield read(where, itself, in_order=True)
    for number, text in enumerate(observations, 1):
        yield read(f"{where}, observation {number}", partial(observed, text), in_order=True)


def of_relation(relation: dict[str, Any]) -> NewEntry:
    """The entry of a relation, whose text is a sentence with its ends."""
    start, end, kind = name_of(relation, "from"), name_of(relation, "to"), text_of(relation, "relationType")
    about = {"from": start, "to": end, "relationType": kind}
    return made(f"{start} {kind} {end}", ["relation", start, end, kind], [start, end], about)


def made(text: str, parts: list[str], entities: list[str], metadata: dict[str, Any]) -> NewEntry:
    """An entry whose key is made from its parts. The length precedes each part, so that no two keys are equal."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    key = f"graph:{hashlib.sha256(joined.encode()).hexdigest()}"
    entry = {"raw_entry": text, "entry_key": key, "entities": entities, "metadata": {"graph": parts[0], **metadata}}
    return cast(NewEntry, entry)


def text_of(one: dict[str, Any], key: str) -> str:
    """The text at a key of an object."""
    if not isinstance(one[key], str):
        raise ValueError(f'"{key}" is no text')
    return cast(str, one[key])


def name_of(one: dict[str, Any], key: str) -> str:
    """The name of an entity at a key of an object."""
    name = text_of(one, key)
    if not name.strip() or len(name) > MOST_CHARACTERS_OF_NAME:
        raise ValueError(f'"{key}" must be a name, not blank, of at most {MOST_CHARACTERS_OF_NAME} characters')
    return name
