"""LangGraph's BaseStore: long-term memory of graphs, in a store of memory_search."""

from .store import MemorySearchStore

__all__ = ["MemorySearchStore"]
