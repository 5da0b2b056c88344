"""Embeddings of many distributions, as the binary form of COPY, the same bytes every time.

recall.py entries DIMENSIONS DISTRIBUTION...    5,000 rows each: memory_id, entry_id, raw_entry, creation_time, embedding
recall.py questions DIMENSIONS DISTRIBUTION...  20 each: distribution, dimensions, n, is_own, embedding
recall.py names                                 the distributions, a line each
"""

import array
import functools
import random
import statistics
import struct
import sys

ENTRIES = 5000
# These entries' own vectors are asked for, and as many new ones, whose numbers are by 5,000 greater. Small groups are
# made of every hundredth number.
ASKED = (1, 100, 602, 1000, 1403, 2200, 2705, 3300, 4004, 4999)

# A draw is a look-up: 16 random bits choose among so many values that are equally likely. That is as quick as Python
# alone can be.
VALUES = 65536
GAUSS = [statistics.NormalDist().inv_cdf((i + 0.5) / VALUES) for i in range(VALUES)]


def students_t(freedom: float) -> list[float]:
    chance = random.Random("student's t")
    return [chance.gauss(0, 1) / (chance.gammavariate(freedom / 2, 2) / freedom) ** 0.5 for _ in range(VALUES)]


HEAVY = students_t(1.5)


class Row:
    """What one vector is made from."""

    def __init__(self, n: int, dimensions: int) -> None:
        self.n = n
        self.dimensions = dimensions
        self.chance = random.Random(n)

    def drawn(self, values: list[float]) -> list[float]:
        codes = array.array("H", self.chance.randbytes(2 * self.dimensions))
        return [values[code] for code in codes]

    def gauss(self) -> list[float]:
        return self.drawn(GAUSS)

    def shared(self, number: int = 0) -> list[float]:
        """A vector that rows have in common."""
        return shared(number, self.dimensions)


@functools.cache
def shared(number: int, dimensions: int) -> list[float]:
    return Row(-1 - number, dimensions).gauss()


def plus(a: list[float], factor: float, b: list[float]) -> list[float]:
    return [x + factor * y for x, y in zip(a, b)]


def mean_cosine(row: Row, cosine: float) -> list[float]:
    return plus(row.gauss(), (cosine / (1 - cosine)) ** 0.5, row.shared())


def one_hot(row: Row) -> list[float]:
    vector = [0.05 * x for x in row.gauss()]
    vector[row.chance.randrange(row.dimensions)] += 1
    return vector


def sparse(row: Row) -> list[float]:
    vector = [0.0] * row.dimensions
    for place in row.chance.sample(range(row.dimensions), row.chance.randint(1, 5)):
        vector[place] = row.chance.gauss(0, 1)
    return vector


def clusters(row: Row, spread: float, number: int = 40) -> list[float]:
    return plus(row.shared(1 + row.chance.randrange(number)), spread, row.gauss())


def wide(row: Row, number: int, factor: float) -> list[float]:
    vector = row.gauss()
    return [factor * x for x in vector[:number]] + vector[number:]


def spectrum(row: Row) -> list[float]:
    return [x * (place + 1) ** -0.7 for place, x in enumerate(row.gauss())]


def opposite(row: Row, every: int) -> list[float]:
    if row.n % every:
        return row.gauss()
    sign = 1 if row.n > ENTRIES else -1
    v = plus([0.0] * row.dimensions, sign, row.shared())
    v = plus(v, 0.3, row.gauss())
    v[0] += 3.5 * row.dimensions ** 0.5
    return v


def dominated(row: Row, every: int) -> list[float]:
    vector = row.gauss()
    if row.n % every == 0:
        vector[0] += row.dimensions ** 0.5
    return vector


def languages(row: Row) -> list[float]:
    vector = plus(row.gauss(), 1.5, row.shared(1 + row.chance.randrange(200)))
    return plus(vector, 1.5 if row.n % 2 else -1.5, row.shared())


def low_rank(row: Row, rank: int, noise: float, offset: float = 0) -> list[float]:
    vector = [noise * x for x in row.gauss()]
    for i in range(rank):
        vector = plus(vector, row.chance.gauss(0, 1), row.shared(1 + i))
    return plus(vector, offset, row.shared())


def none(row, share, make):
    return make(row) if row.n > ENTRIES or row.n in ASKED or row.chance.random() >= share else None


def zeros(row, share):
    return row.gauss() if row.n > ENTRIES or row.n in ASKED or row.chance.random() >= share else [0.0] * row.dimensions


def elsewhere(row, make):
    return make(row) if row.n > ENTRIES else row.gauss()


def hot(row):
    v = [0.0] * row.dimensions
    v[row.chance.randrange(row.dimensions)] = 1
    return v


def scales(row):
    v = row.gauss()
    if row.n % 2:
        return [30 * x for x in v[:4]] + v[4:]
    return v


