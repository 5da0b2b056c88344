"""The examples of docs/guide/python.md that need a framework of agents or pipelines, each unchanged."""

import ast
import importlib.util
import inspect
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from memory_search import Memory, Store

REPOSITORY = Path(__file__).parents[3]
sys.path.insert(0, str(REPOSITORY / "tests/docs"))

from page import Page  # noqa: E402

EXAMPLES = {
    module: block.text
    for block in Page(str(REPOSITORY / "docs/guide/python.md")).blocks
    if block.reason and block.reason.endswith("run_suites.sh runs it")
    for module in ("openai_agents", "pydantic_ai", "crewai", "agno", "haystack", "google_adk")
    if f"memory_search.{module}" in block.text
}


@pytest.fixture
def names(connection: psycopg.Connection) -> Iterator[dict[str, Any]]:
    """The names that the page has defined before."""
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as own:
        Store(own, "memory").create()
        yield {"connection": own, "Memory": Memory}
        Store(own, "memory").drop(force=True)


async def run(module: str, names: dict[str, Any]) -> dict[str, Any]:
    """Runs an example, and gives all of its names."""
    code = compile(EXAMPLES[module], f"python.md: {module}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    waiting = eval(code, names)
    if inspect.isawaitable(waiting):
        await waiting
    return names


def needs(package: str) -> pytest.MarkDecorator:
    """Runs where the package is: an environment has some of the frameworks, and the page's examples run in all."""
    try:
        found = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        found = None
    return pytest.mark.elsewhere if found is None else pytest.mark.here


@needs("agents")
async def test_openai_agents(names: dict[str, Any]) -> None:
    from agents import Agent
    from agents.testing import ScriptedModel, assistant_message

    model = ScriptedModel()
    model.enqueue([assistant_message("Noted.")])
    names = await run("openai_agents", names | {"agent": Agent(name="a", model=model)})
    assert names["result"].final_output == "Noted."
    assert names["found"].entries[0].raw_entry == "I want a window seat on every train."
    assert len(await names["session"].get_items()) == 2


@needs("pydantic_ai")
async def test_pydantic_ai(names: dict[str, Any]) -> None:
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    call = ToolCallPart("remember", {"text": "Ana sits by the window"})
    model = FunctionModel(lambda said, _: ModelResponse(parts=[call if len(said) == 1 else TextPart("Done.")]))
    names = await run("pydantic_ai", names | {"model": model})
    assert [one.raw_entry for one in Memory(names["connection"], "trip-planner").list()] == ["Ana sits by the window"]
    assert len((await names["store"].load("7")).messages) == 4


@needs("crewai")
async def test_crewai(names: dict[str, Any]) -> None:
    from unittest.mock import MagicMock

    given = {"llm": MagicMock(), "embedder": lambda texts: [[1.0] + 1535 * [0.0] for _ in texts]}
    try:
        names = await run("crewai", names | given)
        assert [match.record.content for match in names["matches"]] == ["Rivals ship in May."]
    finally:
        names["connection"].execute("SELECT memory_drop_store('crew', force => true)")


@needs("agno")
async def test_agno(names: dict[str, Any]) -> None:
    from agno.db.in_memory import InMemoryDb

    Memory(names["connection"], "agno").add("Ana sits by the window", user_id="ana")
    names = await run("agno", names | {"model": None, "agents_db": InMemoryDb()})
    assert [one.memory for one in names["found"]] == ["Ana sits by the window"]


@needs("haystack")
async def test_haystack(names: dict[str, Any]) -> None:
    Store(names["connection"], "app").create(dimensions=3)
    try:
        names = await run("haystack", names)
        assert [one.content for one in names["answer"]["retriever"]["documents"]] == ["The north is cold"]
        names["documents"].close()
    finally:
        Store(names["connection"], "app").drop(force=True)


@needs("google.adk")
async def test_google_adk(names: dict[str, Any]) -> None:
    from google.adk.agents import Agent
    from google.adk.events.event import Event
    from google.adk.sessions import InMemorySessionService
    from google.adk.sessions.session import Session
    from google.genai.types import Content, Part

    event = Event(id="e", author="user", content=Content(parts=[Part(text="I sit by the window")]))
    session = Session(id="s", app_name="trips", user_id="ana", events=[event])
    given = {"agent": Agent(name="a"), "sessions": InMemorySessionService(), "session": session}
    names = await run("google_adk", names | given)
    assert [one.content.parts[0].text for one in names["found"].memories] == ["I sit by the window"]


def test_no_example_is_passed_over() -> None:
    assert len(EXAMPLES) == 6
