"""Memories and queries to measure with: from corpus.tsv.gz and queries.tsv of a folder, else made up.

A store with fewer entries than there are keeps the memories of the queries whole, so that a medium
memory is as large in a small store as in a large one; only the largest is thinned to its share.
"""

import collections
import csv
import gzip
import io
import random

COLUMNS = ("memory_id", "user_id", "summary", "raw_entry", "tags", "importance", "creation_time")
SCOPES = ("large", "medium", "small")
SMALLER_STORE = 10  # divisor for the size of the other store, which shows the cost of a larger store

_SEED = 20_260_229
_ASKED_SHARE = 0.97  # the largest share of a store for the medium and small memories that queries search
_SMALL_SHARE = 0.3

Query = collections.namedtuple("Query", "scope memory_id text")


class Corpus:
    """`rows()` gives tuples of COLUMNS in the order of time. `quota`: entries of each memory."""

    def __init__(self, source, read, sizes, queries, quota):
        self.source, self._read, self.sizes, self.quota = source, read, sizes, quota
        self.queries = [query for query in queries if quota.get(query.memory_id)]

    @property
    def entries(self):
        return sum(self.quota.values())

    def rows(self):
        seen = collections.Counter()
        for row in self._read():
            memory = row[0]
            quota, size, place = self.quota.get(memory, 0), self.sizes[memory], seen[memory]
            seen[memory] += 1
            # The entries are chosen evenly over the memory's time; all of them if the quota is the memory's size.
            if (place + 1) * quota // size > place * quota // size:
                yield row

    def smaller(self):
        """A tenth of the store, with the same medium and small memories as far as they fit."""
        held = {memory: size for memory, size in self.quota.items() if size == self.sizes[memory]}
        asked = [query for query in self.queries if query.scope != "large" and query.memory_id in held]
        quota = _choose(self.quota, asked, self.entries // SMALLER_STORE)
        return Corpus(self.source, self._read, self.sizes, asked, quota)


def load(folder, entries, per_scope):
    """`entries` of them, or all when 0; at most `per_scope` queries in each scope."""
    if (folder / "corpus.tsv.gz").exists():
        source, sizes, queries, read = _real(folder)
    else:
        source, sizes, queries, read = _made_up(entries or 100_000)
    total = sum(sizes.values())
    quota = sizes if not entries or entries >= total else _choose(sizes, queries, entries)
    corpus = Corpus(source, read, sizes, queries, quota)
    corpus.queries = [
        query for scope in SCOPES for query in _spread([q for q in corpus.queries if q.scope == scope], per_scope)
    ]
    return corpus


def _spread(queries, count):
    step = max(1, len(queries) / count)
    return [queries[int(place * step)] for place in range(min(count, len(queries)))]


def _choose(sizes, queries, entries):
    """The number of entries of each memory in a store of this size."""
    asked = {scope: sorted({q.memory_id for q in queries if q.scope == scope}, key=lambda m: (sizes[m], m)) for scope in SCOPES}
    total = sum(sizes.values())
    quota = {memory: sizes[memory] * entries // total for memory in asked["large"]}
    whole = 0
    for scope, share in (("small", _SMALL_SHARE), ("medium", _ASKED_SHARE)):
        for memory in asked[scope]:
            if whole + sizes[memory] <= share * (entries - sum(quota[m] for m in asked["large"])):
                quota[memory] = sizes[memory]
                whole += sizes[memory]
    others = sorted(set(sizes) - {memory for memories in asked.values() for memory in memories})
    random.Random(_SEED).shuffle(others)
    missing = entries - sum(quota.values())
    for memory in others:
        # A memory that would take most of the rest is left out: a store has thousands of small memories.
        if sizes[memory] <= max(1, missing // 10):
            quota[memory] = sizes[memory]
            missing -= sizes[memory]
        if missing <= 0:
            break
    return quota


def _real(folder):
    def read():
        csv.field_size_limit(1 << 30)
        with io.TextIOWrapper(gzip.open(folder / "corpus.tsv.gz"), encoding="utf-8", newline="") as text:
            lines = csv.reader(text, delimiter="\t")
            places = _places(lines)
            for fields in lines:
                yield tuple(fields[place] for place in places)

    with open(folder / "queries.tsv", encoding="utf-8", newline="") as text:
        queries = [
            Query(q["scope"], q["memory_id"], q["query"]) for q in csv.DictReader(text, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]
    sizes = collections.Counter(row[0] for row in read())
    return "commit messages of public projects (corpus.tsv.gz, queries.tsv)", sizes, queries, read


def _places(lines):
    header = next(lines)
    return [header.index(column) for column in COLUMNS]


# --- Made up ---------------------------------------------------------------------------------------

_STOP_WORDS = """the of and to in a is that for it as was with be by on not he his but at are this have from or had an
they which you were all her she there their we him been has when who will no more if out so up what its about than into
them can only other some these then do any my now over such our me most after did off before through where your down
because just those too how very own both being under same while against few during once here again each""".split()
_LARGE_SHARE, _MEDIUM, _SMALL, _QUERIES = 0.23, 4, 39, 60


def _made_up(entries):
    """Has the shape of the real corpus: one large memory, some with thousands of entries, thousands of small ones,
    interleaved."""
    chance = random.Random(_SEED)
    sizes = {"large": int(entries * _LARGE_SHARE)}
    sizes.update({f"medium-{n}": min(int(entries * 0.08), 3000 + 1400 * n) for n in range(_MEDIUM)})
    sizes.update({f"small-{n}": 58 + n * 3 for n in range(_SMALL)})
    missing, number = entries - sum(sizes.values()), 0
    while missing > 0:
        # Most memories have a few entries, a few have thousands.
        size = min(missing, int(chance.paretovariate(0.75)), entries // 16 or 1)
        sizes[f"other-{number}"] = size
        missing, number = missing - size, number + 1
    syllables = "ba con de er fi gra hol in jo ka lu men nor o pre qui ri sta ton un ver wi ex yo za".split()
    vocabulary = list(dict.fromkeys("".join(chance.choices(syllables, k=chance.randint(2, 4))) for _ in range(90_000)))
    texts = _Texts(vocabulary)
    queries = []
    for scope, names in (
        ("large", ["large"]),
        ("medium", [m for m in sizes if m[:6] == "medium"]),
        ("small", [m for m in sizes if m[:5] == "small"]),
    ):
        for number in range(_QUERIES):
            memory = names[number % len(names)]
            words = [word for word in texts.of(memory, 40, chance) if word not in _STOP_WORDS]
            words = sorted(dict.fromkeys(words), key=texts.rank)  # the common ones first
            half = words[len(words) // 2 :] if number % 2 else words[: len(words) // 2]
            chance.shuffle(half)
            queries.append(Query(scope, memory, " ".join(half[: chance.randint(2, 8)])))

    def read():
        again = random.Random(_SEED + 1)
        order = [memory for memory, size in sizes.items() for _ in range(size)]
        again.shuffle(order)
        for place, memory in enumerate(order):
            summary = " ".join(texts.of(memory, again.randint(3, 9), again))
            body = int(again.lognormvariate(2.6, 0.9)) if again.random() < 0.6 else 0
            raw = f"{summary}\n{' '.join(texts.of(memory, body, again))}" if body else summary
            time = _time(place * 5_000_000 // len(order))
            yield memory, f"user-{again.randrange(40)}", summary, raw, "{}", again.randint(0, 100), time

    return "made-up words (there is no corpus.tsv.gz)", sizes, queries, read


def _time(minutes):
    days, rest = divmod(minutes, 1440)
    return f"{2015 + days // 336}-{days % 336 // 28 + 1:02}-{days % 28 + 1:02}T{rest // 60:02}:{rest % 60:02}:00Z"


class _Texts:
    """Words as people use them: stop words, words that all memories share, and words of a memory's own."""

    def __init__(self, vocabulary):
        self._vocabulary = vocabulary
        self._rank = {word: place for place, word in enumerate(vocabulary)}
        self._general = _cumulated(len(vocabulary))
        self._own = _cumulated(1500)

    def rank(self, word):
        return self._rank[word]

    def of(self, memory, count, chance):
        """A text of this many words."""
        start = sum(memory.encode()) * 7919 % len(self._vocabulary)
        kinds = chance.choices("sgo", (0.35, 0.4, 0.25), k=count)
        general = iter(chance.choices(self._vocabulary, cum_weights=self._general, k=kinds.count("g")))
        own = iter(chance.choices(range(1500), cum_weights=self._own, k=kinds.count("o")))
        stop = iter(chance.choices(_STOP_WORDS, k=kinds.count("s")))
        words = []
        for kind in kinds:
            if kind == "s":
                words.append(next(stop))
            elif kind == "g":
                words.append(next(general))
            else:
                words.append(self._vocabulary[(start + next(own)) % len(self._vocabulary)])
        return words


def _cumulated(count):
    """Zipf's law with a flattened head, summed up."""
    total, sums = 0.0, []
    for place in range(count):
        total += 1 / (place + 30)
        sums.append(total)
    return sums
