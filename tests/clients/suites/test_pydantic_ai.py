"""The promises of Pydantic AI's interface for a store of conversations, and tools by which a model uses a memory.

Its own tests are in none of its packages: these cases are ours, written from the docstrings of ConversationStore.
The tests of conversations run on its InMemoryConversationStore too.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from memory_search import Memory
from memory_search.pydantic_ai import MemorySearchConversations, memory_toolset
from pydantic_ai import Agent, DeferredToolRequests, UnexpectedModelBehavior
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import ConversationConflict, ConversationStore, InMemoryConversationStore
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RunUsage

STORE = "pydantic"


@pytest.fixture(params=["ours", "in memory"])
def store(connected: psycopg.Connection, request: pytest.FixtureRequest) -> Iterator[ConversationStore]:
    """An empty store of conversations."""
    ours = MemorySearchConversations(connected, "said", store=STORE)
    yield ours if request.param == "ours" else InMemoryConversationStore()
    for memory_id in ("said", "said.records"):
        Memory(connected, memory_id, store=STORE).delete_all()


def turn(asked: str, answered: str) -> list[ModelMessage]:
    """A request and its answer."""
    return [ModelRequest(parts=[UserPromptPart(asked)]), ModelResponse(parts=[TextPart(answered)])]


def conversation(*turns: list[ModelMessage], id: str = "7") -> Conversation:
    """One that was not stored yet."""
    return Conversation(conversation_id=id, messages=[message for one in turns for message in one])


FIRST, SECOND, THIRD = turn("Where to sit?", "By the window."), turn("Why?", "She likes it."), turn("So?", "So be it.")


async def test_a_conversation_comes_back_as_it_was(store: ConversationStore) -> None:
    time = datetime(2026, 5, 1, 12, 0, 0, 123456, tzinfo=UTC)
    picture = BinaryContent(data=b"\x00\xff", media_type="application/pdf")
    messages: list[ModelMessage] = [
        ModelRequest(parts=[UserPromptPart(["Look \x00 \U0001f600", picture], timestamp=time)], metadata={"n": 1e23}),
        ModelResponse(parts=[ThinkingPart("hm"), ToolCallPart("look", {"at": 1.5}, tool_call_id="c")], timestamp=time),
        ModelRequest(parts=[ToolReturnPart("look", {"seen": [1, None]}, tool_call_id="c", timestamp=time)]),
    ]
    calls = DeferredToolRequests(
        approvals=[ToolCallPart("look", {"at": 1}, tool_call_id="d")], metadata={"d": {"a": 1}}
    )
    usage = RunUsage(requests=2, input_tokens=5, details={"x": 1})
    saved = Conversation(conversation_id="7", messages=messages, usage=usage, deferred_tool_requests=calls)
    entries = await store.save(saved, scope="ana")
    assert len(entries) == 3
    loaded = await store.load("7")
    assert loaded.messages == messages
    assert (loaded.usage, loaded.deferred_tool_requests, loaded.revision) == (usage, calls, saved.revision)
    assert await store.load_entries("7") == entries
    assert await store.load("8") is None


async def test_a_run_goes_on_with_what_was_said(store: ConversationStore) -> None:
    agent = Agent(FunctionModel(lambda messages, _: ModelResponse(parts=[TextPart(f"{len(messages)} messages")])))
    await store.save(await agent.run("one", conversation=Conversation(conversation_id="7")))
    result = await agent.run("two", conversation=await store.load("7"))
    assert result.output == "3 messages"
    assert len(await store.save(result)) == 2
    assert len((await store.load("7")).messages) == 4
    assert [one.parts[0].content for one in (await store.load("7", limit=3)).messages] == [
        "1 messages", "two", "3 messages",
    ]  # fmt: skip
    assert (await store.load("7", limit=0)).messages == []


async def test_two_who_save_at_once_do_not_overwrite_each_other(store: ConversationStore) -> None:
    await store.save(conversation(FIRST))
    one, other = await store.load("7"), await store.load("7")
    for loaded, added in ((one, SECOND), (other, THIRD)):
        loaded.messages += added
    outcomes = await asyncio.gather(store.save(one), store.save(other), return_exceptions=True)
    assert sorted(isinstance(outcome, ConversationConflict) for outcome in outcomes) == [False, True]
    assert len((await store.load("7")).messages) == 4
    with pytest.raises(ConversationConflict):
        await store.save(conversation(FIRST))


async def test_conversations_are_listed_by_scope(store: ConversationStore) -> None:
    for id, scope in (("1", "ana"), ("2", "ben"), ("3", "ana"), ("4", None)):
        await store.save(conversation(FIRST, id=id), scope=scope)
    assert [one.conversation_id for one in await store.list_conversations()] == ["4", "3", "2", "1"]
    assert [one.conversation_id for one in await store.list_conversations(scope="ana", limit=1)] == ["3"]
    assert await store.list_conversations(scope="", limit=5) == []
    assert await store.list_conversations(limit=0) == []
    assert await store.load("1", scope="ben") is None
    await store.delete("1", scope="ben")
    assert await store.load("1", scope="ana") is not None


async def test_a_history_branches_and_branches_back(store: ConversationStore) -> None:
    await store.save(conversation(FIRST, SECOND))
    loaded = await store.load("7")
    branched = await store.branch("7", at=2, expected_revision=loaded.revision)
    branched.messages += THIRD
    await store.save(branched)
    assert (await store.load("7")).messages == [*FIRST, *THIRD]
    (record,) = await store.list_conversations()
    again = await store.branch("7", from_entry=record.branches[0], expected_revision=record.revision)
    assert again.messages == [*FIRST, *SECOND]


async def test_a_fork_shares_what_was_said_before(store: ConversationStore) -> None:
    entries = await store.save(conversation(FIRST, SECOND))
    fork = await store.fork("7", at=2, new_conversation_id="8")
    fork.messages += THIRD
    await store.save(fork)
    assert (await store.load("7")).messages == [*FIRST, *SECOND]
    assert (await store.load("8")).messages == [*FIRST, *THIRD]
    assert (await store.load_entries("8"))[:2] == entries[:2]
    with pytest.raises(ConversationConflict):
        await store.fork("7", new_conversation_id="8")


async def test_deleting_leaves_what_a_fork_needs_and_nothing_else(store: ConversationStore) -> None:
    entries = await store.save(conversation(FIRST, SECOND))
    fork = await store.fork("7", at=2, new_conversation_id="8")
    fork.messages += THIRD
    await store.save(fork)
    await store.fork("8", new_conversation_id="9")
    for deleted, left in (("7", "8"), ("8", "9")):
        await store.delete(deleted)
        assert await store.load(deleted) is None
        assert (await store.load(left)).messages == [*FIRST, *THIRD]
    with pytest.raises(LookupError):
        await store.read_entry(entries[3].id)
    assert (await store.read_entry(entries[1].id)).message == FIRST[1]
    await store.delete("9")
    with pytest.raises(LookupError):
        await store.read_entry(entries[1].id)
    await store.delete("9")


async def test_a_long_conversation_is_whole(store: ConversationStore) -> None:
    messages = [ModelRequest(parts=[UserPromptPart(f"number {n}")]) for n in range(2100)]
    await store.save(Conversation(conversation_id="7", messages=messages))
    assert (await store.load("7")).messages == messages
    assert (await store.load("7", limit=3)).messages == messages[-3:]


async def test_what_was_said_is_found_by_searches(connected: psycopg.Connection) -> None:
    store = MemorySearchConversations(connected, "found", store=STORE)
    await store.save(conversation(FIRST, SECOND))
    entry, *_ = Memory(connected, "found", store=STORE).entries("window", k=1)
    assert entry.raw_entry == "By the window."
    assert Memory(connected, "found", store=STORE).count({"sessionId": "7"}) == 4


# --- Tools ----------------------------------------------------------------------------------------


@pytest.fixture
def memory(connected: psycopg.Connection) -> Iterator[Memory]:
    """A memory of two users."""
    memory = Memory(connected, "tools", store=STORE)
    memory.add("Ana likes window seats on trains", user_id="ana", tags=["rail"])
    memory.add("Ben likes trains too", user_id="ben")
    yield memory
    memory.delete_all()


@pytest.fixture
def use(connected: psycopg.Connection) -> Callable[..., list]:
    """Has a model call tools one after the other, and gives what each returned."""

    def make(*calls: tuple[str, dict], **settings: object) -> list:
        def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
            done = len(messages) // 2
            return ModelResponse(parts=[ToolCallPart(*calls[done]) if done < len(calls) else TextPart("done")])

        toolset = memory_toolset(connected, "tools", store=STORE, **settings)
        result = Agent(FunctionModel(model), toolsets=[toolset]).run_sync("go", conversation=None)
        return [
            part.content for one in result.all_messages()[1:] if isinstance(one, ModelRequest) for part in one.parts
        ]

    return make


def test_a_model_searches(memory: Memory, use: Callable[..., list]) -> None:
    ((first, *_),) = use(("search_memory", {"query": "window seat"}))
    assert (first["text"], first["tags"]) == ("Ana likes window seats on trains", ["rail"])
    assert first["created"].endswith("+00:00")
    ((only,),) = use(("search_memory", {"query": "trains"}), k=1, filters={"userId": "ben"})
    assert only["text"] == "Ben likes trains too"
    ((only,),) = use(("search_memory", {"query": "trains"}), user_id="ben")
    assert only["text"] == "Ben likes trains too"


def test_a_model_remembers_and_forgets(memory: Memory, use: Callable[..., list]) -> None:
    (key,) = use(("remember", {"text": "Ana eats no meat", "tags": ["food"], "importance": 80}), user_id="ana")
    (entry,) = memory.get([key])
    assert (entry.raw_entry, entry.tags, entry.importance, entry.user_id) == ("Ana eats no meat", ["food"], 80, "ana")
    assert use(("forget", {"id": key}), user_id="ana") == ["forgotten"]
    assert memory.get([key]) == []


def test_a_mistake_goes_back_to_the_model_with_its_hint(memory: Memory, use: Callable[..., list]) -> None:
    said = use(("remember", {"text": "x", "importance": 300}), ("remember", {"text": "x", "importance": 30}))
    assert "importance must be from 0 to 100, not 300" in said[0]
    assert memory.count() == 3
    with pytest.raises(UnexpectedModelBehavior, match="forget"):
        use(*[("forget", {"id": "no such id"})] * 3)
    (mine,) = memory.list({"userId": "ana"})
    with pytest.raises(UnexpectedModelBehavior, match="forget"):
        use(*[("forget", {"id": mine.entry_id})] * 3, user_id="ben")
    assert memory.count() == 3


def test_a_broken_connection_is_no_mistake_of_the_models(memory: Memory) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as closed:
        pass
    model = FunctionModel(lambda *_: ModelResponse(parts=[ToolCallPart("search_memory", {"query": "x"})]))
    with pytest.raises(psycopg.OperationalError):
        Agent(model, toolsets=[memory_toolset(closed, "tools")]).run_sync("go")


async def test_a_model_that_only_reads_has_one_tool(connected: psycopg.Connection) -> None:
    assert list(memory_toolset(connected, "tools", read_only=True).tools) == ["search_memory"]
    tools = memory_toolset(connected, "tools").tools
    assert list(tools) == ["search_memory", "remember", "forget"]
    schema = tools["remember"].function_schema.json_schema["properties"]
    assert schema["importance"]["description"] == "From 0 (trivial) to 100 (must never be missed)."
