"""The report, as Markdown."""

SCOPES = ("large", "medium", "small")
CLIFF = 5  # the 99th percentile may be this many times the median
_PLOTS = {
    "bench-latency.svg": "Median time of a search",
    "bench-store-size.svg": "The same memories in a store ten times as large",
    "bench-recall.svg": "Recall and time of the search by meaning",
    "bench-additions.svg": "Rows added a second",
}
_HOW = """All contestants take turns at each query, in {rounds} after one to warm up; one session each, prepared statements,
values as parameters, the embedding of the query given. Times are milliseconds as psql sees them, on the server's machine.

| column | |
|---|---|
| CPU | what the backend spent a search, mean, in ms; on a busy machine it is steadier than time |
| times hand-written | median over that of the baseline |
| pages | shared buffers that a search touches, mean |
| nearest 10 | share of the ten nearest entries that the search by meaning finds |
| words | share of BM25's best ten that the search by words finds |
"""
_CLIFFS = f"""## No plan cliff

The 99th percentile over the median, of each query's best time in the rounds: a bad plan lasts, the noise of a busy machine does
not. Above {CLIFF} it is a cliff.

"""
_BY_STORE = """## The same memories in a larger store

Median time of a search in a store of {entries:,} entries ({memories:,} memories) and in the whole one; the memories searched
are the same. memory_search answers the same bytes in both: {same} of {queries} queries.

"""
_AGREEMENT = """## The best by words, against BM25

Searches whose top ten are those of BM25 over the memory, computed anew from the lexemes, place by place (entries of equal score
are as good). memory_search is measured against BM25 with neighbour smoothing, the others against plain BM25.

"""
_INDEXES = """## Tables and indexes

The store `bench` was filled by `INSERT ... SELECT ... memory_embed(...)` at {speed} rows a second; its indexes were then built
anew, as compact as the others.

"""
_ADDED = """## Additions

Single rows, a transaction each, in a PL/pgSQL loop; {rows:,} rows each way, each with two texts of the store;
median of the turns. What GIN puts off (its pending list) is done at the end; each row's share of it is in the figures.

"""


def number(value, digits=3):
    """The number with this many significant digits, without an exponent."""
    if value is None:
        return ""
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) >= 0.001 or not value else f"{value:.4f}"


def table(header, lines):
    """A table; all columns but the first are right-aligned."""
    out = ["| " + " | ".join(header) + " |", "|---|" + "--:|" * (len(header) - 1)]
    out += ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(out) + "\n"


def markdown(found, plots):
    """The whole report."""
    parts = [_head(found)]
    parts += [_scope(found, scope) for scope in SCOPES if scope in found["scopes"]]
    parts += [
        _cliffs(found),
        _throughput(found),
        _by_store(found),
        _by_k(found),
        _agreement(found),
        _indexes(found),
        _added(found),
    ]
    parts.append(_plots(plots))
    parts.append(_contestants(found))
    return "\n".join(parts)


def _head(found):
    settings = ", ".join(f"`{name}` {value or 'none'}" for name, value in found["settings"].items())
    sizes = "; ".join(
        f"{scope}: {of['queries']} queries in {_count(of['memories'], 'memory', 'memories')} of "
        + (f"{of['least']:,}" if of["least"] == of["greatest"] else f"{of['least']:,} to {of['greatest']:,}")
        + " entries"
        for scope, of in found["scopes"].items()
    )
    return "\n".join(
        [
            "# Benchmark",
            "",
            f"{found['date']}; {found['versions']}; {found['build']}. Made by `{found['command']}`; took "
            f"{_count(round(sum(seconds for _, seconds in found['steps']) / 60), 'minute', 'minutes')}.",
            "",
            f"Texts: {found['source']}: {found['entries']:,} entries in {found['memories']:,} memories, in the order of time, "
            f"embedded by the local model. {sizes[0].upper()}{sizes[1:]}.",
            "",
            f"Settings: {settings}. Everything is in memory.",
            "",
            _HOW.format(rounds=_count(found["rounds"], "round", "rounds")),
        ]
    )


def _count(value, one, more):
    return f"{value} {one if value == 1 else more}"


def _scope(found, scope):
    of = found["scopes"][scope]
    size = f"{of['least']:,}" if of["least"] == of["greatest"] else f"{of['least']:,} to {of['greatest']:,}"
    base = next(one["name"] for one in found["contestants"] if one["baseline"])
    base_time = found["searches"][base][scope]["p50"]
    lines = []
    for one in found["contestants"]:
        name, times = one["name"], found["searches"][one["name"]][scope]
        words = found["words"].get(name, {}).get(scope)
        recall = found["recall"].get(name, {}).get(scope)
        shown = f"**{name}**" if one["ours"] else name
        lines.append(
            [
                shown,
                one["kind"],
                *(number(times[key]) for key in ("p50", "p95", "p99")),
                number(times["max"] / times["p50"], 2),
                number(times["cpu"]),
                number(times["p50"] / base_time, 2),
                number(found["buffers"][name].get(scope)),
                "" if recall is None else f"{recall:.2f}",
                "" if words is None else f"{words[2]:.2f}",
            ]
        )
    header = ["contestant", "by", "p50", "p95", "p99", "max / p50", "CPU", "times hand-written", "pages", "nearest 10", "words"]
    return f"## {scope.capitalize()} memory: {size} entries\n\n{table(header, lines)}"


