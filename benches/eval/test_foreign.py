"""The measure of foreign questions distinguishes a relevance with information from a random one."""
import types
import unittest
import unittest.mock

import foreign


def answer(**relevances):
    return list(relevances.items())


def a_set(name, memories, questions):
    """`questions` answerable ones a memory, and an adversarial one."""

    def query(memory, number):
        text, adversarial = f"{name} {memory} {number}", number == questions
        return {"memory_id": memory, "query": text, "relevant": ["a"], "adversarial": adversarial}

    queries = [query(memory, number) for memory in memories for number in range(questions + 1)]
    rows = [(n, query["memory_id"], query["query"], f"[{n}]") for n, query in enumerate(queries)]
    entries = [{"memory_id": memory} for memory in memories]
    return types.SimpleNamespace(name=name, entries=entries, queries=queries, query_rows=lambda model: rows)


class Auroc(unittest.TestCase):
    def test_own_questions_that_are_all_higher_have_1_and_all_lower_0(self):
        self.assertEqual(foreign.auroc([0.8, 0.6], [0.5, 0.1, 0.2]), 1)
        self.assertEqual(foreign.auroc([0.1, 0.2], [0.5, 0.8, 0.6]), 0)

    def test_a_tie_counts_half(self):
        self.assertEqual(foreign.auroc([0.5], [0.5]), 0.5)
        self.assertEqual(foreign.auroc([0.5, 0.9], [0.5, 0.1]), (0.5 + 1 + 1 + 1) / 4)

    def test_a_constant_relevance_has_one_half(self):
        self.assertEqual(foreign.auroc([1.0] * 7, [1.0] * 3), 0.5)

    def test_the_numbers_of_questions_do_not_matter(self):
        self.assertEqual(foreign.auroc([0.7, 0.3], [0.5]), foreign.auroc([0.7, 0.3], [0.5] * 9))

    def test_only_the_order_matters(self):
        own, others = [0.9, 0.4, 0.6], [0.5, 0.4, 0.1]
        squared = [[value**2 for value in values] for values in (own, others)]
        self.assertEqual(foreign.auroc(own, others), foreign.auroc(*squared))


class Answers(unittest.TestCase):
    def test_the_best_relevance_is_the_highest_and_0_of_nothing(self):
        self.assertEqual(foreign.best_relevance(answer(a=0.4, b=0.6)), 0.6)
        self.assertEqual(foreign.best_relevance([]), 0)

    def test_only_an_empty_answer_is_none(self):
        self.assertEqual(foreign.unanswered({0: [], 1: answer(a=0.5), 2: [], 3: answer(b=0.0)}), 0.5)

    def test_lost_is_the_share_of_right_answers_that_are_gone(self):
        first = answer(a=0.9, b=0.7, x=0.5)
        self.assertEqual(foreign.lost([(["a", "b"], first, answer(a=0.9))]), 0.5)
        self.assertEqual(foreign.lost([(["a", "b"], first, []), (["a", "b"], first, first)]), 0.5)

    def test_an_entry_that_was_not_found_or_not_relevant_cannot_be_lost(self):
        self.assertEqual(foreign.lost([(["a", "c"], answer(a=0.9, x=0.5), answer(a=0.9))]), 0)
        self.assertEqual(foreign.lost([(["c"], answer(a=0.9), [])]), 0)


