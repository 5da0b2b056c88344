"""A store of Pydantic AI's conversations: a message is an entry, which searches find by its text."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, TextContent, TextPart, UserPromptPart

from ..answers import Entry
from ..arguments import NewEntry
from ..awaited import beside_loop
from ..connections import Source
from ..exact import from_metadata, searchable, to_metadata
from ..memory import Memory
from ..nearest import MOST, in_batches
from ..transactions import one_writer, transaction

SOURCE_TYPE = "pydantic-ai"
RECORDS: TypeAdapter[ConversationRecord] = TypeAdapter(ConversationRecord)


class MemorySearchConversations(ConversationStore):
    """Conversations whose messages are a memory. Their records are in another memory, `<memory_id>.records`.

    Data that `delete` removes, including messages that no other conversation uses, are hidden until `memory_purge`.
    """

    def __init__(self, source: Source, memory_id: str, *, store: str | None = None) -> None:
        """`source` is a connection, on which threads take turns, or a pool."""
        self._source = source
        self._memory_id = memory_id
        self._store = store

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """The record of a conversation."""
        return await beside_loop(self._read_one, conversation_id)

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        """The records of a scope, or all, the last saved first."""
        return await beside_loop(self._read_some, scope, limit)

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Stores a record with its new messages, both or none."""
        await beside_loop(self._write, record, list(new_entries), expected_revision)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Deletes a record, and the messages that no remaining record reaches."""
        await beside_loop(self._delete, conversation_id, expected_revision)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """The message with this id."""
        return await beside_loop(self._read_message, entry_id)

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        """The messages up to this one, or the last of them; the messages of a conversation are read at once."""
        return await beside_loop(self._read_history, head_id, limit)

    # --- Reading ------------------------------------------------------------------------------------

    def _read_one(self, conversation_id: str) -> ConversationRecord | None:
        with self._both() as (_, records):
            return record_in(records, conversation_id)

    def _read_some(self, scope: str | None, limit: int | None) -> list[ConversationRecord]:
        if limit == 0:
            return []
        filters = None if scope is None else {"metadata": {"scope": {"$eq": scope}}}
        with self._both() as (_, records):
            return [record_of(entry) for entry in islice(records.list(filters, page_size=MOST), limit)]

    def _read_message(self, entry_id: str) -> ConversationEntry:
        with self._both() as (messages, _):
            return message_of(message_in(messages, entry_id))

    def _read_history(self, head_id: str | None, limit: int | None) -> list[ConversationEntry]:
        history: list[ConversationEntry] = []
        known: dict[str | None, Entry] = {}
        with self._both() as (messages, _):
            while head_id is not None and (limit is None or len(history) < limit):
                if head_id not in known:
                    # A fork continues in another conversation.
                    found = message_in(messages, head_id)
                    known[head_id] = found
                    newest_first = messages.list(of_conversation(found.session_id), page_size=MOST)
                    known |= {entry.entry_key: entry for entry in islice(newest_first, limit)}
                history.append(message_of(known[head_id]))
                head_id = history[-1].parent_id
        history.reverse()
        return history

    # --- Writing ------------------------------------------------------------------------------------

    def _write(
        self, record: ConversationRecord, new_entries: list[ConversationEntry], expected_revision: str | None
    ) -> None:
        entries = [entry_of(entry, record.conversation_id) for entry in new_entries]
        with self._both(alone=True) as (messages, records):
            stored = record_in(records, record.conversation_id)
            if (stored.revision if stored else None) != expected_revision:
                raise ConversationConflict(record.conversation_id)
            if record.head_id is not None and record.head_id not in {entry.id for entry in new_entries}:
                try:
                    message_in(messages, record.head_id)
                except LookupError as error:
                    raise ConversationConflict(record.conversation_id) from error
            for batch in in_batches(entries):
                messages.add_many(batch)
            about = {"scope": record.scope, "ends": ends_of(record)}
            records.upsert(
                record.conversation_id,
                "",
                metadata={**about, **to_metadata(RECORDS.dump_python(record, mode="json"))},
                session_id=record.conversation_id,
                source_type=SOURCE_TYPE,
                creation_time=record.updated_at,
            )

    def _delete(self, conversation_id: str, expected_revision: str) -> None:
        with self._both(alone=True) as (messages, records):
            stored = record_in(records, conversation_id)
            if stored is None or stored.revision != expected_revision:
                raise ConversationConflict(conversation_id)
            records.delete_where({"entryKey": conversation_id}, dry_run=False)
            # The conversation before it may have been kept only for this one.
            waiting = {conversation_id, *conversations_of(messages, ends_of(stored))}
            while waiting:
                one = waiting.pop()
                if record_in(records, one) is None:
                    waiting |= prune(messages, records, one)

    @contextmanager
    def _both(self, *, alone: bool = False) -> Iterator[tuple[Memory, Memory]]:
        with transaction(self._source) as connection:
            if alone:
                # Conversations share messages, so a memory has one writer at a time.
                one_writer(connection, self._store, self._memory_id)
            yield (
                Memory(connection, self._memory_id, store=self._store),
                Memory(connection, f"{self._memory_id}.records", store=self._store),
            )


def prune(messages: Memory, records: Memory, conversation_id: str) -> set[str]:
    """Deletes those messages of a deleted conversation that no record reaches; returns the conversations before it."""
    entries = {str(entry.entry_key): entry for entry in messages.list(of_conversation(conversation_id), page_size=MOST)}
    needed: list[str | None] = []
    for batch in in_batches(entries):
        for record in records.list({"metadata": {"ends": {"$in": batch}}}, page_size=MOST):
            needed += record.metadata["ends"]
        after = {"metadata": {"parent": {"$in": batch}}, "$not": {"sessionId": conversation_id}}
        needed += [entry.metadata["parent"] for entry in messages.list(after, page_size=MOST)]
    gone = dict(entries)
    for key in needed:
        while key in gone:
            key = gone.pop(key).metadata["parent"]
    for batch in in_batches(gone):
        messages.delete_where({"entryKey": batch}, dry_run=False)
    return conversations_of(messages, {entry.metadata["parent"] for entry in gone.values()} - {None, *entries})


def ends_of(record: ConversationRecord) -> list[str]:
    """The last messages of a conversation and of the branches that it left."""
    return [tip for tip in (record.head_id, *record.branches) if tip]


def conversations_of(messages: Memory, entry_ids: Iterable[str]) -> set[str]:
    """The conversations with which messages were saved."""
    return {
        str(entry.session_id)
        for batch in in_batches(entry_ids)
        for entry in messages.page({"entryKey": batch}, page_size=len(batch))
    }


def of_conversation(conversation_id: str | None) -> dict[str, Any]:
    """The filters for the messages that were saved with a conversation."""
    return {"sessionId": conversation_id, "sourceType": SOURCE_TYPE}


def record_in(records: Memory, conversation_id: str) -> ConversationRecord | None:
    """The record of a conversation."""
    for entry in records.page({"entryKey": conversation_id}, page_size=1):
        return record_of(entry)
    return None


def record_of(entry: Entry) -> ConversationRecord:
    """The record from which an entry was made."""
    return RECORDS.validate_python(from_metadata(entry.metadata))


def message_in(messages: Memory, entry_id: str) -> Entry:
    """The entry of a message; LookupError if there is none."""
    for entry in messages.page({"entryKey": entry_id}, page_size=1):
        return entry
    raise LookupError(f"there is no message {entry_id!r}")


def message_of(entry: Entry) -> ConversationEntry:
    """The message from which an entry was made."""
    (message,) = ModelMessagesTypeAdapter.validate_python([from_metadata(entry.metadata)])
    return ConversationEntry(id=str(entry.entry_key), parent_id=entry.metadata["parent"], message=message)


def entry_of(entry: ConversationEntry, conversation_id: str) -> NewEntry:
    """The entry for a message."""
    (document,) = ModelMessagesTypeAdapter.dump_python([entry.message], mode="json")
    return NewEntry(
        raw_entry=searchable(text_of(entry.message)),
        entry_key=entry.id,
        metadata={"parent": entry.parent_id, **to_metadata(document)},
        session_id=conversation_id,
        source_type=SOURCE_TYPE,
    )


def text_of(message: ModelMessage) -> str:
    """The text of user and model in a message, without instructions, tools and thoughts."""
    said: list[str] = []
    for part in message.parts:
        if isinstance(part, TextPart):
            said.append(part.content)
        elif isinstance(part, UserPromptPart):
            contents = [part.content] if isinstance(part.content, str) else part.content
            said += [
                one if isinstance(one, str) else one.content for one in contents if isinstance(one, str | TextContent)
            ]
    return "\n".join(said)
