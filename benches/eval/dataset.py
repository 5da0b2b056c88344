"""Reads an evaluation set (its README describes the files) and loads it into a store."""
import array
import ast
import json
import pathlib
import random
import struct
import sys
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import psql  # noqa: E402

LOCAL = "local"  # no vectors are given: the extension's own embedder makes them
# Vectors without information: random directions, the same in each run. A search should do as well as by words alone.
NOISE = "noise"
DIMENSIONS = {"minilm": 384, "wordllama256": 256, LOCAL: None, NOISE: 64}

# A set without dates: any date will do, but all entries need the same one, because it breaks ties.
NO_DATE = "2024-01-01T00:00:00Z"

# All 65,536 half-precision numbers as text: a look-up is quicker than formatting.
_HALF_AS_TEXT = []


def half_vectors(path):
    """The rows of a two-dimensional float16 .npy file, each as pgvector's text form."""
    if not _HALF_AS_TEXT:
        bits = struct.pack("<65536H", *range(65536))
        _HALF_AS_TEXT.extend("%.6g" % number for number in struct.unpack("<65536e", bits))
    data = path.read_bytes()
    if data[:6] != b"\x93NUMPY":
        raise ValueError(f"{path} is not an .npy file")
    length_bytes = 2 if data[6] == 1 else 4
    header_end = 8 + length_bytes + int.from_bytes(data[8 : 8 + length_bytes], "little")
    header = ast.literal_eval(data[8 + length_bytes : header_end].decode("latin-1"))
    if header["descr"] != "<f2" or header["fortran_order"] or len(header["shape"]) != 2:
        raise ValueError(f"{path} is not a C-ordered float16 matrix")
    numbers = array.array("H", data[header_end:])
    if sys.byteorder == "big":
        numbers.byteswap()
    count, width = header["shape"]
    for row in range(count):
        yield "[" + ",".join(map(_HALF_AS_TEXT.__getitem__, numbers[row * width : (row + 1) * width])) + "]"


def random_vectors(of_what, count):
    """Vectors of random directions, each as pgvector's text form."""
    numbers = random.Random(of_what)
    for _ in range(count):
        yield "[" + ",".join("%.6g" % numbers.gauss(0, 1) for _ in range(DIMENSIONS[NOISE])) + "]"


def entry_uuid(memory_id, entry_id):
    """The uuid of an entry, the same in every run."""
    return uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_OID, memory_id), entry_id)


class Dataset:
    """One evaluation set."""

    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        self.entries = _read_jsonl(folder / "entries.jsonl")
        self.queries = _read_jsonl(folder / "queries.jsonl")
        self.original_id = {str(entry_uuid(e["memory_id"], e["entry_id"])): e["entry_id"] for e in self.entries}

    def has(self, model):
        """Whether the set can be measured with this model."""
        return model in (LOCAL, NOISE) or (self.folder / f"entries.{model}.npy").exists()

    def store(self, model):
        """The name of the store."""
        return f"{self.name}_{model}"

    def load(self, model, reuse=False):
        """Makes a store of the entries, with the vectors of `model`."""
        store = self.store(model)
        exists = psql.value(f"SELECT count(*) FROM pg_namespace WHERE nspname = {psql.literal(store)}") == "1"
        if exists and reuse:
            return
        if exists:
            psql.run(f"SELECT memory_drop_store({psql.literal(store)}, force => true);")
        columns = [
            (e["memory_id"], entry_uuid(e["memory_id"], e["entry_id"]), e["content"], e["created_at"] or NO_DATE)
            for e in self.entries
        ]
        # One transaction: a store is whole or absent, so --reuse can trust it.
        script = ["BEGIN;", f"SELECT memory_create_store({psql.literal(store)}, {DIMENSIONS[model] or 'NULL'});"]
        # Extracts names from the texts, so that searches also find related entries by them.
        script.append("SET LOCAL memory_search.find_entities = on;")
        vectors = self._vectors("entries", model, len(columns))
        script.append(
            "CREATE TEMP TABLE given (memory_id text, entry_id uuid, content text, at timestamptz, embedding vector);"
        )
        script.append(psql.copy("given", (row + (vector,) for row, vector in zip(columns, vectors))))
        script.append(
            "SELECT count(memory_add(memory_id, content, creation_time => at, entry_id => entry_id, "
            f"embedding => embedding, store => {psql.literal(store)})) FROM given;"
        )
        # VACUUM also moves the GIN index's pending list into place.
        script.append(f"COMMIT;\nVACUUM ANALYZE {store}.entries;")
        psql.run("\n".join(script))

    def query_rows(self, model):
        """Number, memory, text and vector of every query."""
        texts = [(n, q["memory_id"], q["query"]) for n, q in enumerate(self.queries)]
        return [row + (vector,) for row, vector in zip(texts, self._vectors("queries", model, len(texts)))]

    def _vectors(self, of_what, model, count):
        if model == LOCAL:
            return [None] * count
        if model == NOISE:
            return random_vectors(of_what, count)
        return half_vectors(self.folder / f"{of_what}.{model}.npy")


def _read_jsonl(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