DISTRIBUTIONS = {
    "centred": Row.gauss,
    "non-negative": lambda row: [abs(x) for x in row.gauss()],
    "mean cosine 0.5": lambda row: mean_cosine(row, 0.5),
    "mean cosine 0.8": lambda row: mean_cosine(row, 0.8),
    "one-hot": one_hot,
    "sparse": sparse,
    "clusters": lambda row: clusters(row, 0.2),
    "tight clusters": lambda row: clusters(row, 0.02),
    "heavy tails": lambda row: row.drawn(HEAVY),
    "wide dimensions": lambda row: wide(row, 4, 10),
    "decaying spectrum": spectrum,
    "duplicates": lambda row: Row(row.n // 10, row.dimensions).gauss(),
    "relu": lambda row: [max(x, 0.0) for x in row.gauss()],
    "two populations": lambda row: mean_cosine(row, 0.8) if row.n % 2 else row.gauss(),
}
MORE = {
    "opposite 50": lambda row: opposite(row, 100),
    "opposite 200": lambda row: opposite(row, 25),
    "opposite 10": lambda row: opposite(row, 500),
    "dominated 50": lambda row: dominated(row, 100),
    "dominated 10": lambda row: dominated(row, 500),
    "one dominating": lambda row: wide(row, 1, 100),
    "one dominating 10": lambda row: wide(row, 1, 10),
    "one dominating 30": lambda row: wide(row, 1, 30),
    "constant first": lambda row: [x + (50 if i == 0 else 0) for i, x in enumerate(row.gauss())],
    "99 none": lambda row: none(row, 0.99, Row.gauss),
    "80 none": lambda row: none(row, 0.8, Row.gauss),
    "80 none nonneg": lambda row: none(row, 0.8, lambda row: [abs(x) for x in row.gauss()]),
    "languages": languages,
    "near identical": lambda row: plus(row.shared(), 0.02, row.gauss()),
    "near identical ones": lambda row: [1 + 0.02 * x for x in row.gauss()],
    "equal": lambda row: [row.chance.gauss(0, 1)] * row.dimensions,
    "equal and noise": lambda row: plus([row.chance.gauss(0, 1)] * row.dimensions, 0.1, row.gauss()),
    "quantised": lambda row: [float(round(0.6 * x)) for x in row.gauss()],
    "quantised sparse": lambda row: [float(round(0.3 * x)) for x in row.gauss()],
    "binary": lambda row: [float(x > 0) for x in row.gauss()],
    "signs": lambda row: [1.0 if x > 0 else -1.0 for x in row.gauss()],
    "zeros": lambda row: zeros(row, 0.3),
    "rank 5": lambda row: low_rank(row, 5, 0.0),
    "rank 20": lambda row: low_rank(row, 20, 0.0),
    "rank 20 noise": lambda row: low_rank(row, 20, 0.5),
    "rank 20 offset": lambda row: low_rank(row, 20, 0.1, 6),
    "500 clusters": lambda row: clusters(row, 1.0, 500),
    "500 wide clusters": lambda row: clusters(row, 2.0, 500),
    "500 clusters offset": lambda row: plus(clusters(row, 1.0, 500), 3, row.shared(600)),
    "100 clusters": lambda row: clusters(row, 1.0, 100),
    "10 clusters": lambda row: clusters(row, 1.0, 10),
    "asks hot": lambda row: elsewhere(row, hot),
    "asks sparse": lambda row: elsewhere(row, sparse),
    "asks nonneg": lambda row: elsewhere(row, lambda row: [abs(x) for x in row.gauss()]),
    "asks heavy": lambda row: elsewhere(row, lambda row: row.drawn(HEAVY)),
    "scales": scales,
    "sparse positive": lambda row: [abs(x) for x in sparse(row)],
}
ALL = DISTRIBUTIONS | MORE


def field(value: bytes | None) -> bytes:
    return struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value


def halfvec(vector: list[float] | None) -> bytes | None:
    if vector is None:
        return None
    return struct.pack(f">hh{len(vector)}e", len(vector), 0, *vector)


def copy(rows) -> None:
    write = sys.stdout.buffer.write
    write(b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0))
    for row in rows:
        write(struct.pack(">h", len(row)) + b"".join(map(field, row)))
    write(struct.pack(">h", -1))


def entries(dimensions: int, names: list[str]):
    for name in names:
        make = ALL[name]
        for n in range(1, ENTRIES + 1):
            # A minute apart, from the year 2000.
            yield (name.encode(), n.to_bytes(16, "big"), b"", struct.pack(">q", n * 60_000_000), halfvec(make(Row(n, dimensions))))


def questions(dimensions: int, names: list[str]):
    for name in names:
        make = ALL[name]
        for n in ASKED + tuple(ENTRIES + n for n in ASKED):
            yield (name.encode(), struct.pack(">i", dimensions), struct.pack(">i", n), bytes([n <= ENTRIES]), halfvec(make(Row(n, dimensions))))


def main() -> None:
    if sys.argv[1] == "names":
        print("\n".join(ALL))
        return
    what, dimensions, *names = sys.argv[1:]
    copy({"entries": entries, "questions": questions}[what](int(dimensions), names))


if __name__ == "__main__":
    main()
