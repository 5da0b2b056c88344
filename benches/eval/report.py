"""The evaluation's results as Markdown, beside the figures that came with the data and the last report's."""
import datetime

import comparison
import foreign
import scores

# nDCG@10 in the evaluation data's README: the ranker nearest to each mode, as (ranker, set -> figure).
# They were made with minilm, and by linear gain; BM25 needs no model.
PUBLISHED = {
    "hybrid": ("rescored 0.5, BM25 b 0.3", {"locomo": 0.526, "scifact": 0.759, "msmarco_dl19_pool": 0.840}),
    "keyword": ("BM25, b 0.3", {"locomo": 0.496, "scifact": 0.705, "msmarco_dl19_pool": 0.796}),
    "semantic": ("cosine only", {"locomo": 0.298, "scifact": 0.634, "msmarco_dl19_pool": 0.828}),
    "rrf": ("RRF k 60 with BM25 (b 0.3)", {"locomo": 0.418, "scifact": 0.725, "msmarco_dl19_pool": 0.844}),
    "weighted": ("min-max linear, 0.4 dense", {"locomo": 0.520, "scifact": 0.756, "msmarco_dl19_pool": 0.834}),
}
PUBLISHED_MODEL = "minilm"

FIGURES = ["recall@5", "recall@10", "mrr@10", "ndcg@10"]
FIGURE_NAMES = {"mrr@10": "MRR@10", "ndcg@10": "nDCG@10"}


def ranking(result):
    """The column of a result in the kept scores."""
    return result["set"], scores.ranking(result["model"], result["mode"])


def progress(result):
    """One line while it runs."""
    place = f"{result['set']} {result['model']} {result['mode']}"
    gains = f"nDCG@10 {result['ndcg@10']:.4f}"
    if result["graded"]:
        gains += f" by exponential gain, {result['linear']:.4f} by linear"
    return f"  {place:45} {gains}  {result['median_ms']:6.2f} ms"


def published(result):
    """The published figure for this combination, or None."""
    if result["model"] != PUBLISHED_MODEL and result["mode"] != "keyword":
        return None
    return PUBLISHED.get(result["mode"], ("", {}))[1].get(result["set"])


def set_table(results, differences):
    """The table of one set. Columns that would be empty are left out."""
    graded = results[0]["graded"]
    with_published = any(published(result) is not None for result in results)
    head = ["model", "mode", *(FIGURE_NAMES.get(figure, figure) for figure in FIGURES)]
    if graded:
        head[-1:] = ["nDCG@10, exponential gain", "nDCG@10, linear gain"]
    head += ["since the last report"]
    if with_published:
        head += ["published nDCG@10", "difference"]
    rows = []
    for result in results:
        model = "(none)" if result["mode"] == "keyword" else result["model"]
        cells = [model, result["mode"], *(f"{result[figure]:.3f}" for figure in FIGURES)]
        if graded:
            cells.append(f"{result['linear']:.3f}")
        cells.append(str(differences.get(ranking(result), "")))
        if with_published:
            beside = published(result)
            cells += ["", ""] if beside is None else [f"{beside:.3f}", f"{result['linear'] - beside:+.3f}"]
        rows.append([*cells, f"{result['median_ms']:.2f}"])
    return _table([*head, "ms a search"], rows, texts=2)


def set_heading(results):
    """The set, its size and the gain that its nDCG@10 uses."""
    queries, graded = results[0]["queries"], results[0]["graded"]
    missing = max(result["missing"] for result in results)
    heading = f"## {results[0]['set']}: {queries} queries" + (f", {missing} MISSING" if missing else "")
    if not graded:
        return heading + "\n\nNo grades: every relevant entry has gain 1."
    of_them = "All" if graded == queries else f"{graded} of the {queries}"
    return heading + f"\n\n{of_them} have grades. nDCG@10 is by exponential gain (2^grade - 1) and by linear gain (the grade)."


def signals_table(by_set):
    """Hybrid against the better of its two signals; None if no two comparable modes were measured."""
    rows = []
    for name, hybrid, better, difference in comparison.against_better_signal(by_set):
        means = [sum(of.values()) / len(of) for of in (by_set[name][hybrid], by_set[name][better])]
        model, signal = hybrid.rpartition(" ")[0], better.rpartition(" ")[2]
        rows.append([name, model, f"{means[0]:.3f}", signal, f"{means[1]:.3f}", str(difference)])
    if not rows:
        return None
    return _table(["set", "model", "hybrid", "better signal", "its nDCG@10", "difference"], rows, texts=2)


