"""LangGraph's items, filters and namespaces in terms of memory_search, and back."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from math import sqrt
from typing import Any

from langchain_core.embeddings import Embeddings
from langgraph.store.base import IndexConfig, MatchCondition, PutOp, get_text_at_path, tokenize_path

from ..arguments import NewEntry
from ..store import Store

# The separator between the key of an item and the number of a further text.
PART = "\x1f"
# A condition on metadata that items meet: entries that are none must not take their places in a page.
OF_ITEMS: dict[str, Any] = {name: {"$exists": True} for name in ("key", "value", "created")}


def entries_of(op: PutOp, index: IndexConfig | None, embedder: Embeddings | None) -> list[NewEntry]:
    """The entry of an item, and one for each further text that is embedded."""
    if PART in op.key:
        raise ValueError(f"a key may not hold the character {PART!r}: {op.key!r}")
    texts = texts_of(op, index)
    embeddings: list[list[float] | None] = [None]
    if texts and index and embedder:
        embeddings = [*of_length_one(embedder.embed_documents(texts), index)]
    metadata: dict[str, Any] = {"key": op.key, "value": dict(op.value or {})}
    expires_at = None
    if op.ttl is not None:
        metadata["ttl"] = op.ttl
        expires_at = datetime.now(UTC) + timedelta(minutes=op.ttl)
    return [
        NewEntry(
            entry_key=f"{op.key}{PART}{part}" if part else op.key,
            raw_entry=text,
            embedding=embedding,
            metadata=metadata | {"part": part},
            expires_at=expires_at,
        )
        for part, (text, embedding) in enumerate(zip(texts or [op.key], embeddings, strict=True))
    ]


def texts_of(op: PutOp, index: IndexConfig | None) -> list[str]:
    """The texts of an item to embed."""
    if not index or op.index is False:
        return []
    paths = op.index or index.get("fields") or ["$"]
    found = [get_text_at_path(op.value, path if path == "$" else tokenize_path(path)) for path in paths]
    return [text for texts in found for text in texts if text]


def of_length_one(embeddings: list[list[float]], index: IndexConfig) -> list[list[float]]:
    """These embeddings, which must have length one for distances other than cosine."""
    if index.get("distance_type", "cosine") != "cosine":
        for embedding in embeddings:
            if abs(sum(x * x for x in embedding) - 1) > 0.001:
                raise ValueError("distances other than cosine are for embeddings of length one")
    return embeddings


def score_of(similarity: float | None, index: IndexConfig | None) -> float | None:
    """For embeddings of length one, the inner product is the cosine similarity, which also gives the distance."""
    if similarity is None or not index or index.get("distance_type") != "l2":
        return similarity
    return -sqrt(max(0, 2 - 2 * similarity))


def is_item(metadata: dict[str, Any]) -> bool:
    """Whether an entry with this metadata is one of an item: a memory may contain other entries too."""
    kinds = {"key": str, "value": dict, "created": str}
    return all(isinstance(metadata.get(name), kind) for name, kind in kinds.items())


def item_of(row: dict[str, Any]) -> dict[str, Any]:
    """The fields of an Item."""
    return {
        "namespace": tuple(row["memory_id"].split(".")),
        "key": row["metadata"]["key"],
        "value": row["metadata"]["value"],
        "created_at": datetime.fromisoformat(row["metadata"]["created"]),
        "updated_at": row["creation_time"],
    }


def condition_of(asked: Any) -> Any:
    """LangGraph's $eq, $ne, $gt, $gte, $lt and $lte have the same form as filters of metadata."""
    if isinstance(asked, dict) and set(asked) == {"$eq"} and isinstance(asked["$eq"], dict | list):
        return asked["$eq"]
    return asked


def memories_of(store: Store, conditions: Iterable[MatchCondition]) -> list[str]:
    """The ids of the memories whose namespaces meet all conditions."""
    conditions = list(conditions)
    plain = [one.path for one in conditions if one.match_type == "prefix" and "*" not in one.path]
    prefix = max((".".join(path) for path in plain), key=len, default="") or None
    found = (memory.memory_id for memory in store.list_memories(prefix, page_size=1000))
    return [memory for memory in found if all(meets(memory.split("."), one) for one in conditions)]


def meets(namespace: list[str], condition: MatchCondition) -> bool:
    """Whether a namespace begins or ends with these labels; `*` matches any label."""
    if len(condition.path) > len(namespace):
        return False
    if condition.match_type == "prefix":
        labels = namespace[: len(condition.path)]
    else:
        labels = namespace[len(namespace) - len(condition.path) :]
    return all(asked in ("*", label) for asked, label in zip(condition.path, labels, strict=True))
