"""Is a difference between two rankings more than chance? Both answered the same queries, so they are compared query by
query: the mean difference, and by bootstrap its confidence interval over samples of queries."""
import dataclasses
import random

RESAMPLES = 10_000
SEED = 1042
# A loss is more than noise if its whole interval is below 0, and it is reported if it is greater than this.
TOLERATED_LOSS = 0.003

# Sums of whole numbers are exact in any order; scores have four decimal places.
_SCALE = 10_000


class OtherQueries(Exception):
    """The two rankings did not answer the same queries, so they cannot be compared."""


@dataclasses.dataclass(frozen=True)
class Difference:
    """The mean of `new` minus `old`, and its 95 % interval."""

    mean: float
    low: float
    high: float

    def is_loss(self):
        """Worse beyond noise, and by more than is tolerated."""
        return self.high < 0 and self.mean < -TOLERATED_LOSS

    def __str__(self):
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def compare(old, new):
    """The difference of two rankings, each as query -> score."""
    if old.keys() != new.keys():
        missing, added = len(old.keys() - new.keys()), len(new.keys() - old.keys())
        raise OtherQueries(f"{missing} queries are gone and {added} are new")
    # In the order of the ids, so that the draws and the interval do not depend on the order of the file.
    differences = [round((new[query] - old[query]) * _SCALE) for query in sorted(old)]
    low, high = _interval(differences)
    return Difference(sum(differences) / len(differences) / _SCALE, low, high)


def _interval(differences):
    """The 2.5th and the 97.5th percentile of the mean over resamples of the queries, drawn with replacement."""
    if not any(differences):
        return 0.0, 0.0
    count = len(differences)
    draw = random.Random(SEED).choices
    sums = sorted(sum(draw(differences, k=count)) for _ in range(RESAMPLES))
    tail = RESAMPLES * 25 // 1000
    return sums[tail] / count / _SCALE, sums[-1 - tail] / count / _SCALE


def since(kept, new):
    """(set, ranking) -> Difference from the kept scores, for the rankings that both have; and messages about the
    others."""
    differences, problems = {}, []
    for name, of_set in new.items():
        for ranked, scores in of_set.items():
            old = kept.get(name, {}).get(ranked)
            if old is None:
                problems.append(f"{name}, {ranked}: no score is kept")
                continue
            try:
                differences[name, ranked] = compare(old, scores)
            except OtherQueries as reason:
                problems.append(f"{name}, {ranked}: {reason}")
    return differences, problems


def losses(differences, mode):
    """The losses of a mode beyond noise, in words."""
    for (name, ranked), difference in differences.items():
        if ranked.split(" ")[-1] == mode and difference.is_loss():
            yield f"{name}, {ranked}: nDCG@10 {difference} against the kept scores is more than noise"


def against_better_signal(by_set):
    """For each set and model: (set, hybrid's ranking, the better of its signals, the difference from that one)."""
    for name, of_set in by_set.items():
        for ranked, scores in of_set.items():
            model, _, mode = ranked.rpartition(" ")
            signals = [signal for signal in ("keyword", f"{model} semantic") if signal in of_set]
            if mode == "hybrid" and len(signals) == 2:
                better = max(signals, key=lambda signal: sum(of_set[signal].values()))
                yield name, ranked, better, compare(of_set[better], scores)
