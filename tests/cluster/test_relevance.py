"""Users ask questions in their own words. The entry with the answer should come first for 80 of 100 questions, and be
among the first five for 95. The local model does not reach this yet: the floors are the present results, less two
questions, and rise with the ranking.

The memories are the demo's and three more (support/relevance/memories.jsonl): a travel planner, a support desk, a
coding project, a household in German, a health diary, a family, the notes of a project's meetings. The questions
(support/relevance/questions.tsv) were written before any search, most of them without the words of the answer, and must
not be tuned to the results of searches. The beginning of its entry identifies an answer. An earlier entry with the same
content, or one that no longer holds, is no answer.

All settings are defaults: the local model, fusion, boosts. Only the time is fixed, as in the demo: to the end of the
memories, so that recency counts as it would for their users."""

import dataclasses
import sys

import pytest

from harness import cluster
from harness.server import Server, Servers

MEMORIES = [cluster.REPOSITORY / "demo/sample_memory.jsonl", cluster.SUPPORT / "relevance/memories.jsonl"]
QUESTIONS = cluster.SUPPORT / "relevance/questions.tsv"
WANTED_FIRST, WANTED_AMONG_FIVE = 0.80, 0.95
LEAST_FIRST, LEAST_AMONG_FIVE = 0.58, 0.83

SEARCH = """
    SELECT entry ->> 'rawEntry'
    FROM jsonb_array_elements(
      memory_search(%s, %s, 5, options => '{"asOf": "2026-01-01T00:00:00Z"}') -> 'entries'
    ) WITH ORDINALITY AS found (entry, place)
    ORDER BY place"""

# Whether an answer holds any word of the question, so that words can find it.
SHARES_A_WORD = """
    SELECT EXISTS (
      SELECT FROM memory.entries, unnest(%s::text[]) AS answer
      WHERE memory_id = %s AND starts_with(raw_entry, answer)
        AND tsvector_to_array(to_tsvector('memory_english', raw_entry || ' ' || coalesce(summary, '')))
          && tsvector_to_array(to_tsvector('memory_english', %s)))"""


@dataclasses.dataclass(frozen=True)
class Question:
    memory: str
    text: str
    answers: tuple[str, ...]

    def place(self, found: list[str]) -> int | None:
        """The place of the first answer among the entries found, from 1."""
        return next((place for place, entry in enumerate(found, 1) if entry.startswith(self.answers)), None)


def questions() -> list[Question]:
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()[1:]
    fields = [line.split("\t") for line in lines]
    return [Question(memory, text, tuple(answers.split(" | "))) for memory, text, answers in fields]


@pytest.fixture(scope="module")
def server(servers: Servers) -> Server:
    server = servers.start()
    server.create_extension()
    server.run("SELECT memory_create_store()")
    for file in MEMORIES:
        load = [sys.executable, str(cluster.REPOSITORY / "demo/load_memory.py"), str(file)]
        server.psql(stdin=cluster.run(load))
    return server


@dataclasses.dataclass(frozen=True)
class Asked:
    question: Question
    found: list[str]
    shares_a_word: bool

    @property
    def place(self) -> int | None:
        return self.question.place(self.found)


@pytest.fixture(scope="module")
def all_asked(server: Server) -> list[Asked]:
    """Each question with the five entries found for it."""
    asked = []
    with server.session() as session:
        for question in questions():
            found = session.column(SEARCH, question.memory, question.text)
            shares = session.value(SHARES_A_WORD, list(question.answers), question.memory, question.text)
            asked.append(Asked(question, found, shares))
    return asked


def figures(asked: list[Asked]) -> tuple[float, float]:
    """The share of questions whose answer comes first, and of those whose answer is among the first five."""
    places = [one.place for one in asked]
    return sum(place == 1 for place in places) / len(places), sum(place is not None for place in places) / len(places)


def test_each_answer_is_one_entry(server: Server):
    answers = [(question.memory, answer) for question in questions() for answer in question.answers]
    entries = "SELECT count(*) FROM memory.entries WHERE memory_id = %s AND starts_with(raw_entry, %s)"
    with server.session() as session:
        wrong = [(*answer, count) for answer in answers if (count := session.value(entries, *answer)) != 1]
    assert wrong == [], "every answer is the beginning of exactly one entry of its memory"
    assert len(questions()) >= 100, "enough questions to speak of percents"
    assert len({question.memory for question in questions()}) == 7, "every memory is asked"


def test_the_entry_that_answers_comes_first(all_asked: list[Asked], say):
    groups = {
        memory: [one for one in all_asked if one.question.memory == memory]
        for memory in dict.fromkeys(one.question.memory for one in all_asked)
    }
    groups["a word in common"] = [one for one in all_asked if one.shares_a_word]
    groups["no word in common"] = [one for one in all_asked if not one.shares_a_word]
    groups["all"] = all_asked
    for name, asked in groups.items():
        say("  {:<18} {:>3} questions: {:6.1%} first, {:6.1%} among five".format(name, len(asked), *figures(asked)))
    say(f"  wanted are {WANTED_FIRST:.0%} first, {WANTED_AMONG_FIVE:.0%} among five. Place, question, what came first:")
    for one in all_asked:
        if one.place != 1:
            came_first = one.found[0][:70] if one.found else "nothing"
            say(f"  {one.place or '-'} {one.question.memory}: {one.question.text} -> {came_first}")

    first, among_five = figures(all_asked)
    assert first >= LEAST_FIRST, f"the entry that answers is first: {first:.3f}"
    assert among_five >= LEAST_AMONG_FIVE, f"the entry that answers is among the first five: {among_five:.3f}"