def _cliffs(found):
    lines = []
    for one in found["contestants"]:
        cells = []
        for scope in SCOPES:
            times = found["searches"][one["name"]].get(scope)
            if times is None:
                cells.append("")
                continue
            ratio = times["steady_p99"] / times["steady_p50"]
            cells.append(number(ratio, 2) + (" **cliff**" if ratio > CLIFF else ""))
        lines.append([one["name"], *cells])
    return _CLIFFS + table(["contestant", *SCOPES], lines)


def _throughput(found):
    lines = []
    for name, scopes in found["throughput"].items():
        cells = []
        for scope in SCOPES:
            rates = scopes.get(scope, {})
            cells += [number(rates.get("1")), number(rates.get("2"))]
        lines.append([name, *cells])
    header = ["contestant"] + [f"{scope}, {clients}" for scope in SCOPES for clients in ("1 client", "2")]
    return f"## Searches a second\n\nThe clients run on the server's machine.\n\n{table(header, lines)}"


def _by_store(found):
    by_store, lines = found["by_store"], []
    for one in found["contestants"]:
        cells = []
        for scope in ("medium", "small"):
            tenth = by_store["times"].get(f"{one['name']}|tenth", {}).get(scope)
            full = by_store["times"].get(f"{one['name']}|full", {}).get(scope)
            cells += (
                [number(tenth["p50"]), number(full["p50"]), number(full["p50"] / tenth["p50"], 2)]
                if tenth and full
                else ["", "", ""]
            )
        lines.append([one["name"], *cells])
    header = ["contestant"] + [f"{scope}, {what}" for scope in ("medium", "small") for what in ("tenth", "whole", "ratio")]
    return _BY_STORE.format(**by_store) + table(header, lines)


def _by_k(found):
    lines = []
    for source, what in (("by_k", "entries"), ("by_candidates", "candidates")):
        for label, scopes in found[source].items():
            name, value = label.split("|")
            lines.append([name, what, value, *(number(scopes[scope]["p50"]) if scope in scopes else "" for scope in SCOPES)])
    header = ["contestant", "how many", "", *SCOPES]
    return f"## More entries, more candidates\n\nMedian time of a search.\n\n{table(header, lines)}"


def _agreement(found):
    lines = []
    for name, scopes in found["words"].items():
        cells = [f"{scopes[scope][1]} of {scopes[scope][0]}" if scope in scopes else "" for scope in SCOPES]
        lines.append([name, *cells])
    return _AGREEMENT + table(["contestant", *SCOPES], lines)


def _indexes(found):
    loaded, lines = found["loaded"], []
    for of in loaded["relations"]:
        where = f"{of['schema']}.{of['table'] or of['name']}"
        what = f"index {of['name']} ({of['method']})" if of["index"] else "the table itself"
        lines.append([where, what, number(of["bytes"] / 1e6), number(of["build_s"])])
    header = ["table", "", "MB", "build, s"]
    return _INDEXES.format(speed=number(loaded["embedded_per_s"])) + table(header, lines)


def _added(found):
    lines = []
    for figure in found["added"]:
        off, on = figure["off"], figure["on"]
        lines.append(
            [figure["what"], number(off["per_s"]), number(on["per_s"]), number(off["cpu_ms"]), number(off["wal"] / 1000)]
        )
    header = ["into", "rows/s, `synchronous_commit` off", "on", "CPU ms a row", "WAL, kB a row"]
    return _ADDED.format(rows=found["added_rows"]) + table(header, lines)


def _plots(plots):
    if not plots:
        return "No plots were drawn: matplotlib could not be installed.\n"
    return "## Plots\n\n" + "\n".join(f"![{_PLOTS.get(name, name)}]({name})" for name in plots) + "\n"


def _contestants(found):
    lines = [f"- **{one['name']}**: {one['what']}" for one in found["contestants"]]
    lines += [f"- Not measured: {line}." for line in found["skipped"]]
    steps = ", ".join(f"{what} {seconds:.0f} s" for what, seconds in found["steps"])
    return (
        "## Contestants\n\n"
        + "\n".join(lines)
        + f"\n\nThe files are in [benches/contestants](../contestants/README.md). Time taken: {steps}.\n"
    )
