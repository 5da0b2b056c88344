"""Embeddings of many distributions, in the binary form of COPY, the same bytes every time. Python alone makes them."""

from __future__ import annotations

import array
import functools
import random
import statistics
import struct
from collections.abc import Callable, Iterator, Sequence

ENTRIES = 9000
# Queries use the vectors of these entries, and as many new ones, whose numbers are greater by 9,000. Some numbers are
# odd, some even, and some multiples of a hundred, because some distributions have several kinds of rows, by number.
ASKED = (1, 100, 602, 1000, 1403, 2200, 2705, 3300, 4004, 4999)

# 16 random bits choose among so many equally likely values: in Python a look-up is the fastest way.
VALUES = 1 << 16
GAUSS = [statistics.NormalDist().inv_cdf((i + 0.5) / VALUES) for i in range(VALUES)]


@functools.cache
def students_t(freedom: float) -> list[float]:
    chance = random.Random("values of Student's t")
    return [chance.gauss(0, 1) / (chance.gammavariate(freedom / 2, 2) / freedom) ** 0.5 for _ in range(VALUES)]


def draw(chance: random.Random, values: list[float], count: int) -> list[float]:
    return [values[code] for code in array.array("H", chance.randbytes(2 * count))]


@functools.cache
def gauss(n: int, dimensions: int) -> list[float]:
    """The same numbers in every distribution, because making them is most of the work."""
    return draw(random.Random(n), GAUSS, dimensions)


class Row:
    """The random numbers of which a distribution makes the vector n."""

    def __init__(self, n: int, dimensions: int) -> None:
        self.n = n
        self.dimensions = dimensions

    @functools.cached_property
    def chance(self) -> random.Random:
        return random.Random(f"row {self.n}")

    def gauss(self) -> list[float]:
        return gauss(self.n, self.dimensions)

    def students_t(self, freedom: float) -> list[float]:
        return draw(self.chance, students_t(freedom), self.dimensions)

    def common(self, number: int = 0) -> list[float]:
        """A vector that rows have in common."""
        return gauss(1_000_000 + number, self.dimensions)

    def cluster(self, clusters: int, spread: float) -> list[float]:
        return plus(self.common(1 + self.chance.randrange(clusters)), spread, self.gauss())

    def is_left_out(self, share: float) -> bool:
        return self.n not in ASKED and self.n <= ENTRIES and self.chance.random() < share


def plus(a: list[float], factor: float, b: list[float]) -> list[float]:
    return [x + factor * y for x, y in zip(a, b)]


def mean_cosine(row: Row, cosine: float) -> list[float]:
    """Two rows have this cosine on average."""
    return plus(row.gauss(), (cosine / (1 - cosine)) ** 0.5, row.common())


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


def low_rank(row: Row) -> list[float]:
    """Sums of five vectors, far from the origin."""
    vector = [4 * x for x in row.common()]
    for number in range(5):
        vector = plus(vector, row.chance.gauss(0, 1), row.common(1 + number))
    return vector


