"""The calls that search."""

from collections.abc import Mapping
from typing import Any

from ..answers import Answer, Candidate, FacetCount, RankedEntry
from ..arguments import AnswerArguments, ExplainArguments, FacetArguments, PromptArguments, SearchArguments
from ..call import Call, checked, only_value

Where = Mapping[str, Any]


def search(function: str, where: Where, query: str, arguments: AnswerArguments) -> Call[Answer]:
    """`memory_search` or `memory_recall`."""
    given = _top_ke(checked(arguments, AnswerArguments, function.removeprefix("memory_")))
    return Call(
        function, {**where, "query": query, **given}, lambda rows: Answer.of_json(only_value(rows)), scalar=True
    )


def entries(where: Where, query: str, arguments: SearchArguments) -> Call[list[RankedEntry]]:
    """`memory_search_entries`."""
    given = checked(arguments, SearchArguments, "entries")
    return Call("memory_search_entries", {**where, "query": query, **given}, RankedEntry.of_rows)


def explain(where: Where, query: str, arguments: ExplainArguments) -> Call[list[Candidate]]:
    """`memory_explain`."""
    given = _top_ke(checked(arguments, ExplainArguments, "explain"))
    if given.get("entry_id") is not None:
        given["entry_id"] = str(given["entry_id"])
    return Call("memory_explain", {**where, "query": query, **given}, Candidate.of_rows)


def build_context(where: Where, query: str, arguments: PromptArguments) -> Call[str]:
    """`memory_build_context`."""
    given = _top_ke(checked(arguments, PromptArguments, "context"))
    return Call("memory_build_context", {**where, "query": query, **given}, only_value, scalar=True)


def facets(where: Where, query: str | None, arguments: FacetArguments) -> Call[list[FacetCount]]:
    """`memory_facets`, whose argument is also called k."""
    given = checked(arguments, FacetArguments, "facets")
    return Call("memory_facets", {**where, "query": query, **given}, FacetCount.of_rows)


def _top_ke(arguments: dict[str, Any]) -> dict[str, Any]:
    if "k" in arguments:
        arguments["top_ke"] = arguments.pop("k")
    return arguments
