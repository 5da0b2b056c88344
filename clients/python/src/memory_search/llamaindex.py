"""LlamaIndex: a vector store. A collection is a memory, a node's id an entry_key, its document in metadata."""

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict
from pydantic import PrivateAttr

from .answers import Entry
from .arguments import NewEntry
from .connections import Source
from .memory import Memory
from .nearest import BY_SIMILARITY, BY_WORDS, MOST, arguments, in_batches, nearest

# The search for each of LlamaIndex's modes; a hybrid search is memory_search's own, with its boosts.
OPTIONS: dict[VectorStoreQueryMode, dict[str, Any]] = {
    VectorStoreQueryMode.DEFAULT: BY_SIMILARITY,
    VectorStoreQueryMode.SPARSE: BY_WORDS,
    VectorStoreQueryMode.TEXT_SEARCH: BY_WORDS,
    VectorStoreQueryMode.HYBRID: {"strategy": "hybrid"},
    VectorStoreQueryMode.MMR: BY_SIMILARITY,
}
OPERATORS = {
    FilterOperator.EQ: "$eq",
    FilterOperator.NE: "$ne",
    FilterOperator.GT: "$gt",
    FilterOperator.GTE: "$gte",
    FilterOperator.LT: "$lt",
    FilterOperator.LTE: "$lte",
    FilterOperator.IN: "$in",
    FilterOperator.NIN: "$nin",
    FilterOperator.CONTAINS: "$contains",
}
CONDITIONS = {FilterCondition.AND: "$and", FilterCondition.OR: "$or", FilterCondition.NOT: "$not"}


