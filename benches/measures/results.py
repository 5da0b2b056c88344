"""Figures with their upper bounds and the statements that measured them, as Markdown."""
import datetime
import json


def note(file, what, figure, unit, how, bar=None):
    """Writes one figure down; `bar` is the most it may be."""
    with open(file, "a", encoding="utf-8") as out:
        record = {"what": what, "figure": figure, "unit": unit, "how": how, "bar": bar}
        out.write(json.dumps(record) + "\n")
    print(f"  {what}: {_shown(figure)} {unit}", flush=True)


def percentile(values, share):
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def _shown(figure):
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}" if abs(figure) < 1 else f"{figure:.1f}"


def read(file):
    """The figures noted."""
    with open(file, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def missed(records):
    """The records that miss their bar."""
    return [record for record in records if record["bar"] is not None and record["figure"] > record["bar"]]


def markdown(records, measured, corpus):
    """The report."""
    lines = [
        "# How fast the search is",
        "",
        f"{datetime.date.today().isoformat()}; {measured}; made by `benches/run_measures.sh`.",
        f"Texts: {corpus}. One client; everything in memory; `fsync` off.",
        "",
        "| what | figure | bar | how |",
        "|---|--:|--:|---|",
    ]
    for record in records:
        bar = ""
        if record["bar"] is not None:
            bar = f"<= {record['bar']:g} " + ("**MISSED**" if record in missed([record]) else "ok")
        lines.append(f"| {record['what']} | {_shown(record['figure'])} {record['unit']} | {bar} | {record['how']} |")
    return "\n".join(lines) + "\n"
