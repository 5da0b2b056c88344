"""Times searches. All contestants take turns at every query, so that a busy moment of the machine affects all
equally."""

import dataclasses
import json
import pathlib
import random
import statistics
import tempfile
import time

from psql import literal

from session import Session, together

_SEED = 4711


@dataclasses.dataclass
class Entrant:
    """A contestant that takes turns, perhaps in another database, with another number of entries or statement."""

    label: str
    contestant: object
    database: str
    k: int = 5
    settings: str = ""  # more statements for the session, the prepared `search` among them
    statement: str = "search"

    def open(self):
        return Session(self.database, f"{self.contestant.prepare()}\n{self.settings}")

    def execute(self, query, section=None, k=None):
        """A search as SQL."""
        values = f"{literal(query.memory_id)}, {literal(query.text)}, '{query.embedding}', {k or self.k}"
        return f"EXECUTE {section or self.statement}({values});"


@dataclasses.dataclass
class Times:
    """The times of one entrant's searches in one scope, by query."""

    ms: dict = dataclasses.field(default_factory=dict)
    cpu: list = dataclasses.field(default_factory=list)

    def summary(self):
        every = [ms for of_query in self.ms.values() for ms in of_query]
        # The best of the rounds is the cost of the query with its plan; the rest of the other rounds' times is noise of
        # the machine.
        steady = [min(of_query) for of_query in self.ms.values()]
        return {
            "n": len(every),
            "p50": percentile(every, 50),
            "p95": percentile(every, 95),
            "p99": percentile(every, 99),
            "max": max(every),
            "mean": statistics.fmean(every),
            "steady_p50": percentile(steady, 50),
            "steady_p99": percentile(steady, 99),
            "cpu": statistics.fmean(self.cpu) if self.cpu else None,
        }


def percentile(values, share):
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def race(entrants, queries, rounds):
    """{entrant's label: {scope: summary}}, after one round to warm up, in which plans settle."""
    sessions = [entrant.open() for entrant in entrants]
    times = {entrant.label: {} for entrant in entrants}
    chance = random.Random(_SEED)
    # The CPU time of a search is read when the session's next search begins, because it is complete only then.
    pending = [None] * len(entrants)

    def settle(place):
        if pending[place]:
            of_scope, before = pending[place]
            after = sessions[place].cpu_ms()
            if before is not None and after is not None:
                of_scope.cpu.append(after - before)
            pending[place] = None

    for number in range(rounds + 1):
        order = list(range(len(queries)))
        chance.shuffle(order)
        for turn, at in enumerate(order):
            query = queries[at]
            for step in range(len(entrants)):
                place = (turn + step) % len(entrants)
                settle(place)
                before = sessions[place].cpu_ms()
                ms = sessions[place].timed(entrants[place].execute(query))
                if number:
                    of_scope = times[entrants[place].label].setdefault(query.scope, Times())
                    of_scope.ms.setdefault(at, []).append(ms)
                    pending[place] = (of_scope, before)
    for place, session in enumerate(sessions):
        settle(place)
        session.close()
    return {label: {scope: of_scope.summary() for scope, of_scope in scopes.items()} for label, scopes in times.items()}


def buffers(entrants, queries):
    """Pages that a search touches, {label: {scope: mean}}, also by statements inside functions."""
    counted = {}
    for entrant in entrants:
        with entrant.open() as session:
            pages = {}
            for number, query in enumerate(queries):
                if number < 6:  # plans settle, and the catalogs come into the session's caches
                    session.timed(entrant.execute(query))
            for query in queries:
                lines = session.rows(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {entrant.execute(query)}")
                plan = json.loads("\n".join("\t".join(line) for line in lines))[0]["Plan"]
                pages.setdefault(query.scope, []).append(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
            counted[entrant.label] = {scope: statistics.fmean(counts) for scope, counts in pages.items()}
    return counted


def throughput(entrants, queries, timed, seconds, clients=(1, 2)):
    """Searches a second with this many concurrent sessions, {label: {scope: {clients: rate}}}."""
    rates = {}
    with tempfile.TemporaryDirectory() as folder:
        for entrant in entrants:
            for scope, summary in timed[entrant.label].items():
                of_scope = [query for query in queries if query.scope == scope]
                count = max(len(of_scope), int(seconds * 1000 / summary["mean"]))
                script = pathlib.Path(folder) / "searches.sql"
                _write_searches(script, entrant, of_scope, count)
                for number in clients:
                    begun = time.time() + 0.3
                    script_of = [pathlib.Path(folder) / f"client{n}.sql" for n in range(number)]
                    for file in script_of:
                        file.write_text(f"\\set begin {begun}\n\\i {script}\n", encoding="utf-8")
                    printed = together([(entrant.database, file) for file in script_of])
                    spans = [(float(lines[0]), float(lines[-1])) for lines in printed]
                    elapsed = max(end for _, end in spans) - min(start for start, _ in spans)
                    rates.setdefault(entrant.label, {}).setdefault(scope, {})[str(number)] = count * number / elapsed
    return rates


def _write_searches(file, entrant, queries, count):
    clock = "SELECT extract(epoch FROM clock_timestamp());"
    searches = [entrant.execute(query) for query in queries]
    with open(file, "w", encoding="utf-8") as out:
        out.write(f"{entrant.contestant.prepare()}\n{entrant.settings}\n\\o /dev/null\n")
        out.write("\n".join(searches[n % len(searches)] for n in range(8)))
        out.write("\nSELECT pg_sleep(greatest(0, :begin - extract(epoch FROM clock_timestamp())));")
        out.write(f"\n\\o\n{clock}\n\\o /dev/null\n")
        for number in range(count):
            out.write(searches[number % len(searches)] + "\n")
        out.write(f"\\o\n{clock}\n")
