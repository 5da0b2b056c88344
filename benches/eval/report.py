"""The evaluation's results as Markdown, beside the figures that came with the data."""
import datetime

# nDCG@10 in the evaluation data's README: the ranker nearest to each mode, as (ranker, set -> figure).
# They were made with minilm; BM25 needs no model.
PUBLISHED = {
    "hybrid": ("rescored 0.5, BM25 b 0.3", {"locomo": 0.526, "scifact": 0.759, "msmarco_dl19_pool": 0.840}),
    "keyword": ("BM25, b 0.3", {"locomo": 0.496, "scifact": 0.705, "msmarco_dl19_pool": 0.796}),
    "semantic": ("cosine only", {"locomo": 0.298, "scifact": 0.634, "msmarco_dl19_pool": 0.828}),
    "rrf": ("RRF k 60 with BM25 (b 0.3)", {"locomo": 0.418, "scifact": 0.725, "msmarco_dl19_pool": 0.844}),
    "weighted": ("min-max linear, 0.4 dense", {"locomo": 0.520, "scifact": 0.756, "msmarco_dl19_pool": 0.834}),
}
PUBLISHED_MODEL = "minilm"

FIGURES = ["recall@5", "recall@10", "ndcg@10", "mrr@10"]
FIGURE_NAMES = {"ndcg@10": "nDCG@10", "mrr@10": "MRR@10"}


def progress(result):
    """One line while it runs."""
    place = f"{result['set']} {result['model']} {result['mode']}"
    return f"  {place:45} nDCG@10 {result['ndcg@10']:.4f}  {result['median_ms']:6.2f} ms"


def published(result):
    """The published figure for this combination, or None."""
    if result["model"] != PUBLISHED_MODEL and result["mode"] != "keyword":
        return None
    return PUBLISHED.get(result["mode"], ("", {}))[1].get(result["set"])


def row(result):
    """A line of a set's table."""
    beside = published(result)
    model = "(none)" if result["mode"] == "keyword" else result["model"]
    cells = [model, result["mode"], *(f"{result[figure]:.3f}" for figure in FIGURES)]
    comparable = result["ndcg@10"]
    if result["linear"] is not None:
        comparable = result["linear"]
        cells.append(f"{comparable:.3f}")
    cells += ["", ""] if beside is None else [f"{beside:.3f}", f"{comparable - beside:+.3f}"]
    return "| " + " | ".join(cells + [f"{result['median_ms']:.2f}"]) + " |"


def table(results):
    """The table of one set."""
    names = [FIGURE_NAMES.get(figure, figure) for figure in FIGURES]
    if results[0]["linear"] is not None:
        names.append("nDCG@10, linear gain")
    head = ["model", "mode", *names, "published nDCG@10", "difference", "ms a search"]
    lines = ["| " + " | ".join(head) + " |", "|---|---|" + "--:|" * (len(head) - 2)]
    lines += [row(result) for result in results]
    return "\n".join(lines)


def markdown(results, measured, command, options):
    """The whole report."""
    today = datetime.date.today().isoformat()
    parts = [
        "# How good the search is",
        f"{today}; {measured}; made by `{command}`" + (f" with options `{options}`." if options else "."),
        "Every query went through `memory_search(memory_id, query, 10, ...)` with the boosts for recency and importance off; "
        "adversarial queries are left out of the averages. `minilm` and `wordllama256` are given vectors; with `local` the "
        "extension embeds entries and queries itself. `hybrid` is the default (fusion `rescored`). *ms a search* is the median "
        "in the server, embedding of the query included where it is `local`. `preset alfred` answers only with what is at least 0.7 "
        "similar.",
    ]
    for name in dict.fromkeys(result["set"] for result in results):
        of_set = [result for result in results if result["set"] == name]
        missing = max(result["missing"] for result in of_set)
        parts.append(f"## {name}: {of_set[0]['queries']} queries" + (f", {missing} MISSING" if missing else ""))
        parts.append(table(of_set))
    legend = "; ".join(f"{mode}: {ranker}" for mode, (ranker, _) in PUBLISHED.items())
    parts.append(f"Published, in the README of the evaluation data, for {PUBLISHED_MODEL}: {legend}.")
    if any(result["linear"] is not None for result in results):
        parts.append(
            "Where entries have grades, `score.py` takes 2^grade - 1 as gain. The published *cosine only*, recomputed from the "
            "vectors, comes out with the grade itself as gain, so *difference* compares linear gain there; that the other "
            "published figures were made likewise is inferred."
        )
    return "\n\n".join(parts) + "\n"
