"""The quality of searches, compared with the nearest rows by an exact scan, and with a second computation of BM25.

BM25 is computed here from the stored lexemes alone, with the constants and the rule for neighbouring entries in
docs/ranking.md ("Neighbour smoothing").
"""

import collections
import math

from psql import literal

from session import Session

DEPTH = 10
K1, B = 0.9, 0.15
WEIGHT = {"A": 1.5, "B": 1.0, "C": 1.0, "D": 0.5}
_BORROWED_BEFORE, _BORROWED_AFTER = (0.7, 0.5), (0.3, 0.2)
_GAP_S = 1800
_COMMON_SHARE, _LIFT, _LIFT_PRIOR = 0.2, (1.2, 1.5), 2.0

_EXACT = """
SELECT distance FROM (SELECT embedding <=> '{embedding}'::halfvec AS distance FROM bench.entries
  WHERE memory_id = {memory} AND embedding IS NOT NULL OFFSET 0) every ORDER BY distance LIMIT {depth};
"""
_DISTANCES = """
SELECT embedding <=> '{embedding}'::halfvec FROM unnest('{ids}'::uuid[]) WITH ORDINALITY AS found(id, place)
  JOIN bench.entries ON memory_id = {memory} AND entry_id = id ORDER BY place;
"""
# The lexemes that a search makes of the texts of an entry, by plain SQL: once, for all queries.
_MAKE_WORDS = """
CREATE TEMP TABLE oracle_words AS
SELECT memory_id, entry_id, creation_time, entry_order, setweight(to_tsvector('memory_english', coalesce(summary, '')), 'A')
    || setweight(to_tsvector('memory_english', raw_entry), 'B')
    || setweight(to_tsvector('memory_english', array_to_string(tags, ' ')), 'C')
    || setweight(jsonb_to_tsvector('memory_english', metadata, '["all"]'), 'D') AS words
  FROM bench.entries WHERE memory_id IN ({memories});
CREATE INDEX ON oracle_words (memory_id);
ANALYZE oracle_words;
"""
_ENTRIES = "(SELECT * FROM oracle_words WHERE memory_id = {memory} OFFSET 0) entries"
_COLLECTION = f"SELECT count(*), avg(length(words)) FROM {_ENTRIES};"
_WORDS = f"""
SELECT entry_id, extract(epoch FROM creation_time), entry_order, length(words), lexeme, array_to_string(weights, '')
  FROM {_ENTRIES}, unnest(words)
 WHERE lexeme = ANY (tsvector_to_array(to_tsvector('memory_english', {{query}})));
"""


def recall(entrants, queries):
    """The share of the ten nearest that a contestant finds, {label: {scope: share}}. Equally near entries count as
    equally good."""
    found = {}
    for entrant in entrants:
        if "semantic" not in entrant.contestant.sections:
            continue
        with entrant.open() as session:
            shares = collections.defaultdict(list)
            for query in queries:
                memory = literal(query.memory_id)
                exact = [
                    float(d) for (d,) in session.rows(_EXACT.format(embedding=query.embedding, memory=memory, depth=DEPTH))
                ]
                ids = [row[0] for row in session.rows(entrant.execute(query, "semantic", DEPTH))]
                listed = "{" + ",".join(ids) + "}"
                distances = [
                    float(d) for (d,) in session.rows(_DISTANCES.format(embedding=query.embedding, memory=memory, ids=listed))
                ]
                shares[query.scope].append(sum(d <= exact[-1] + 1e-6 for d in distances) / len(exact))
            found[entrant.label] = {scope: sum(values) / len(values) for scope, values in shares.items()}
    return found


