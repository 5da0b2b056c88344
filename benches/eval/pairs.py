"""Do pairs of characters find more in scripts without blanks? Questions of reading tests (files in the format of SQuAD)
search the paragraph, or the sentence, that answers them, among all of the files: by words alone, with the formula and
the constants of BM25 as a search has them, once without and once with pairs of neighbouring characters.

    cargo build --release -p memory-search-analyzer --example tokens
    python3 benches/eval/pairs.py target/release/examples/tokens FILE...
"""
import collections
import json
import math
import pathlib
import random
import re
import subprocess
import sys

import comparison
import scores

ASKED = 500
SEED = 1042
K1, B = 0.9, 0.15
# Thai has no sign for the end of a sentence, and a blank between clauses.
SENTENCES = re.compile(r"[^。！？\n]+[。！？\n]?")
CLAUSES = re.compile(r"\S+(?:\s\S+)?\s*")
THAI = re.compile("[\u0e00-\u0e7f]")
BLANKLESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def load(files, of_sentences):
    """The texts, and (question, numbers of the texts that answer it)."""
    texts, asked = {}, []
    for file in files:
        for article in json.loads(pathlib.Path(file).read_text(encoding="utf-8-sig"))["data"]:
            for paragraph in article["paragraphs"]:
                whole = paragraph["context"]
                parts = CLAUSES if THAI.search(whole) else SENTENCES
                spans = [found.span() for found in parts.finditer(whole)] if of_sentences else [(0, len(whole))]
                numbered = [(a, b, texts.setdefault(whole[a:b].strip(), len(texts))) for a, b in spans]
                for question in paragraph["qas"]:
                    starts = [answer["answer_start"] for answer in question["answers"]]
                    right = {text for a, b, text in numbered if any(a <= start < b for start in starts)}
                    if right:
                        asked.append((question["question"], right))
    return list(texts), random.Random(SEED).sample(asked, min(ASKED, len(asked)))


def words(command, texts):
    """The words of each text: [(word, whether it is a pair)]."""
    lines = "".join(" ".join(text.split()) + "\n" for text in texts)
    printed = subprocess.run([command], input=lines, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    found, lines = [], printed.split("\n")[: len(texts)]
    for text, line in zip(texts, lines):
        of_text, last = [], ""
        for kind, word in (token.split(":", 1) for token in line.split()):
            is_one = kind == "Word" and BLANKLESS.match(word)
            if is_one and last and last + word in text:
                of_text.append((last + word, True))
            of_text.append((word.lower(), False))
            last = word if is_one else ""
        found.append(of_text)
    assert len(found) == len(texts), "a line of words for each text"
    return found


class Index:
    """The texts by their words."""

    def __init__(self, texts):
        self.holding, self.lengths = collections.defaultdict(list), []
        for number, text in enumerate(texts):
            counts = collections.Counter(text)
            self.lengths.append(len(counts))
            for word, count in counts.items():
                self.holding[word].append((number, count))
        average = sum(self.lengths) / len(self.lengths)
        self.norms = [K1 * (1 - B + B * length / average) for length in self.lengths]

    def search(self, question):
        """The ten best texts, of equal ones the first."""
        found = collections.defaultdict(float)
        for word in set(question):
            holding = self.holding.get(word, [])
            idf = math.log(1 + (len(self.lengths) - len(holding) + 0.5) / (len(holding) + 0.5))
            for number, count in holding:
                found[number] += idf * count * (K1 + 1) / (count + self.norms[number])
        return sorted(found, key=lambda number: (-found[number], number))[: scores.TOP]


def measure(command, files, of_sentences):
    """A line for each of the two."""
    texts, asked = load(files, of_sentences)
    of_texts, of_questions = words(command, texts), words(command, [question for question, _ in asked])
    before = None
    for with_pairs in (False, True):
        chosen = lambda all_words: [word for word, is_pair in all_words if with_pairs or not is_pair]
        index = Index([chosen(text) for text in of_texts])
        gains, recalls = {}, []
        for number, question in enumerate(of_questions):
            right = asked[number][1]
            found = index.search(chosen(question))
            gains[number] = scores.ndcg({"relevant": right}, found)
            recalls.append(len(right.intersection(found)) / len(right))
        mean = sum(gains.values()) / len(gains)
        difference = comparison.compare(before, gains) if before else ""
        before = gains
        print(f"{'sentences' if of_sentences else 'paragraphs'} {len(texts)}, questions {len(asked)}, "
              f"{'with pairs' if with_pairs else 'single characters'}: nDCG@10 {mean:.3f} {difference}, "
              f"recall@10 {sum(recalls) / len(recalls):.3f}, words of a text {sum(index.lengths) / len(texts):.0f}, "
              f"postings {sum(index.lengths)}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for of_sentences in (False, True):
        measure(sys.argv[1], sys.argv[2:], of_sentences)
