"""Damage to pages of a relation, in its file."""

from __future__ import annotations

import random
import struct
from pathlib import Path

PAGE = 8192
IS_LEAF = 1


def is_above_leaves(page: bytes) -> bool:
    """Whether it is a page of a B-tree that leads to others: it has flags at its end, which a table's page has not."""
    special = struct.unpack_from("<H", page, 16)[0]
    return special + 16 == PAGE and not struct.unpack_from("<H", page, special + 12)[0] & IS_LEAF


def damage(path: Path, seed: int, share: float, wanted: str, others: list[str]) -> None:
    """Of the pages that hold the id `wanted` and none of the others, that share gets random bytes in their middle. Of a
    B-tree these are leaves: the pages above lead to every memory."""
    chance = random.Random(seed)
    with open(path, "r+b") as file:
        content = file.read()
        pages = [content[start : start + PAGE] for start in range(0, len(content), PAGE)]
        numbers = [
            number
            for number, page in enumerate(pages)
            if wanted.encode() in page
            and not any(other.encode() in page for other in others)
            and not is_above_leaves(page)
        ]
        for number in chance.sample(numbers, max(1, round(len(numbers) * share))):
            length = chance.randrange(1, 1000)
            file.seek(number * PAGE + chance.randrange(100, PAGE - length))
            file.write(chance.randbytes(length))
