"""The comparison reports a loss, and does not report noise."""
import random
import unittest

from comparison import Difference, OtherQueries, against_better_signal, compare, losses, since


def ranking(scores):
    return {f"q{number}": score for number, score in enumerate(scores)}


def noisy(count, shift, seed=7):
    """An old and a new ranking: each query differs a good deal, the mean by `shift`."""
    rng = random.Random(seed)
    old = [rng.uniform(0.3, 0.7) for _ in range(count)]
    changes = [rng.uniform(0, 0.25) for _ in range(count // 2)]
    changes += [-change for change in changes]
    return ranking(old), ranking([score + change + shift for score, change in zip(old, changes)])


class Compare(unittest.TestCase):
    def test_the_same_scores_have_the_difference_0(self):
        scores = ranking([0, 0.5, 0.6309, 1])
        self.assertEqual(compare(scores, dict(scores)), Difference(0, 0, 0))

    def test_it_is_new_minus_old_query_by_query(self):
        difference = compare(ranking([0.5, 0.5, 0.5, 0.5]), ranking([0.9, 0.5, 0.4, 0.5]))
        self.assertAlmostEqual(difference.mean, 0.075)
        self.assertTrue(difference.low <= difference.mean <= difference.high)

    def test_queries_are_paired_by_id_not_by_place(self):
        old = {"a": 1.0, "b": 0.0, "c": 0.25}
        self.assertEqual(compare(old, dict(reversed(old.items()))), Difference(0, 0, 0))

    def test_a_loss_of_every_query_has_no_width(self):
        difference = compare(ranking([0.5, 0.1, 1, 0.7]), ranking([0.4, 0.0, 0.9, 0.6]))
        for value in (difference.mean, difference.low, difference.high):
            self.assertAlmostEqual(value, -0.1)

    def test_the_interval_of_a_known_distribution_is_right(self):
        # Half of 400 queries gain 0.1, half lose it: the mean has the standard deviation 0.1 / sqrt(400) = 0.005, and
        # 1.96 of these to each side.
        difference = compare(ranking([0.5] * 400), ranking([0.6, 0.4] * 200))
        self.assertAlmostEqual(difference.mean, 0)
        self.assertAlmostEqual(difference.low, -0.0098, delta=0.0006)
        self.assertAlmostEqual(difference.high, 0.0098, delta=0.0006)

    def test_more_queries_make_it_narrower(self):
        few, many = compare(*noisy(40, 0)), compare(*noisy(640, 0))
        self.assertAlmostEqual((few.high - few.low) / (many.high - many.low), 4, delta=1)

    def test_it_comes_out_the_same_each_time_and_in_any_order(self):
        old, new = noisy(100, 0.02)
        first = compare(old, new)
        self.assertEqual(first, compare(old, new))
        self.assertEqual(first, compare(dict(reversed(old.items())), dict(reversed(new.items()))))

    def test_other_queries_are_not_compared(self):
        with self.assertRaisesRegex(OtherQueries, "1 queries are gone and 2 are new"):
            compare({"a": 1, "b": 1}, {"b": 1, "c": 1, "d": 1})


class Loss(unittest.TestCase):
    def test_a_loss_beyond_noise_is_one(self):
        self.assertTrue(compare(*noisy(800, -0.02)).is_loss())

    def test_the_same_loss_among_few_queries_is_noise(self):
        difference = compare(*noisy(16, -0.02))
        self.assertLess(difference.mean, -0.003)
        self.assertFalse(difference.is_loss())

    def test_a_certain_but_tiny_loss_is_tolerated(self):
        self.assertFalse(compare(ranking([0.5] * 50), ranking([0.498] * 50)).is_loss())
        self.assertTrue(compare(ranking([0.5] * 50), ranking([0.496] * 50)).is_loss())

    def test_a_gain_is_none(self):
        self.assertFalse(compare(*noisy(800, 0.02)).is_loss())

    def test_one_query_of_eighteen_that_loses_all_is_noise(self):
        # It is left out of a third of the resamples.
        self.assertFalse(compare(ranking([1.0] * 18), ranking([1.0] * 17 + [0.0])).is_loss())

    def test_only_the_mode_that_is_asked_about_counts(self):
        loss, gain = Difference(-0.02, -0.03, -0.01), Difference(0.02, 0.01, 0.03)
        differences = {("chats", "m hybrid"): loss, ("chats", "m semantic"): loss, ("papers", "m hybrid"): gain}
        self.assertEqual(
            list(losses(differences, "hybrid")),
            ["chats, m hybrid: nDCG@10 -0.020 [-0.030, -0.010] against the kept scores is more than noise"],
        )


class Since(unittest.TestCase):
    def test_rankings_that_both_have_are_compared_and_the_others_are_named(self):
        kept = {"chats": {"m hybrid": {"a": 0.5}, "keyword": {"a": 0.5}}, "gone": {"keyword": {"a": 1}}}
        new = {"chats": {"m hybrid": {"a": 0.5}, "keyword": {"b": 0.5}}, "papers": {"m hybrid": {"a": 1}}}
        differences, problems = since(kept, new)
        self.assertEqual(differences, {("chats", "m hybrid"): Difference(0, 0, 0)})
        self.assertEqual(
            problems, ["chats, keyword: 1 queries are gone and 1 are new", "papers, m hybrid: no score is kept"]
        )


class BetterSignal(unittest.TestCase):
    SCORES = {
        "chats": {
            "a hybrid": {"q": 0.7},
            "keyword": {"q": 0.6},
            "a semantic": {"q": 0.3},
            "b hybrid": {"q": 0.8},
            "b semantic": {"q": 0.9},
            "c semantic": {"q": 1.0},
        }
    }

    def test_each_model_is_compared_with_the_better_of_words_and_its_own_meaning(self):
        found = [(hybrid, better, round(d.mean, 4)) for _, hybrid, better, d in against_better_signal(self.SCORES)]
        self.assertEqual(found, [("a hybrid", "keyword", 0.1), ("b hybrid", "b semantic", -0.1)])

    def test_without_both_signals_there_is_no_comparison(self):
        without_words = {"chats": {"a hybrid": {"q": 0.7}, "a semantic": {"q": 0.3}}}
        self.assertEqual(list(against_better_signal(without_words)), [])


if __name__ == "__main__":
    unittest.main()