class Words:
    """BM25 of a memory for a query: `plain`, and `nearby` with neighbour smoothing."""

    def __init__(self, session, query):
        memory = literal(query.memory_id)
        count, average = (float(field) for field in session.rows(_COLLECTION.format(memory=memory))[0])
        terms, about = collections.defaultdict(dict), {}
        for entry, created, order, length, lexeme, weights in session.rows(
            _WORDS.format(memory=memory, query=literal(query.text))
        ):
            # A lexeme without a letter has the weight D.
            terms[entry][lexeme] = sum(WEIGHT[weight] for weight in weights)
            about[entry] = (float(created), int(order), float(length))
        frequency = collections.Counter(lexeme for of_entry in terms.values() for lexeme in of_entry)
        parts = {}
        for entry, of_entry in terms.items():
            norm = K1 * (1 - B + B * about[entry][2] / average)
            parts[entry] = {
                lexeme: math.log(1 + (count - frequency[lexeme] + 0.5) / (frequency[lexeme] + 0.5))
                * tf
                * (K1 + 1)
                / (tf + norm)
                for lexeme, tf in of_entry.items()
            }
        self.plain = {entry: sum(of_entry.values()) for entry, of_entry in parts.items()}
        in_time = sorted(parts, key=lambda entry: about[entry][:2])
        self.nearby = self._borrowed(in_time, parts, about, frequency)

    def _borrowed(self, in_time, parts, about, frequency):
        share = self._share(in_time, parts, frequency)
        if share <= 0:
            return self.plain
        lent = {entry: dict(of_entry) for entry, of_entry in parts.items()}
        for distance in (1, 2):
            for earlier, later in zip(in_time, in_time[distance:]):
                if about[later][0] - about[earlier][0] > _GAP_S:
                    continue
                for lender, borrower, rate in ((earlier, later, _BORROWED_BEFORE), (later, earlier, _BORROWED_AFTER)):
                    for lexeme, score in parts[lender].items():
                        lent[borrower][lexeme] = max(lent[borrower].get(lexeme, 0), share * rate[distance - 1] * score)
        return {entry: sum(of_entry.values()) for entry, of_entry in lent.items()}

    @staticmethod
    def _share(in_time, parts, frequency):
        telling = {lexeme for lexeme, rows in frequency.items() if 2 <= rows < _COMMON_SHARE * len(in_time)}
        observed = expected = 0.0
        for distance in range(1, min(2, len(in_time) - 1) + 1):
            observed += sum(len(telling & parts[a].keys() & parts[b].keys()) for a, b in zip(in_time, in_time[distance:]))
            expected += sum(frequency[lexeme] ** 2 for lexeme in telling) / len(in_time)
        lift = (observed + _LIFT_PRIOR) / (expected + _LIFT_PRIOR)
        return min(1.0, max(0.0, (lift - _LIFT[0]) / (_LIFT[1] - _LIFT[0])))


def words(entrants, queries):
    """
    {label: {scope: [searches, equal, share]}}: how many top tens have the scores of BM25's top ten, place by place,
    and which share of the entries belongs there.
    """
    found = {}
    by_words = [entrant for entrant in entrants if "keyword" in entrant.contestant.sections]
    memories = ", ".join(sorted({literal(query.memory_id) for query in queries}))
    with Session(by_words[0].database) as session:
        session.rows(_MAKE_WORDS.format(memories=memories))
        oracles = [Words(session, query) for query in queries]
    for entrant in by_words:
        # The extension is compared with BM25 with neighbour smoothing; a contestant that reads only a row's own words
        # with plain BM25.
        ours = entrant.contestant.key.startswith("memory_search")
        with entrant.open() as session:
            counts = {}
            for query, oracle in zip(queries, oracles):
                score = oracle.nearby if ours else oracle.plain
                best = sorted(score.values(), reverse=True)[:DEPTH]
                if not best:
                    continue
                ids = [row[0] for row in session.rows(entrant.execute(query, "keyword", DEPTH))]
                given = [score.get(entry, 0.0) for entry in ids]
                slack = 1e-4 * best[0]
                equal = len(given) == len(best) and all(abs(a - b) <= slack for a, b in zip(given, best))
                of_scope = counts.setdefault(query.scope, [0, 0, 0.0])
                of_scope[0] += 1
                of_scope[1] += equal
                of_scope[2] += sum(got >= best[-1] - slack for got in given) / len(best)
            found[entrant.label] = {scope: [n, equal, share / n] for scope, (n, equal, share) in counts.items()}
    return found
