"""Does relevance tell whether a memory has an answer at all? Each memory is also searched with foreign questions, from
other sets and from other memories of its set, which are compared with its own."""
import dataclasses
import itertools
import random

import scores
import searches

# Foreign questions asked of a set; half of them are of the same set where it has several memories.
ASKED = 60
SEED = 1042

# The documented figures. A low AUROC fails a run, because it measures the ranking itself; the two others depend on the
# chosen threshold.
LEAST_AUROC = 0.90
LEAST_UNANSWERED = 0.80
MOST_LOST = 0.05

RELEVANT_ONLY = {"relevantOnly": True}


@dataclasses.dataclass(frozen=True)
class Figures:
    """The figures of one set and model."""

    asked: int
    of_same_set: int
    # The share of cases in which the best entry's relevance is higher for one of its own questions than for a foreign
    # one.
    auroc: float
    # With relevantOnly: the share of foreign questions answered with nothing.
    unanswered: float
    # With relevantOnly: the share of right answers that are gone from the ten.
    lost: float


def measure(dataset, others, model, options, answers):
    """The figures of a set; None if it has no foreign questions. `answers` has the answers to its own questions with
    these options, `others` the sets that give foreign questions."""
    own = [(number, query) for number, query in enumerate(dataset.queries) if scores.scored([query])]
    rows = dataset.query_rows(model)
    of_same_set, of_others = sample(dataset, others, model)
    asked = [(number, *question) for number, question in enumerate(of_same_set + of_others)]
    if not asked:
        return None
    only = {**options, **RELEVANT_ONLY}
    foreign, _ = searches.search(dataset, model, asked, options)
    foreign_only, _ = searches.search(dataset, model, asked, only)
    own_only, _ = searches.search(dataset, model, [rows[number] for number, _ in own], only)
    return Figures(
        asked=len(asked),
        of_same_set=len(of_same_set),
        auroc=auroc([best_relevance(answers[number]) for number, _ in own], map(best_relevance, foreign.values())),
        unanswered=unanswered(foreign_only),
        lost=lost((query["relevant"], answers[number], own_only[number]) for number, query in own),
    )


def sample(dataset, others, model):
    """The foreign questions, from the same set and from others: searched memory, text, vector. Every run has the same
    ones."""
    draw = random.Random(f"{SEED} {dataset.name}")
    memories = sorted({entry["memory_id"] for entry in dataset.entries})
    pairs = [(row, memory) for row in _answerable(dataset, model) for memory in memories if row[1] != memory]
    of_same_set = draw.sample(pairs, min(ASKED // 2, len(pairs)))
    # In turn from each other set, however many questions it has.
    shuffled = [draw.sample(rows, len(rows)) for rows in (_answerable(other, model) for other in others)]
    in_turn = (row for turn in itertools.zip_longest(*shuffled) for row in turn if row)
    rest = itertools.islice(in_turn, ASKED - len(of_same_set))
    of_others = [(row, draw.choice(memories)) for row in rest]
    return tuple([(memory, text, vector) for (_, _, text, vector), memory in part] for part in (of_same_set, of_others))


def _answerable(dataset, model):
    """Questions that have an answer in some memory: a question without any answer would be too easy to refuse."""
    return [row for row in dataset.query_rows(model) if scores.scored([dataset.queries[row[0]]])]


def best_relevance(answer):
    """0 if nothing was found."""
    return max((relevance for _, relevance in answer), default=0.0)


def auroc(own, foreign):
    """The share of pairs in which the own question has the higher value; ties count half."""
    pairs = list(itertools.product(own, foreign))
    return sum(1.0 if high > low else 0.5 if high == low else 0.0 for high, low in pairs) / len(pairs)


def unanswered(answers):
    """The share of answers that are empty."""
    return sum(not answer for answer in answers.values()) / len(answers)


def lost(questions):
    """The share of relevant entries found by a first search that a second did not give: (relevant, first, second)."""
    found = kept = 0
    for relevant, first, second in questions:
        right = {entry for entry, _ in first} & set(relevant)
        found += len(right)
        kept += len(right & {entry for entry, _ in second})
    return (found - kept) / found if found else 0.0


def missed(results):
    """The AUROCs below the bar, in words."""
    for result in results:
        figures = result.get("foreign")
        if figures and figures.auroc < LEAST_AUROC:
            yield (
                f"{result['set']} with {result['model']}: relevance tells own questions from foreign ones "
                f"with AUROC {figures.auroc:.3f}, below {LEAST_AUROC:.2f}"
            )
