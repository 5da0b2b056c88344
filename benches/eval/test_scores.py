"""The kept scores are nDCG@10, and reading the file gives the scores that were written."""
import math
import pathlib
import tempfile
import unittest

import scores

GRADED = {"query_id": "g", "relevant": ["a"], "grades": {"a": 3, "b": 1}}
PLAIN = {"query_id": "p", "relevant": ["a", "b"]}


class Ndcg(unittest.TestCase):
    def test_the_best_order_has_1_and_nothing_found_0(self):
        for gain in scores.GAINS:
            self.assertEqual(scores.ndcg(GRADED, ["a", "b", "x"], gain), 1)
            self.assertEqual(scores.ndcg(GRADED, ["x"], gain), 0)
            self.assertEqual(scores.ndcg(GRADED, [], gain), 0)

    def test_the_gains_differ_where_there_are_grades(self):
        second = 1 / math.log2(3)
        self.assertAlmostEqual(scores.ndcg(GRADED, ["b", "a"], "exponential"), (1 + 7 * second) / (7 + second))
        self.assertAlmostEqual(scores.ndcg(GRADED, ["b", "a"], "linear"), (1 + 3 * second) / (3 + second))

    def test_the_gains_are_the_same_where_there_are_none(self):
        expected = (1 / math.log2(3)) / (1 + 1 / math.log2(3))
        for gain in scores.GAINS:
            self.assertAlmostEqual(scores.ndcg(PLAIN, ["x", "b"], gain), expected)

    def test_entries_after_the_tenth_do_not_count(self):
        found = [f"x{number}" for number in range(10)]
        self.assertEqual(scores.ndcg(PLAIN, [*found, "a"]), 0)
        self.assertGreater(scores.ndcg(PLAIN, [*found[:9], "a"]), 0)

    def test_more_than_ten_answers_can_still_reach_1(self):
        many = {"query_id": "m", "relevant": [f"a{number}" for number in range(15)]}
        self.assertAlmostEqual(scores.ndcg(many, many["relevant"]), 1)

    def test_adversarial_queries_and_such_without_an_answer_are_left_out(self):
        queries = [PLAIN, {**PLAIN, "adversarial": True}, {"query_id": "n", "relevant": []}]
        self.assertEqual(scores.scored(queries), [PLAIN])


class File(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "scores.tsv"

    def test_reading_gives_the_scores_that_were_written(self):
        by_set = {
            "chats": {"m hybrid": {"q1": 0.6309, "q2": 1.0}, "keyword": {"q1": 0.0, "q2": 0.0001}},
            "papers": {"m hybrid": {"q1": 0.5}},
        }
        scores.write(self.path, by_set)
        self.assertEqual(scores.read(self.path), by_set)

    def test_without_a_file_no_score_is_kept(self):
        self.assertEqual(scores.read(self.path), {})

    def test_rounded_scores_of_the_default_and_its_signals_are_kept(self):
        def result(model, mode):
            return {"set": "chats", "model": model, "mode": mode, "scores": {"q": 0.123456}}

        results = [result(model, mode) for model in ("m", "n") for mode in ("hybrid", "semantic", "rrf")]
        kept = scores.kept([*results, result("m", "keyword")])
        rankings = ["m hybrid", "m semantic", "n hybrid", "n semantic", "keyword"]
        self.assertEqual(kept, {"chats": {ranking: {"q": 0.1235} for ranking in rankings}})


if __name__ == "__main__":
    unittest.main()
