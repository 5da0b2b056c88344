"""Importers that read a file."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from ..answers import camel
from ..arguments import NewEntry

SNAKE = {camel(name): name for name in NewEntry.__annotations__}


def jsonl(path: Path) -> Iterator[NewEntry]:
    """Lines of JSON objects with the keys of `memory_add_many`, `rawEntry` or `raw_entry`; others are refused.

    Without `entryKey` the number of the line is the key.
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            entry: dict[str, Any] = {"entry_key": f"line {number}"}
            for key, value in as_object(line, f"{path}, line {number}").items():
                name = SNAKE.get(key, key)
                if name not in NewEntry.__annotations__:
                    raise ValueError(f"{path}, line {number}: unknown key {key!r}; known are {', '.join(SNAKE)}")
                entry[name] = value
            if not isinstance(entry.get("raw_entry"), str):
                raise ValueError(f'{path}, line {number}: "rawEntry" is missing, or no text')
            yield cast(NewEntry, entry)


def as_object(text: str, where: str) -> dict[str, Any]:
    """A JSON object, or an error that says where there is none."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where}: no JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError(f"{where}: no JSON object")
    return value


def chatgpt(path: Path) -> Iterator[NewEntry]:
    """The `conversations.json` of a ChatGPT export: an entry for each message of user and assistant.

    Of a conversation that was edited, the branch that was shown last counts.
    """
    conversations = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(conversations, list):
        raise ValueError(f"{path}: no list of conversations")
    for conversation in conversations:
        yield from messages_of(conversation)


def messages_of(conversation: dict[str, Any]) -> Iterator[NewEntry]:
    """The messages of a conversation in their order."""
    conversation_id = conversation.get("conversation_id") or conversation["id"]
    for message in reversed([*shown(conversation)]):
        author = message["author"]["role"]
        text = text_of(message.get("content") or {})
        if author not in ("user", "assistant") or not text.strip():
            continue
        seconds = message.get("create_time") or conversation.get("create_time")
        yield NewEntry(
            entry_key=f"chatgpt:{message['id']}",
            raw_entry=text,
            session_id=conversation_id,
            source_type=author,
            creation_time=None if seconds is None else datetime.fromtimestamp(seconds, UTC),
            metadata={"title": conversation.get("title") or ""},
        )


def shown(conversation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The messages from the last one up to the root."""
    nodes = conversation.get("mapping") or {}
    node_id = conversation.get("current_node")
    seen: set[str] = set()
    while isinstance(node_id, str) and node_id in nodes and node_id not in seen:
        seen.add(node_id)
        node = nodes[node_id]
        if node.get("message"):
            yield node["message"]
        node_id = node.get("parent")


def text_of(content: dict[str, Any]) -> str:
    """The text of a message, without pictures and files."""
    parts = content.get("parts") or [content.get("text") or ""]
    return "\n".join(part if isinstance(part, str) else part.get("text") or "" for part in parts if part)


def letta(path: Path) -> Iterator[NewEntry]:
    """An agent file of Letta's (`.af`): its memory blocks, its messages, and passages where it has them."""
    agent = as_object(path.read_text(encoding="utf-8"), str(path))
    for one in agent.get("agents") or [agent]:
        name = str(one.get("name") or one.get("id") or "letta")
        yield from letta_blocks(name, [*(agent.get("blocks") or []), *(one.get("core_memory") or [])])
        for number, message in enumerate(one.get("messages") or []):
            content = message.get("content") or message.get("text") or ""
            text = content if isinstance(content, str) else text_of({"parts": content})
            if message.get("role") in ("user", "assistant"):
                yield NewEntry(
                    entry_key=f"letta:{name}:message:{message.get('id') or number}",
                    raw_entry=text,
                    agent_id=name,
                    source_type=message["role"],
                    creation_time=with_zone(message.get("created_at")),
                )
        for number, passage in enumerate(one.get("passages") or []):
            yield NewEntry(
                entry_key=f"letta:{name}:passage:{passage.get('id') or number}",
                raw_entry=passage.get("text") or "",
                agent_id=name,
                source_type="passage",
                tags=passage.get("tags") or None,
                creation_time=with_zone(passage.get("created_at")),
            )


def letta_blocks(agent: str, blocks: Iterable[dict[str, Any]]) -> Iterator[NewEntry]:
    """What an agent always sees; important, therefore."""
    for block in blocks:
        label = str(block.get("label") or block.get("id"))
        yield NewEntry(
            entry_key=f"letta:{agent}:block:{label}",
            raw_entry=block.get("value") or "",
            agent_id=agent,
            source_type="block",
            importance=100,
            tags=[label],
        )


def zep(path: Path) -> Iterator[NewEntry]:
    """A dump of Zep's: lines of messages (`uuid`, `content`, `role_type`) and of facts (`uuid`, `fact`)."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            one = as_object(line, f"{path}, line {number}")
            if not one.get("uuid"):
                raise ValueError(f'{path}, line {number}: "uuid" is missing')
            is_fact = "fact" in one
            yield NewEntry(
                entry_key=f"zep:{one['uuid']}",
                raw_entry=(one["fact"] if is_fact else one.get("content")) or "",
                user_id=one.get("user_id"),
                session_id=one.get("session_id") or one.get("thread_id"),
                source_type="fact" if is_fact else one.get("role_type") or one.get("role"),
                creation_time=with_zone(one.get("created_at")),
                valid_from=with_zone(one.get("valid_at")),
                valid_until=with_zone(one.get("invalid_at")),
                metadata=one.get("metadata") or None,
            )


def with_zone(time: str | None) -> datetime | None:
    """A time of these, in UTC where it names no zone."""
    if not time:
        return None
    read = datetime.fromisoformat(time)
    return read if read.tzinfo else read.replace(tzinfo=UTC)
