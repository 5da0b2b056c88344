"""Haystack's DocumentStore: a collection is a memory, a document's id an entry_key, its meta metadata."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from haystack import Document, default_from_dict, default_to_dict
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.utils import Secret, deserialize_secrets_inplace

from ..awaited import beside_loop
from ..memory import Memory
from ..nearest import MOST, arguments, in_batches, nearest
from ..transactions import one_writer, transaction
from .documents import document_of, entries_of, metadata_of
from .filters import filters_of

DATABASE_URL = Secret.from_env_var("DATABASE_URL")
# Haystack makes the embeddings.
OPTIONS = "-c memory_search.embed_on_write=off"


class MemorySearchDocumentStore:
    """Documents of one collection, over its own connection, which is made on first use and commits each call."""

    def __init__(
        self, connection_string: Secret = DATABASE_URL, collection: str = "documents", *, store: str | None = None
    ) -> None:
        """The store of memory_search must exist, with the dimension of the application's embeddings."""
        self.connection_string = connection_string
        self.collection = collection
        self.store = store
        self._connection: psycopg.Connection[Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The data from which a pipeline is restored, without passwords, which are in variables of the environment."""
        return default_to_dict(
            self, connection_string=self.connection_string.to_dict(), collection=self.collection, store=self.store
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "MemorySearchDocumentStore":
        """A store from the result of to_dict()."""
        deserialize_secrets_inplace(data["init_parameters"], ["connection_string"])
        made: MemorySearchDocumentStore = default_from_dict(cls, data)
        return made

    def close(self) -> None:
        """Ends the connection; the next call makes another."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def count_documents(self) -> int:
        """The number of documents."""
        return self.count_documents_by_filter({})

    def count_documents_by_filter(self, filters: dict[str, Any]) -> int:
        """The number of documents that pass the filters."""
        asked = filters_of(filters)
        with self._memory() as memory:
            return memory.count(asked)

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """The documents that pass the filters, in the order in which they were written."""
        asked = filters_of(filters)
        with self._memory() as memory:
            found = memory.list(asked, order_by="createdAt", page_size=MOST, options={"includeEmbedding": True})
            return [document_of(vars(entry)) for entry in found]

    def write_documents(self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE) -> int:
        """Stores documents, all or none, and returns how many; without a policy, an existing id is an error."""
        if not isinstance(documents, list) or not all(isinstance(one, Document) for one in documents):
            raise ValueError("write_documents() takes a list of Documents")
        if not isinstance(policy, DuplicatePolicy):
            raise ValueError(f"policy is a DuplicatePolicy, not {policy!r}")
        written: dict[str, Document] = {}
        for document in documents:
            if policy in (DuplicatePolicy.NONE, DuplicatePolicy.FAIL) and document.id in written:
                raise DuplicateDocumentError(f"the id {document.id!r} is in the list twice")
            if policy == DuplicatePolicy.OVERWRITE or document.id not in written:
                written[document.id] = document
        with self._memory(alone=policy != DuplicatePolicy.OVERWRITE) as memory:
            for batch in in_batches(list(written)) if policy != DuplicatePolicy.OVERWRITE else ():
                for entry in memory.page({"entryKey": batch}, page_size=len(batch)):
                    if policy != DuplicatePolicy.SKIP:
                        raise DuplicateDocumentError(f"there is a document with the id {entry.entry_key!r} already")
                    del written[str(entry.entry_key)]
            for some in in_batches(entries_of(list(written.values()))):
                memory.add_many(some)
        return len(documents) if policy == DuplicatePolicy.OVERWRITE else len(written)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Hides these documents; `memory_purge` removes them permanently. Ids that do not exist are ignored."""
        with self._memory() as memory:
            for batch in in_batches(document_ids):
                memory.delete_where({"entryKey": batch}, dry_run=False)

    def delete_all_documents(self) -> None:
        """Hides all documents of the collection."""
        with self._memory() as memory:
            memory.delete_all()

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Hides the documents that pass the filters, and returns how many; without filters, all of them."""
        asked = filters_of(filters)
        with self._memory() as memory:
            return len(memory.delete_where(asked, dry_run=False)) if asked else memory.delete_all()

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Changes these keys of meta in the documents that pass the filters, and returns how many there are."""
        asked = filters_of(filters)
        changed = metadata_of(Document(content="", meta=meta))
        with self._memory(alone=True) as memory:
            found = list(memory.list(asked, page_size=MOST))
            for entry in found:
                memory.update(entry.entry_id, metadata={**entry.metadata, **changed})
        return len(found)

    def search(
        self,
        query: str,
        embedding: list[float] | None,
        filters: dict[str, Any] | None,
        top_k: int,
        *,
        options: dict[str, Any],
        score: str,
    ) -> list[Document]:
        """The best documents, for retrievers; the column `score` of a row is its score."""
        if top_k <= 0:
            raise ValueError(f"top_k is greater than 0, not {top_k}")
        values = arguments(
            self.collection, query, top_k, embedding, filters_of(filters), self.store,
            options=options, with_embeddings=True,
        )  # fmt: skip
        with errors_of_haystack(), transaction(self._connected()) as connection:
            return [document_of(row, row[score]) for row in nearest(connection, values)]

    async def count_documents_async(self) -> int:
        """Like `count_documents`, without blocking the event loop."""
        return await beside_loop(self.count_documents)

    async def count_documents_by_filter_async(self, filters: dict[str, Any]) -> int:
        """Like `count_documents_by_filter`, without blocking the event loop."""
        return await beside_loop(self.count_documents_by_filter, filters)

    async def filter_documents_async(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Like `filter_documents`, without blocking the event loop."""
        return await beside_loop(self.filter_documents, filters)

    async def write_documents_async(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Like `write_documents`, without blocking the event loop."""
        return await beside_loop(self.write_documents, documents, policy)

    async def delete_documents_async(self, document_ids: list[str]) -> None:
        """Like `delete_documents`, without blocking the event loop."""
        await beside_loop(self.delete_documents, document_ids)

    async def delete_all_documents_async(self) -> None:
        """Like `delete_all_documents`, without blocking the event loop."""
        await beside_loop(self.delete_all_documents)

    async def delete_by_filter_async(self, filters: dict[str, Any]) -> int:
        """Like `delete_by_filter`, without blocking the event loop."""
        return await beside_loop(self.delete_by_filter, filters)

    async def update_by_filter_async(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Like `update_by_filter`, without blocking the event loop."""
        return await beside_loop(self.update_by_filter, filters, meta)

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            conninfo = self.connection_string.resolve_value() or ""
            self._connection = psycopg.connect(conninfo, autocommit=True, options=OPTIONS)
        return self._connection

    @contextmanager
    def _memory(self, *, alone: bool = False) -> Iterator[Memory]:
        with errors_of_haystack(), transaction(self._connected()) as connection:
            if alone:
                one_writer(connection, self.store, self.collection)
            yield Memory(connection, self.collection, store=self.store)


@contextmanager
def errors_of_haystack() -> Iterator[None]:
    """Converts the server's refusal of a filter to Haystack's FilterError."""
    try:
        yield
    except psycopg.DataError as error:
        if "filter" not in (error.diag.message_primary or ""):
            raise
        raise FilterError(error.diag.message_primary) from error
