"""Pydantic AI: tools by which a model searches a memory and remembers, and a store of conversations.

agent = Agent("openai:gpt-5", toolsets=[memory_toolset(connection, "ana")])
store = MemorySearchConversations(connection, "ana.said")
conversation = await store.load("7") or Conversation(conversation_id="7")
await store.save(await agent.run("Where does she like to sit?", conversation=conversation))
"""

from .conversations import MemorySearchConversations
from .tools import memory_toolset

__all__ = ["MemorySearchConversations", "memory_toolset"]
