"""Writes the awaited classes from the blocking ones: twins.py [--check].

src/memory_search/async_*.py are made of memory.py and store.py, word by word, so that the two cannot differ.
"""

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "src" / "memory_search"
MADE = "# Made of {source} by twins.py: change that one.\n"
# In this order.
CHANGES = [
    (r"on a connection that waits", "on a connection that is awaited"),
    (r"\b(Memory|Memories|Searches|Store)\b(?=[(:,)\n])", r"Async\1"),
    (r"-> (Memory|Memories):", r"-> Async\1:"),
    # Next to its neighbours in the alphabet.
    (r"(?s)(from \.call import.*?)from \.memory import AsyncMemories, AsyncMemory\n",
     r"from .async_memory import AsyncMemories, AsyncMemory\n\1"),
    (r"\bSource\b", "AsyncSource"),
    (r"Iterable, Iterator", "AsyncIterator, Iterable"),
    (r"\bIterator\[", "AsyncIterator["),
    (r"import AsyncSource, run\b", "import AsyncSource, run_async"),
    (r"return run\(", "return await run_async("),
    (r"(?m)^    def (?!__init__|memory\b|memories\b)", "    async def "),
    (r"(?<!def )self\._run\(", "await self._run("),
    (r"= self\.page\(", "= await self.page("),
    (r"(?m)^( +)yield from (\w+)$", r"\1for one in \2:\n\1    yield one"),
]


def awaited(text: str, source: str) -> str:
    """The text of an awaited twin."""
    for pattern, replacement in CHANGES:
        text = re.sub(pattern, replacement, text)
    docstring, rest = text.split("\n", 1)
    return docstring + "\n\n" + MADE.format(source=source) + rest


def main() -> int:
    """Returns 0 if the files are as they should be, or were written."""
    for name in ("memory.py", "store.py"):
        twin = PACKAGE / f"async_{name}"
        text = awaited((PACKAGE / name).read_text(), name)
        if "--check" not in sys.argv:
            twin.write_text(text)
        elif not twin.exists() or twin.read_text() != text:
            print(f"{twin.name} is not what {name} makes of it: run clients/python/twins.py", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
