"""The costs of the embedder in a session: time of a call, time of the first call, private memory."""
import re
import statistics

from psql import literal, rows, run, value
import psql
import results

CALLS = 10_000
WORDS = 20
REPETITIONS = 7

# Bars: milliseconds of a call; milliseconds and MB of the first call, without and with preload.
CALL_MS = 0.1
FIRST_CALL_MS = {False: 150, True: 5}
GROWTH_MB = {False: 30, True: 4}


def measure(corpus, preloaded, out):
    """All three, on a server that has the library in shared_preload_libraries, or not."""
    texts = corpus.texts(CALLS, WORDS)
    state = "preloaded" if preloaded else "not preloaded"
    # The statement's own first use must not find a cold file cache.
    value(f"SELECT vector_dims(memory_embed({literal(texts[0])}))")
    if not preloaded:
        _calls(texts, out)
    _first_call(texts[0], preloaded, state, out)
    _growth(texts, preloaded, state, out)


def _calls(texts, out):
    loop = "SELECT sum(vector_dims(memory_embed(text))) FROM texts"
    bare = "SELECT sum(length(text)) FROM texts"
    script = ["CREATE TEMP TABLE texts (text text);", psql.copy("texts", ((text,) for text in texts))]
    script += [f"{bare};", f"{loop};", "\\timing on"]
    script += [f"{bare};\n{loop};"] * REPETITIONS
    times = _times(run("\n".join(script)))
    per_call = [(with_it - without) * 1000 / CALLS for without, with_it in zip(times[::2], times[1::2])]
    how = f"`{loop}` less `{bare}`, {CALLS:,} different texts, one session; median of {REPETITIONS}"
    results.note(out, f"`memory_embed` of {WORDS} words", statistics.median(per_call), "µs", how, CALL_MS * 1000)


def _first_call(text, preloaded, state, out):
    statement = f"SELECT vector_dims(memory_embed({literal(text)}));"
    times = [_times(run(f"\\timing on\n{statement}"))[0] for _ in range(REPETITIONS)]
    how = f"psql's `\\timing` of the first statement of a session, `SELECT memory_embed('...')`; of {REPETITIONS} sessions"
    results.note(out, f"first call, {state}, median", statistics.median(times), "ms", how, FIRST_CALL_MS[preloaded])
    results.note(out, f"first call, {state}, best", min(times), "ms", "the same")


def _growth(texts, preloaded, state, out):
    look = "SELECT replace(pg_read_file('/proc/self/smaps_rollup'), E'\\n', ' ');"
    script = [look, look, f"SELECT vector_dims(memory_embed({literal(texts[0])}));", look]
    script += ["CREATE TEMP TABLE texts (text text);", psql.copy("texts", ((text,) for text in texts))]
    script += ["SELECT sum(length(text)) FROM texts;", look, "SELECT sum(vector_dims(memory_embed(text))) FROM texts;", look]
    looks = [line for (line,) in rows("\n".join(script)) if "Private_Dirty" in line]
    _, before, after_one, before_many, after_many = looks

    def growth(field, since, until):
        return _megabytes(until, field) - _megabytes(since, field)

    dirty, clean = (growth(field, before, after_one) for field in ("Private_Dirty", "Private_Clean"))
    how = (
        "`Private_Dirty` + `Private_Clean` of `pg_read_file('/proc/self/smaps_rollup')`, after less before, the only session: "
        f"{dirty:.1f} dirty (memory of its own) + {clean:.1f} clean (pages of files that no other session has mapped yet)"
    )
    results.note(out, f"memory of a session, {state}: first call", dirty + clean, "MB", how, GROWTH_MB[preloaded])
    dirty, clean = (growth(field, before_many, after_many) for field in ("Private_Dirty", "Private_Clean"))
    how = f"the same: {dirty:.1f} dirty + {clean:.1f} clean, the model's file as words touch it"
    results.note(out, f"memory of a session, {state}: {CALLS:,} more calls", dirty + clean, "MB", how)


def _megabytes(smaps, field):
    return int(re.search(rf"{field}: +(\d+) kB", smaps).group(1)) / 1024


def _times(output):
    return [float(ms) for ms in re.findall(r"^Time: ([\d.]+) ms", output, re.MULTILINE)]
