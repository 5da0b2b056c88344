"""The `conversations.json` of a ChatGPT export."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from ..arguments import NewEntry
from .reading import MALFORMED, Read, objects, parsed, read


def chatgpt(path: Path) -> Iterator[Read]:
    """An entry for each message of user and assistant.

    If a conversation was edited, the branch that was shown last counts.
    """
    conversations = parsed(path.read_text(encoding="utf-8-sig"))
    if not isinstance(conversations, list):
        raise ValueError(f"{path}: no list of conversations")
    for where, conversation in objects(conversations, "conversation"):
        if isinstance(conversation, Read):
            yield conversation
            continue
        try:
            shown = [*reversed(shown_nodes(conversation))]
        except MALFORMED as error:
            yield Read(where, None, str(error))
            continue
        for node in shown:
            if is_said(node):
                yield read(f"{where}, message {node.get('id')}", partial(entry_of, conversation, node))


def shown_nodes(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """The nodes from the last one up to the root, all of them: a broken branch would lose the rest above."""
    nodes = conversation.get("mapping") or {}
    node_id = conversation.get("current_node")
    if nodes and node_id not in nodes:
        raise ValueError(f'"current_node" names the message {node_id!r}, which is missing')
    found: dict[str, dict[str, Any]] = {}
    while node_id is not None and nodes:
        if node_id in found or node_id not in nodes:
            raise ValueError(f"the messages lead back to no first one: {node_id!r} is missing, or answers itself")
        found[node_id] = nodes[node_id]
        node_id = nodes[node_id].get("parent")
    return list(found.values())


def is_said(node: dict[str, Any]) -> bool:
    """Whether it is a message of user or assistant; an unclear one is read, and then gives the reason."""
    message = node.get("message")
    if not message:
        return False
    author = message.get("author") if isinstance(message, dict) else None
    return not isinstance(author, dict) or author.get("role") in ("user", "assistant", None)


def entry_of(conversation: dict[str, Any], node: dict[str, Any]) -> NewEntry:
    """The entry of a message."""
    message = node["message"]
    seconds = message.get("create_time") or conversation.get("create_time")
    return NewEntry(
        entry_key=f"chatgpt:{message['id']}",
        raw_entry=text_of(message.get("content") or {}),
        session_id=conversation.get("conversation_id") or conversation["id"],
        source_type=message["author"]["role"],
        creation_time=None if seconds is None else datetime.fromtimestamp(seconds, UTC),
        metadata={"title": conversation.get("title") or ""},
    )


def text_of(content: dict[str, Any]) -> str:
    """The text of a message, without pictures and files."""
    parts = content.get("parts") or [content.get("text") or ""]
    return "\n".join(part if isinstance(part, str) else part.get("text") or "" for part in parts if part)