def kinds_table(results):
    """By kind of question, if the sets name kinds: the default, and the same with entries that belong to the best; None
    if one of both was not measured. In brackets the 95 % interval of the difference."""
    rows = []
    measured = {(result["set"], result["model"], result["mode"]): result for result in results}
    for (name, model, mode), expanded in measured.items():
        default = measured.get((name, model, "hybrid"))
        if mode != "expand" or default is None:
            continue
        kinds = sorted(set(default["kinds"].values()))
        for kind in kinds if len(kinds) > 1 else []:
            of_kind = {query for query, its in default["kinds"].items() if its == kind}
            of_each = [
                {query: score for query, score in result["scores"].items() if query in of_kind}
                for result in (default, expanded)
            ]
            means = [sum(of.values()) / len(of) for of in of_each]
            difference = comparison.compare(*of_each)
            rows.append([name, model, kind, str(len(of_kind)), *(f"{mean:.4f}" for mean in means), str(difference)])
    if not rows:
        return None
    return _table(["set", "model", "kind", "questions", "default", "with expand", "difference"], rows, texts=3)


def foreign_table(results):
    """Compares the relevance of own questions with that of foreign ones; None if no foreign question was asked."""
    head = [
        "set",
        "model",
        "foreign questions",
        "of the same set",
        f"AUROC (>= {foreign.LEAST_AUROC:.2f})",
        f"answered with nothing (>= {foreign.LEAST_UNANSWERED:.2f})",
        f"right answers lost (<= {foreign.MOST_LOST:.2f})",
    ]
    rows = []
    for result in results:
        figures = result.get("foreign")
        if figures:
            cells = [
                _judged(figures.auroc, figures.auroc >= foreign.LEAST_AUROC),
                _judged(figures.unanswered, figures.unanswered >= foreign.LEAST_UNANSWERED),
                _judged(figures.lost, figures.lost <= foreign.MOST_LOST),
            ]
            rows.append([result["set"], result["model"], str(figures.asked), str(figures.of_same_set), *cells])
    return _table(head, rows, texts=2) if rows else None


def _judged(figure, reached):
    return f"{figure:.3f}" if reached else f"**{figure:.3f}**"


def _table(head, rows, texts):
    """A table whose columns are numbers, except the first ones."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * texts + "--:|" * (len(head) - texts)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def markdown(results, by_set, since, measured, command, options):
    """The whole report. `since` names the origin of the kept scores, and has the differences from them."""
    today = datetime.date.today().isoformat()
    last_report, differences, problems = since
    parts = [
        "# How good the search is",
        f"{today}; {measured}; made by `{command}`" + (f" with options `{options}`." if options else "."),
        "Every query went through `memory_search(memory_id, query, 10, ...)` with the boosts for recency and importance "
        "off; adversarial queries are left out of the averages. `minilm` and `wordllama256` are given vectors; with `local` the "
        "extension embeds entries and queries itself. `hybrid` is the default (fusion `rescored`). *ms a search* is the "
        "median in the server, embedding of the query included where it is `local`. `preset alfred` answers only with "
        "what is at least 0.7 similar.",
        f"*Since the last report* ({last_report}) and the last table compare query by query: the mean difference of "
        "nDCG@10 (exponential gain where there are grades) and in brackets its 95 % interval, by paired bootstrap over the "
        f"queries ({comparison.RESAMPLES:,} resamples). An interval that holds 0 is no evidence of a difference.",
    ]
    if problems and differences:
        parts.append("Not compared: " + "; ".join(problems) + ".")
    for name in dict.fromkeys(result["set"] for result in results):
        of_set = [result for result in results if result["set"] == name]
        parts += [set_heading(of_set), set_table(of_set, differences)]
    signals = signals_table(by_set)
    if signals:
        parts += ["## Hybrid against the better of its two signals", signals]
    kinds = kinds_table(results)
    if kinds:
        parts += ["## With what belongs to the best entries, by kind of question", kinds]
    foreign_questions = foreign_table(results)
    if foreign_questions:
        parts += [
            "## Foreign questions",
            "Questions of other sets and of other memories of the same set, asked of a memory with the default mode. "
            "*AUROC*: how often the best entry's relevance is higher for one of the memory's own questions than for "
            "a foreign one. With `relevantOnly`: the share of foreign questions *answered with nothing*, and the "
            "share of *right answers lost* from the ten that a search without it gives. The bars are in brackets; "
            "what misses its bar is bold, and AUROC fails the run.",
            foreign_questions,
        ]
    legend = "; ".join(f"{mode}: {ranker}" for mode, (ranker, _) in PUBLISHED.items())
    parts.append(
        f"Published, in the README of the evaluation data, for {PUBLISHED_MODEL}: {legend}. They are by linear gain, and "
        "so is the *difference* from them."
    )
    return "\n\n".join(parts) + "\n"
