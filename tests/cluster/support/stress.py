"""Damages pages of a relation, in its file: stress.py FILE SEED SHARE ID OTHER...

Of the pages that hold ID and none of the OTHER ids, that share gets random bytes in their middle. Of a B-tree these are
leaves: the pages above lead to every memory. Prints how many pages were damaged.
"""

import random
import struct
import sys

PAGE = 8192
IS_LEAF = 1


def is_above_leaves(page: bytes) -> bool:
    """Whether it is a page of a B-tree that leads to others: it has flags at its end, which a table's page has not."""
    special = struct.unpack_from("<H", page, 16)[0]
    return special + 16 == PAGE and not struct.unpack_from("<H", page, special + 12)[0] & IS_LEAF


def main() -> None:
    path, seed, share, wanted, *others = sys.argv[1:]
    chance = random.Random(int(seed))
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
        damaged = chance.sample(numbers, max(1, round(len(numbers) * float(share))))
        for number in damaged:
            length = chance.randrange(1, 1000)
            file.seek(number * PAGE + chance.randrange(100, PAGE - length))
            file.write(chance.randbytes(length))
    print(len(damaged))


if __name__ == "__main__":
    main()
