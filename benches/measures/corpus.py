"""100,000 entries in 1,000 memories, one of them of exactly 1,000 entries, and queries for that one.

From corpus.tsv.gz (a folder's README describes it) if it exists; otherwise made up, from a fixed seed.
The order is the entries' times, so that the rows of the memories are interleaved, as in production.
"""
import collections
import csv
import gzip
import io
import random

ENTRIES = 100_000
MEMORIES = 1_000
TARGET_ENTRIES = 1_000
QUERIES = 300
QUERY_WORDS = (2, 8)

_SEED = 20_240_229


class Corpus:
    """`rows`: (memory_id, summary, raw_entry, tags as an array literal, importance, creation_time)."""

    def __init__(self, source, target, rows, held_aside):
        self.source, self.target, self.rows = source, target, rows
        self.queries = _queries(held_aside)

    def texts(self, count, words):
        """Texts of so many words each, from the entries, all different."""
        stream = (word for row in self.rows for word in row[2].split())
        return [" ".join(next(stream) for _ in range(words)) for _ in range(count)]


def load(folder):
    """The real texts of `folder`, or made-up ones."""
    file = folder / "corpus.tsv.gz"
    return _from_file(file) if file.exists() else _made_up()


def _queries(held_aside):
    """Some words of summaries that the store doesn't hold."""
    chance = random.Random(_SEED)
    queries = []
    for summary in held_aside:
        words = [word for word in summary.split() if word.isalpha()]
        if len(words) >= QUERY_WORDS[0]:
            wanted = min(chance.randint(*QUERY_WORDS), len(words))
            first = chance.randint(0, len(words) - wanted)
            queries.append(" ".join(words[first : first + wanted]))
    chance.shuffle(queries)
    return (queries * (QUERIES // len(queries) + 1))[:QUERIES]


def _read(file):
    csv.field_size_limit(1 << 30)
    with io.TextIOWrapper(gzip.open(file), encoding="utf-8", newline="") as text:
        yield from csv.DictReader(text, delimiter="\t")


def _from_file(file):
    sizes = collections.Counter(row["memory_id"] for row in _read(file))
    # The least memory that leaves enough entries over for queries; the largest others, cut to the
    # size at which they give the number of entries wanted.
    target = min((m for m in sizes if sizes[m] >= TARGET_ENTRIES + QUERIES), key=lambda m: (sizes[m], m))
    others = [m for m, _ in sizes.most_common() if m != target][: MEMORIES - 1]
    wanted = ENTRIES - TARGET_ENTRIES
    cut = next(n for n in range(1, wanted) if sum(min(sizes[m], n) for m in others) >= wanted)
    quota = {memory: min(sizes[memory], cut) for memory in others}
    quota[others[0]] -= sum(quota.values()) - wanted
    quota[target] = TARGET_ENTRIES
    rows, held_aside = [], []
    for row in _read(file):
        memory = row["memory_id"]
        if quota.get(memory):
            quota[memory] -= 1
            columns = ("summary", "raw_entry", "tags", "importance", "creation_time")
            rows.append((memory, *(row[column] for column in columns)))
        elif memory == target:
            held_aside.append(row["summary"])
    return Corpus("commit messages of public projects (corpus.tsv.gz)", target, rows, held_aside)


_STOP_WORDS = """the of and to in a is that for it as was with be by on not he his but at are this have from or had an
they which you were all her she there their we him been has when who will no more if out so up what its about than into
them can only other some these then do any my now over such our me most after did off before through where your down
because just those too how very own both being under same while against few during once here again each"""


def _made_up():
    chance = random.Random(_SEED)
    syllables = "ba con de er fi gra hol in jo ka lu men nor o pre qui ri sta ton un ver wi ex yo za".split()
    # Few words are common, most are rare, as in any language; and the commonest are stop words.
    words = _STOP_WORDS.split() + ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(20_000)]
    weights = [1 / (place + 3) for place in range(len(words))]
    stream = iter(chance.choices(words, weights, k=ENTRIES * 45))

    def text(count):
        return " ".join(next(stream) for _ in range(count))

    # The target's entries are spread evenly among the others.
    step = ENTRIES // TARGET_ENTRIES
    rows = []
    for number in range(ENTRIES):
        memory = "target" if number % step == 0 else f"memory-{chance.randrange(MEMORIES - 1)}"
        summary, minutes = text(6), number % 1440
        time = f"2024-{number * 12 // ENTRIES + 1:02}-01T{minutes // 60:02}:{minutes % 60:02}:00Z"
        rows.append((memory, summary, f"{summary}\n{text(30)}", "{}", 50, time))
    return Corpus("made-up words (there is no corpus.tsv.gz)", "target", rows, [text(8) for _ in range(QUERIES)])
