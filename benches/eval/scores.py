"""The score of each query, and the file that keeps it from one report to the next.

The file is a table: a line a query, a column a ranking ("minilm hybrid"; "keyword" needs no model), in each cell
nDCG@10. It holds ids and numbers, and no texts of the data.
"""
import math

TOP = 10

# The modes whose scores are kept: the default and its two signals.
KEPT_MODES = ["hybrid", "keyword", "semantic"]

# Gains of a graded entry. The kept scores and score.py's nDCG@10 are by exponential gain.
GAINS = {"exponential": lambda grade: 2**grade - 1, "linear": lambda grade: grade}
KEPT_GAIN = "exponential"
PLACES = 4


def scored(queries):
    """The queries that count: all with an answer, except adversarial ones."""
    return [query for query in queries if query["relevant"] and not query.get("adversarial")]


def ndcg(query, found, gain=KEPT_GAIN):
    """nDCG@10 of one query. Without grades every relevant entry has grade 1, where both gains are the same."""
    grades = query.get("grades") or dict.fromkeys(query["relevant"], 1)
    best = _discounted(sorted(grades.values(), reverse=True), GAINS[gain])
    return _discounted([grades.get(entry, 0) for entry in found], GAINS[gain]) / best if best else 0.0


def _discounted(grades, gain):
    return sum(gain(grade) / math.log2(place + 2) for place, grade in enumerate(grades[:TOP]))


def ranking(model, mode):
    """A column's name."""
    return mode if mode == "keyword" else f"{model} {mode}"


def kept(results):
    """Set -> ranking -> query -> nDCG@10, as it is written, of the results whose scores are kept."""
    by_set = {}
    for result in results:
        if result["mode"] in KEPT_MODES:
            of_set = by_set.setdefault(result["set"], {})
            rounded = {query: round(score, PLACES) for query, score in result["scores"].items()}
            of_set[ranking(result["model"], result["mode"])] = rounded
    return by_set


def write(path, by_set):
    """The file. A query that a ranking was not asked has an empty cell."""
    rankings = list(dict.fromkeys(name for of_set in by_set.values() for name in of_set))
    lines = ["\t".join(["set", "query_id", *rankings])]
    for name, of_set in by_set.items():
        for query in dict.fromkeys(query for scores in of_set.values() for query in scores):
            cells = [of_set.get(ranked, {}).get(query) for ranked in rankings]
            lines.append("\t".join([name, query, *("" if cell is None else f"{cell:.{PLACES}g}" for cell in cells)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path):
    """The scores that `write` wrote; empty if there is no file yet."""
    if not path.exists():
        return {}
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    rankings = head.split("\t")[2:]
    by_set = {}
    for line in lines:
        name, query, *cells = line.split("\t")
        for ranked, cell in zip(rankings, cells, strict=True):
            if cell:
                by_set.setdefault(name, {}).setdefault(ranked, {})[query] = float(cell)
    return by_set
