"""Haystack's documents as entries of memory_search, and back."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from haystack import Document
from haystack.dataclasses import ByteStream, SparseEmbedding

from ..arguments import NewEntry

# The metadata key for a document's fields besides its text, its meta and its embedding.
BESIDE = "haystack"


def entries_of(documents: list[Document]) -> list[NewEntry]:
    """The entries for documents, in an order in which they are listed later."""
    now = datetime.now(UTC)
    return [
        NewEntry(
            raw_entry=document.content or "",
            entry_key=document.id,
            metadata=metadata_of(document),
            embedding=document.embedding,
            creation_time=now + place * timedelta(microseconds=1),
        )
        for place, document in enumerate(documents)
    ]


def metadata_of(document: Document) -> dict[str, Any]:
    """A document's meta unchanged and, under a key of this adapter, the fields for which entries have no column."""
    if BESIDE in document.meta:
        raise ValueError(f"the key {BESIDE!r} of meta is reserved for fields that have no column in entries")
    try:
        json.dumps(document.meta)
    except TypeError as error:
        # It would come back as another value.
        raise ValueError(f"meta of the document {document.id!r} is no JSON: {error}") from error
    beside: dict[str, Any] = {}
    if document.content is None:
        beside["content"] = None
    if document.blob is not None:
        beside["blob"] = document.blob.to_dict()
    if document.sparse_embedding is not None:
        beside["sparse_embedding"] = document.sparse_embedding.to_dict()
    return {**document.meta, BESIDE: beside} if beside else dict(document.meta)


def document_of(row: dict[str, Any], score: float | None = None) -> Document:
    """The document from which an entry was made, or one for another program's entry."""
    meta = dict(row["metadata"])
    beside = meta.pop(BESIDE, {})
    blob, sparse = beside.get("blob"), beside.get("sparse_embedding")
    return Document(
        id=row["entry_key"] or row["entry_id"],
        content=None if "content" in beside else row["raw_entry"],
        meta=meta,
        embedding=row["embedding"],
        blob=ByteStream.from_dict(blob) if blob else None,
        sparse_embedding=SparseEmbedding.from_dict(sparse) if sparse else None,
        score=score,
    )
