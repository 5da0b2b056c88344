"""A Letta agent file (`.af`): its memory blocks, its messages, and its passages, if it has any."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from ..arguments import NewEntry
from .chatgpt import text_of
from .reading import Read, an_object, objects, parsed, read, with_zone

HOLDS = ("agents", "messages", "blocks", "core_memory", "passages")


def letta(path: Path) -> Iterator[Read]:
    """Imports the messages of user and assistant; a block belongs to the agents that name it, or to all of them."""
    try:
        file = an_object(parsed(path.read_text(encoding="utf-8-sig")))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if not any(name in file for name in HOLDS):
        raise ValueError(f"{path}: no agent file: none of the keys {', '.join(HOLDS)} is there")
    for where, agent in objects(file["agents"] if file.get("agents") else [file], "agent"):
        if isinstance(agent, Read):
            yield agent
            continue
        name = str(agent.get("name") or agent.get("id") or "letta")
        named = agent.get("block_ids")
        for place, block in [*objects(file.get("blocks"), "block"), *objects(agent.get("core_memory"), "block")]:
            if isinstance(block, Read):
                yield block
            elif not named or block.get("id") is None or block["id"] in named:
                yield read(f"{where}, {place}", partial(block_of, block, name))
        for place, message in objects(agent.get("messages"), f"{where}, message"):
            if isinstance(message, Read):
                yield message
            elif message.get("role") in ("user", "assistant"):
                yield read(place, partial(message_of, message, name, number_of(place)))
        for place, passage in objects(agent.get("passages"), f"{where}, passage"):
            if isinstance(passage, Read):
                yield passage
            else:
                yield read(place, partial(passage_of, passage, name, number_of(place)))


def number_of(place: str) -> int:
    """The position in a list, from 0: the key of a record without an id."""
    return int(place.rsplit(" ", 1)[1]) - 1


def block_of(block: dict[str, Any], agent: str) -> NewEntry:
    """A text that an agent always sees, and which is therefore important."""
    label = str(block.get("label") or block["id"])
    return NewEntry(
        entry_key=f"letta:{agent}:block:{label}",
        raw_entry=block.get("value") or "",
        agent_id=agent,
        source_type="block",
        importance=100,
        tags=[label],
    )


def message_of(message: dict[str, Any], agent: str, number: int) -> NewEntry:
    """A message."""
    content = message.get("content") or message.get("text") or ""
    return NewEntry(
        entry_key=f"letta:{agent}:message:{message.get('id') or number}",
        raw_entry=text_of({"parts": content}) if isinstance(content, list) else content,
        agent_id=agent,
        source_type=message["role"],
        creation_time=with_zone(message.get("created_at")),
    )


def passage_of(passage: dict[str, Any], agent: str, number: int) -> NewEntry:
    """A text that an agent stored."""
    return NewEntry(
        entry_key=f"letta:{agent}:passage:{passage.get('id') or number}",
        raw_entry=passage.get("text") or "",
        agent_id=agent,
        source_type="passage",
        tags=passage.get("tags") or None,
        creation_time=with_zone(passage.get("created_at")),
    )
