"""Embeddings of many distributions, in the binary form of COPY, the same bytes every time. Python alone makes them.

recall.py distributions                         their names, a line each
recall.py entries DIMENSIONS DISTRIBUTION...    5,000 each: memory_id, entry_id, raw_entry, creation_time, embedding
recall.py questions DIMENSIONS DISTRIBUTION...  20 each: distribution, dimensions, n, embedding
"""

import array
import functools
import random
import statistics
import struct
import sys

ENTRIES = 5000
# The vectors of these entries are asked for, and as many new ones, whose numbers are greater by 5,000. Some are
# odd, some even, and some multiples of a hundred: by these rows are told apart where they are of several kinds.
ASKED = (1, 100, 602, 1000, 1403, 2200, 2705, 3300, 4004, 4999)

# 16 random bits choose among so many values that are equally likely: a look-up is as fast as Python gets.
VALUES = 1 << 16
GAUSS = [statistics.NormalDist().inv_cdf((i + 0.5) / VALUES) for i in range(VALUES)]


@functools.cache
def students_t() -> list[float]:
    """With 1.5 degrees of freedom: without a variance."""
    chance = random.Random(0)
    return [chance.gauss(0, 1) / (chance.gammavariate(0.75, 2) / 1.5) ** 0.5 for _ in range(VALUES)]


class Row:
    """What the vector number n is made from."""

    def __init__(self, n: int, dimensions: int) -> None:
        self.n = n
        self.dimensions = dimensions
        self.chance = random.Random(n)

    @property
    def is_asked(self) -> bool:
        return self.n in ASKED or self.n > ENTRIES

    def draw(self, values: list[float]) -> list[float]:
        codes = array.array("H", self.chance.randbytes(2 * self.dimensions))
        return [values[code] for code in codes]

    def gauss(self) -> list[float]:
        return self.draw(GAUSS)

    def direction(self, number: int) -> list[float]:
        """A vector that rows have in common."""
        return direction(number, self.dimensions)

    def cluster(self, clusters: int, spread: float) -> list[float]:
        centre = self.direction(1 + self.chance.randrange(clusters))
        return plus(centre, spread, self.gauss())


@functools.cache
def direction(number: int, dimensions: int) -> list[float]:
    return Row(1_000_000 + number, dimensions).gauss()


def plus(a: list[float], factor: float, b: list[float]) -> list[float]:
    return [x + factor * y for x, y in zip(a, b)]


def mean_cosine(row: Row, cosine: float) -> list[float]:
    """Two rows have this cosine on average."""
    return plus(row.gauss(), (cosine / (1 - cosine)) ** 0.5, row.direction(0))


def one_hot(row: Row) -> list[float]:
    vector = [0.05 * x for x in row.gauss()]
    vector[row.chance.randrange(row.dimensions)] += 1
    return vector


def sparse(row: Row) -> list[float]:
    vector = [0.0] * row.dimensions
    for place in row.chance.sample(range(row.dimensions), row.chance.randint(1, 5)):
        vector[place] = row.chance.gauss(0, 1)
    return vector


def wide(row: Row, dimensions: int, factor: float) -> list[float]:
    vector = row.gauss()
    return [factor * x for x in vector[:dimensions]] + vector[dimensions:]


def spectrum(row: Row) -> list[float]:
    return [x * (place + 1) ** -0.7 for place, x in enumerate(row.gauss())]


def languages(row: Row) -> list[float]:
    """200 topics, each in two languages."""
    return plus(row.cluster(200, 0.7), 1 if row.n % 2 else -1, row.direction(0))


def low_rank(row: Row, rank: int, offset: float) -> list[float]:
    vector = [0.1 * x for x in row.gauss()]
    for number in range(rank):
        vector = plus(vector, row.chance.gauss(0, 1), row.direction(1 + number))
    return plus(vector, offset, row.direction(0))


def hidden(row: Row) -> list[float]:
    """New ones are of a cluster that is far from dense. Nearer to it than its own are 50 rows that have but one of its
    dimensions, of which signs say nothing."""
    if row.n <= ENTRIES and row.n % 100 == 0:
        vector = [0.05 * x for x in row.gauss()]
    elif row.n <= ENTRIES and row.chance.random() > 0.025:
        return row.cluster(40, 3)
    else:
        vector = plus(row.direction(0), 3, row.gauss())
    vector[0] = 0.5 * row.dimensions**0.5
    return vector