class MemorySearchVectorStore(BasePydanticVectorStore):
    """Nodes of one collection, embedded by the application."""

    stores_text: bool = True
    is_embedding_query: bool = True
    flat_metadata: bool = False

    collection: str
    store: str | None = None
    _source: Source = PrivateAttr()
    _memory: Memory = PrivateAttr()

    def __init__(self, source: Source, collection: str, *, store: str | None = None) -> None:
        """`source` is a connection, whose transactions belong to the caller, or a pool."""
        super().__init__(collection=collection, store=store)  # type: ignore[call-arg]
        self._source = source
        self._memory = Memory(source, collection, store=store)

    @classmethod
    def class_name(cls) -> str:
        """The name of the class in LlamaIndex's serialised form."""
        return "MemorySearchVectorStore"

    @property
    def client(self) -> Source:
        """The connection or pool."""
        return self._source

    def add(self, nodes: Sequence[BaseNode], **add_kwargs: Any) -> list[str]:
        """Stores nodes under their ids; a node whose id exists is changed. All or none."""
        self._memory.add_many(
            NewEntry(
                raw_entry=node.get_content(metadata_mode=MetadataMode.NONE),
                metadata=node_to_metadata_dict(node, remove_text=True, flat_metadata=self.flat_metadata),
                embedding=node.get_embedding(),
                entry_key=node.node_id,
            )
            for node in nodes
        )
        return [node.node_id for node in nodes]

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Hides the nodes of a document; `memory_purge` removes them permanently."""
        self._memory.delete_where({"metadata": {"ref_doc_id": {"$eq": ref_doc_id}}}, dry_run=False)

    def delete_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any
    ) -> None:
        """Hides the nodes with these ids, those that pass the filters, or, if both are given, those that meet both."""
        if node_ids is None and filters is None:
            return
        passing = filters_of(filters)
        for batch in in_batches(node_ids) if node_ids is not None else [None]:
            ids = [] if batch is None else [{"entryKey": batch}]
            self._memory.delete_where({"$and": [*ids, *passing]}, dry_run=False)

    def clear(self) -> None:
        """Hides all nodes of the collection."""
        self._memory.delete_all()

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """The nodes with these ids, or those that pass the filters, or both."""
        passing = filters_of(filters)
        batches = in_batches(node_ids) if node_ids is not None else [None]
        found: list[Entry] = []
        for batch in batches:
            conditions = [*([] if batch is None else [{"entryKey": batch}]), *passing]
            asked = {"$and": conditions} if conditions else None
            found += self._memory.list(asked, page_size=MOST, options={"includeEmbedding": True})
        return [node_of(vars(entry)) for entry in found]

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The best nodes; the score is the cosine similarity, BM25 for words, or memory_search's in hybrid search."""
        if query.mode not in OPTIONS:
            raise ValueError(f"the mode {query.mode.value!r} is none of {', '.join(mode.value for mode in OPTIONS)}")
        words = OPTIONS[query.mode] is BY_WORDS
        k = query.similarity_top_k
        if words:
            k = query.sparse_top_k or k
        elif query.mode == VectorStoreQueryMode.HYBRID:
            k = query.hybrid_top_k or k
        options = dict(OPTIONS[query.mode])
        if query.mode == VectorStoreQueryMode.MMR:
            options["mmr"] = 0.5 if query.mmr_threshold is None else query.mmr_threshold
        elif query.mode == VectorStoreQueryMode.HYBRID and query.alpha is not None:
            options["weights"] = {"semantic": query.alpha, "keyword": 1 - query.alpha}
        conditions = filters_of(query.filters)
        if query.node_ids is not None:
            conditions.append({"entryKey": query.node_ids})
        if query.doc_ids is not None:
            conditions.append({"metadata": {"ref_doc_id": {"$in": query.doc_ids}}})
        values = arguments(
            self.collection,
            query.query_str or "",
            k,
            None if words else query.query_embedding,
            {"$and": conditions} if conditions else {},
            self.store,
            options=options,
            with_embeddings=True,
        )
        rows = nearest(self._source, values)
        score = "bm25" if words else "score" if query.mode == VectorStoreQueryMode.HYBRID else "semantic"
        return VectorStoreQueryResult(
            nodes=[node_of(row) for row in rows],
            similarities=[row[score] for row in rows],
            ids=[row["entry_key"] for row in rows],
        )

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Like `add`, without blocking the event loop."""
        return await asyncio.to_thread(self.add, nodes, **kwargs)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Like `query`, without blocking the event loop."""
        return await asyncio.to_thread(self.query, query, **kwargs)

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Like `delete`, without blocking the event loop."""
        await asyncio.to_thread(self.delete, ref_doc_id, **delete_kwargs)


def node_of(row: dict[str, Any]) -> BaseNode:
    """The node from which an entry was made."""
    node = metadata_dict_to_node(row["metadata"], text=row["raw_entry"])
    node.embedding = row["embedding"]
    return node


def filters_of(filters: MetadataFilters | None) -> list[dict[str, Any]]:
    """LlamaIndex's filters as one condition, or none."""
    if filters is None or not filters.filters:
        return []
    conditions: list[Any] = []
    for one in filters.filters:
        conditions += [condition_of(one)] if isinstance(one, MetadataFilter) else filters_of(one)
    return [{CONDITIONS[filters.condition or FilterCondition.AND]: conditions}] if conditions else []


def condition_of(asked: MetadataFilter) -> dict[str, Any]:
    """The condition on one key of metadata."""
    value = asked.value
    condition: dict[str, Any]
    if asked.operator == FilterOperator.TEXT_MATCH:
        condition = {"$like": f"%{literal(value)}%"}
    elif asked.operator == FilterOperator.TEXT_MATCH_INSENSITIVE:
        condition = {"$ilike": f"%{literal(value)}%"}
    elif asked.operator == FilterOperator.IS_EMPTY:
        # The operators of metadata cannot test for an empty list: an absent or null value counts.
        return {"$or": [{"metadata": {asked.key: {"$exists": False}}}, {"metadata": {asked.key: None}}]}
    elif asked.operator == FilterOperator.ANY:
        return {"$or": [{"metadata": {asked.key: {"$contains": one}}} for one in many(asked)]}
    elif asked.operator == FilterOperator.ALL:
        return {"$and": [{"metadata": {asked.key: {"$contains": one}}} for one in many(asked)]}
    else:
        condition = {OPERATORS[asked.operator]: value}
    return {"metadata": {asked.key: condition}}


def many(asked: MetadataFilter) -> list[Any]:
    """The values of an operator that takes several."""
    if not isinstance(asked.value, list):
        raise ValueError(f"the operator {asked.operator.value!r} takes a list, not {asked.value!r}")
    return asked.value


def literal(value: Any) -> str:
    """A text in which LIKE sees no patterns."""
    return str(value).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