class Sample(unittest.TestCase):
    def setUp(self):
        self.chats = a_set("chats", ["m1", "m2", "m3"], 40)
        self.others = [a_set("papers", ["p"], 500), a_set("pages", ["w"], 20)]

    def test_half_is_of_other_memories_of_the_set(self):
        same, others = foreign.sample(self.chats, self.others, "m")
        self.assertEqual((len(same), len(others)), (foreign.ASKED // 2, foreign.ASKED // 2))
        for memory, text, _ in same:
            self.assertTrue(text.startswith("chats "))
            self.assertNotIn(f" {memory} ", text)

    def test_a_set_of_one_memory_is_asked_questions_of_others_alone(self):
        same, others = foreign.sample(self.others[0], [self.chats], "m")
        self.assertEqual((len(same), len(others)), (0, foreign.ASKED))
        self.assertEqual({memory for memory, _, _ in others}, {"p"})

    def test_each_other_set_asks_as_often_until_it_has_no_more(self):
        _, others = foreign.sample(a_set("notes", ["n"], 5), self.others, "m")
        self.assertEqual(sum(text.startswith("pages ") for _, text, _ in others), 20)
        self.assertEqual(sum(text.startswith("papers ") for _, text, _ in others), 40)

    def test_no_question_is_put_to_a_memory_twice_and_no_adversarial_one_at_all(self):
        few = a_set("chats", ["m1", "m2"], 5)
        same, _ = foreign.sample(few, self.others, "m")
        asked = {(memory, text) for memory, text, _ in same}
        self.assertEqual(len(asked), len(same))
        other = {"m1": "m2", "m2": "m1"}
        answerable = [query for query in few.queries if not query["adversarial"]]
        self.assertEqual(asked, {(other[query["memory_id"]], query["query"]) for query in answerable})

    def test_each_text_keeps_its_vector(self):
        vectors = {text: vector for of in (self.chats, *self.others) for _, _, text, vector in of.query_rows("m")}
        for part in foreign.sample(self.chats, self.others, "m"):
            self.assertEqual([vector for _, _, vector in part], [vectors[text] for _, text, _ in part])

    def test_it_is_the_same_each_time_and_another_for_another_set(self):
        once = foreign.sample(self.chats, self.others, "m")
        self.assertEqual(once, foreign.sample(self.chats, self.others, "m"))
        renamed = types.SimpleNamespace(**{**vars(self.chats), "name": "talks"})
        self.assertNotEqual(once, foreign.sample(renamed, self.others, "m"))


class Measure(unittest.TestCase):
    def test_own_questions_and_foreign_ones_are_asked_with_relevant_only_too(self):
        chats, papers = a_set("chats", ["m1", "m2"], 20), a_set("papers", ["p"], 100)

        def search(dataset, model, rows, options):
            # The answers of a search with a perfect relevance: own questions have the right entry, others noise.
            answers = {}
            for number, memory, text, _ in rows:
                of_this = text.startswith(f"chats {memory} ")
                full = answer(a=0.9, x=0.5) if of_this else answer(x=0.2)
                only = options.get("relevantOnly")
                answers[number] = ([] if number % 4 == 0 else full[:1]) if only and of_this else [] if only else full
            return answers, 1.0

        with unittest.mock.patch("searches.search", search):
            answers, _ = search(chats, "m", chats.query_rows("m"), {})
            # Adversarial questions do not count, whether entries are found or not.
            answers.update({n: answer(x=0.0) for n, query in enumerate(chats.queries) if query["adversarial"]})
            figures = foreign.measure(chats, [papers], "m", {}, answers)
        self.assertEqual((figures.asked, figures.of_same_set), (foreign.ASKED, foreign.ASKED // 2))
        self.assertEqual((figures.auroc, figures.unanswered), (1, 1))
        own = [n for n, query in enumerate(chats.queries) if not query["adversarial"]]
        self.assertEqual(figures.lost, sum(n % 4 == 0 for n in own) / len(own))

    def test_a_set_without_foreign_questions_has_no_figures(self):
        self.assertIsNone(foreign.measure(a_set("papers", ["p"], 5), [], "m", {}, {}))


class Bar(unittest.TestCase):
    def test_only_auroc_below_the_bar_fails(self):
        figures = {
            "good": foreign.Figures(60, 30, 0.90, 0.80, 0.05),
            "leaky": foreign.Figures(60, 30, 0.95, 0.10, 0.90),
            "blind": foreign.Figures(60, 30, 0.8999, 1.0, 0.0),
        }
        results = [{"set": name, "model": "m", "foreign": of} for name, of in figures.items()]
        (failure,) = foreign.missed([*results, {"set": "unasked", "model": "m"}])
        self.assertIn("blind with m", failure)


if __name__ == "__main__":
    unittest.main()