def is_left_out(row: Row, share: float) -> bool:
    return not row.is_asked and row.chance.random() < share


DISTRIBUTIONS = {
    "centred": Row.gauss,
    "non-negative": lambda row: [abs(x) for x in row.gauss()],
    "mean cosine 0.5": lambda row: mean_cosine(row, 0.5),
    "mean cosine 0.8": lambda row: mean_cosine(row, 0.8),
    "one-hot": one_hot,
    "sparse": sparse,
    "clusters": lambda row: row.cluster(40, 0.2),
    "tight clusters": lambda row: row.cluster(40, 0.02),
    "small wide clusters": lambda row: row.cluster(500, 2),
    "heavy tails": lambda row: row.draw(students_t()),
    "wide dimensions": lambda row: wide(row, 4, 10),
    "one dominates": lambda row: wide(row, 1, 100),
    "decaying spectrum": spectrum,
    "rank 20": lambda row: low_rank(row, 20, 0),
    "rank 20, off centre": lambda row: low_rank(row, 20, 10),
    "duplicates": lambda row: Row(row.n // 10, row.dimensions).gauss(),
    "nearly the same": lambda row: plus(row.direction(0), 0.02, row.gauss()),
    "nearly equal elements": lambda row: plus([row.chance.choice((-1.0, 1.0))] * row.dimensions, 0.1, row.gauss()),
    "relu": lambda row: [max(x, 0.0) for x in row.gauss()],
    "few whole numbers": lambda row: [float(round(0.4 * x)) for x in row.gauss()],
    "signs alone": lambda row: [1.0 if x > 0 else -1.0 for x in row.gauss()],
    "two populations": lambda row: mean_cosine(row, 0.8) if row.n % 2 else row.gauss(),
    "two languages": languages,
    "hidden minority": hidden,
    "sparse questions": lambda row: sparse(row) if row.n > ENTRIES else row.gauss(),
    "zeros among others": lambda row: [0.0] * row.dimensions if is_left_out(row, 0.3) else row.gauss(),
    "one in five embedded": lambda row: None if is_left_out(row, 0.8) else row.gauss(),
    "one in a hundred embedded": lambda row: None if is_left_out(row, 0.99) else row.gauss(),
}


def unit(vector: list[float]) -> list[float]:
    """A search takes its question at length 1 and in half precision: the oracle must not get another one."""
    length = sum(x * x for x in vector) ** 0.5
    return [x / length for x in vector]


def halfvec(vector: list[float] | None) -> bytes | None:
    if vector is None:
        return None
    return struct.pack(f">hh{len(vector)}e", len(vector), 0, *vector)


def entry(name: str, row: Row) -> list[bytes | None]:
    # A minute after each other, from 2000 on, where PostgreSQL's time begins.
    created = struct.pack(">q", row.n * 60_000_000)
    return [name.encode(), row.n.to_bytes(16, "big"), b"", created, halfvec(DISTRIBUTIONS[name](row))]


def question(name: str, row: Row) -> list[bytes | None]:
    vector = unit(DISTRIBUTIONS[name](row))
    return [name.encode(), struct.pack(">i", row.dimensions), struct.pack(">i", row.n), halfvec(vector)]


def copy(columns_of, numbers, dimensions: int, names: list[str]) -> None:
    write = sys.stdout.buffer.write
    write(b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0))
    for name in names:
        for n in numbers:
            columns = columns_of(name, Row(n, dimensions))
            write(struct.pack(">h", len(columns)))
            for column in columns:
                write(struct.pack(">i", -1) if column is None else struct.pack(">i", len(column)) + column)
    write(struct.pack(">h", -1))


def main() -> None:
    match sys.argv[1:]:
        case ["distributions"]:
            print("\n".join(DISTRIBUTIONS))
        case ["entries", dimensions, *names]:
            copy(entry, range(1, ENTRIES + 1), int(dimensions), names)
        case ["questions", dimensions, *names]:
            copy(question, ASKED + tuple(ENTRIES + n for n in ASKED), int(dimensions), names)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
