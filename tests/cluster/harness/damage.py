"""Damage to pages of a relation, in its file."""

from __future__ import annotations

import random
from pathlib import Path

PAGE = 8192


def damage(path: Path, seed: int, share: float, wanted: str | None = None, others: list[str] = []) -> None:
    """Writes random bytes into the middle of a share of the pages: of the pages that hold the id `wanted` and none of
    the others, or, without an id, of all pages but the first."""
    chance = random.Random(seed)
    with open(path, "r+b") as file:
        content = file.read()
        pages = [content[start : start + PAGE] for start in range(0, len(content), PAGE)]

        def is_meant(number: int, page: bytes) -> bool:
            if wanted is None:
                return number > 0
            return wanted.encode() in page and not any(other.encode() in page for other in others)

        numbers = [number for number, page in enumerate(pages) if is_meant(number, page)]
        for number in chance.sample(numbers, max(1, round(len(numbers) * share))):
            length = chance.randrange(1, 1000)
            file.seek(number * PAGE + chance.randrange(100, PAGE - length))
            file.write(chance.randbytes(length))
