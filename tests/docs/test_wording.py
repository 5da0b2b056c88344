"""A wording that makes a reader stop is reported with its line and a better wording; plain sentences are not."""

import unittest

import check_wording


class Wording(unittest.TestCase):
    def rules(self, text: str) -> list[tuple[int, str]]:
        return [(line, better) for line, _, better in check_wording.faults(text)]

    def refused(self, sentence: str) -> None:
        self.assertEqual(len(self.rules(f"First.\n\n{sentence}\n")), 1, sentence)

    def test_sentences_without_a_noun_at_their_beginning_are_reported(self) -> None:
        for sentence in [
            "Who wants fewer pages calls `CLUSTER`.",
            "What has no field goes as JSON.",
            "Whose rows are hidden is not asked.",
            "Whatever breaks off, nothing is lost.",
            "Of metadata the index holds the scalars.",
            "Nor is a setting that a user may set.",
            "Where the model is missing, words count.",
            "- What waits is embedded.",
            "| a | What waits is embedded. |",
            "It ends. *Who* leaves a page cancels it.",
        ]:
            self.refused(sentence)

    def test_phrases_are_reported_wherever_they_are(self) -> None:
        for sentence in ["This is the same of one entry.", "It runs as whoever searches.", "All but for one are read."]:
            self.refused(sentence)

    def test_a_fourth_semicolon_is_reported(self) -> None:
        self.assertEqual(self.rules("a; b; c; d.\n"), [])
        self.refused("a; b; c; d; e.")

    def test_questions_headings_code_and_comments_are_free(self) -> None:
        for text in [
            "What does it write?\n",
            "# What runs\n",
            "`What is quoted` is code.\n",
            "```text\nWho wants; a; b; c; d; e\n```\n",
            "<!-- What\nis hidden -->\nIt runs.\n",
            "It says what to do.\n",
            "Of course it runs.\n",
        ]:
            self.assertEqual(self.rules(text), [], text)

    def test_the_line_is_the_paragraphs(self) -> None:
        text = "# Title\n\n```sh\nls\n```\n\nOne line,\nanother.\n\n- one\n- What waits is embedded,\n  too.\n"
        self.assertEqual([line for line, _ in self.rules(text)], [11])

    def test_the_pages_that_are_named_exist(self) -> None:
        pages = check_wording.pages([f"{check_wording.REPOSITORY}/{path}" for path in check_wording.PATHS])
        self.assertGreater(len(pages), 20)


if __name__ == "__main__":
    unittest.main()