def hidden(row: Row, count: int) -> list[float]:
    """A new vector is from one of 40 wide clusters. Many other rows, which share only one dimension with it, are nearer
    to it than the rows of its own cluster; their signs are random."""
    if row.n <= ENTRIES and row.n % (ENTRIES // count) == 0:
        vector = [0.05 * x for x in row.gauss()]
    elif row.n <= ENTRIES and row.chance.random() > 1 / 40:
        return row.cluster(39, 3)
    else:
        vector = plus(row.common(), 3, row.gauss())
    vector[0] = 0.5 * row.dimensions**0.5
    return vector


PLAIN = {
    "centred": Row.gauss,
    "non-negative": lambda row: [abs(x) for x in row.gauss()],
    "mean cosine 0.5": lambda row: mean_cosine(row, 0.5),
    "mean cosine 0.8": lambda row: mean_cosine(row, 0.8),
    "one-hot": one_hot,
    "sparse": sparse,
    "clusters": lambda row: row.cluster(40, 0.2),
    "tight clusters": lambda row: row.cluster(40, 0.02),
    "heavy tails": lambda row: row.students_t(1.5),
    "wide dimensions": lambda row: wide(row, 4, 10),
    "decaying spectrum": lambda row: [x * place**-0.7 for place, x in enumerate(row.gauss(), 1)],
    "duplicates": lambda row: gauss(row.n // 10, row.dimensions),
    "relu": lambda row: [x if x > 0 else 0.0 for x in row.gauss()],
    "two populations": lambda row: mean_cosine(row, 0.8) if row.n % 2 else row.gauss(),
}
NASTY = {
    "small wide clusters": lambda row: row.cluster(500, 2),
    "heavy clusters": lambda row: [x * abs(y) for x, y in zip(row.cluster(100, 0.2), row.students_t(2))],
    "50 hidden": lambda row: hidden(row, 50),
    "10 hidden": lambda row: hidden(row, 10),
    "two languages": lambda row: plus(row.cluster(200, 0.7), 1 if row.n % 2 else -1, row.common()),
    "low rank": low_rank,
    "one wide dimension": lambda row: wide(row, 1, 100),
    "nearly the same": lambda row: plus(row.common(), 0.02, row.gauss()),
    "nearly equal elements": lambda row: plus([row.chance.choice((-1.0, 1.0))] * row.dimensions, 0.1, row.gauss()),
    "small whole numbers": lambda row: [float(round(0.4 * x)) for x in row.gauss()],
    "signs alone": lambda row: [1.0 if x > 0 else -1.0 for x in row.gauss()],
    "sparse questions": lambda row: sparse(row) if row.n > ENTRIES else row.gauss(),
    "some without direction": lambda row: [0.0] * row.dimensions if row.is_left_out(0.3) else row.gauss(),
    "a fifth embedded": lambda row: None if row.is_left_out(0.8) else row.gauss(),
    "a hundredth embedded": lambda row: None if row.is_left_out(0.99) else row.gauss(),
}
DISTRIBUTIONS = PLAIN | NASTY


def unit(vector: list[float]) -> list[float]:
    """A search scales its query to length 1 and then rounds it as halfvec does. So does this, so that plain SQL
    compares with the same vector."""
    length = sum(x * x for x in vector) ** 0.5
    return [x / length for x in vector]


def halfvec(vector: list[float] | None) -> bytes | None:
    if vector is None:
        return None
    return struct.pack(f">hh{len(vector)}e", len(vector), 0, *vector)


def entry(name: str, row: Row) -> list[bytes | None]:
    # One for each minute from 2000 on, the epoch of PostgreSQL's timestamps.
    created = struct.pack(">q", row.n * 60_000_000)
    return [name.encode(), row.n.to_bytes(16, "big"), b"", created, halfvec(DISTRIBUTIONS[name](row))]


def question(name: str, row: Row) -> list[bytes | None]:
    vector = unit(DISTRIBUTIONS[name](row))
    return [name.encode(), struct.pack(">i", row.dimensions), struct.pack(">i", row.n), halfvec(vector)]


def copy(
    columns_of: Callable[[str, Row], list[bytes | None]], numbers: Sequence[int], dimensions: int, names: list[str]
) -> Iterator[bytes]:
    """Pieces of COPY's binary form, a row each."""
    yield b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
    for name in names:
        for n in numbers:
            columns = columns_of(name, Row(n, dimensions))
            row = [struct.pack(">i", -1) if c is None else struct.pack(">i", len(c)) + c for c in columns]
            yield struct.pack(">h", len(columns)) + b"".join(row)
    yield struct.pack(">h", -1)


def entries(dimensions: int, names: list[str]) -> Iterator[bytes]:
    """9,000 of each distribution: memory_id, entry_id, raw_entry, creation_time, embedding."""
    return copy(entry, range(1, ENTRIES + 1), dimensions, names)


def questions(dimensions: int, names: list[str]) -> Iterator[bytes]:
    """20 of each distribution: distribution, dimensions, n, embedding."""
    return copy(question, ASKED + tuple(ENTRIES + n for n in ASKED), dimensions, names)
