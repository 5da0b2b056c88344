#!/usr/bin/env python3
"""Draws the plots of the report: plots.py FIGURES.json FOLDER. Needs matplotlib."""

import io
import json
import pathlib
import sys

import matplotlib

matplotlib.use("svg")
# Text stays text, and the same figures give the same file.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "memory_search", "font.size": 9})
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

from compact_svg import compact  # noqa: E402

SCOPES = ("large", "medium", "small")
OURS, BASELINE, OTHERS = "#0b6e4f", "#c44536", "#8d99ae"


def main():
    found = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    folder = pathlib.Path(sys.argv[2])
    for name, draw in (("latency", latency), ("store-size", store_size), ("recall", recall), ("additions", additions)):
        figure = draw(found)
        drawing = io.StringIO()
        figure.savefig(drawing, metadata={"Date": None}, bbox_inches="tight")
        (folder / f"bench-{name}.svg").write_text(compact(drawing.getvalue()), encoding="utf-8")
        plt.close(figure)


def plain(panel):
    """Numbers on logarithmic axes as people write them."""
    for axis, scale in ((panel.xaxis, panel.get_xscale()), (panel.yaxis, panel.get_yscale())):
        if scale == "log":
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())


def colour(one):
    return OURS if one["ours"] else BASELINE if one["baseline"] else OTHERS


def latency(found):
    """Bars from p50, with a line to p95, a panel for each size of memory."""
    scopes = [scope for scope in SCOPES if scope in found["scopes"]]
    figure, panels = plt.subplots(
        1, len(scopes), figsize=(4 * len(scopes), 0.32 * len(found["contestants"]) + 1.2), sharey=True, squeeze=False
    )
    for panel, scope in zip(panels[0], scopes):
        for place, one in enumerate(reversed(found["contestants"])):
            times = found["searches"][one["name"]][scope]
            panel.barh(place, times["p50"], color=colour(one))
            panel.plot([times["p50"], times["p95"]], [place, place], color="black", linewidth=1)
        panel.set_xscale("log")
        plain(panel)
        panel.set_title(f"{scope} memory")
        panel.set_xlabel("ms: p50, line to p95")
    panels[0][0].set_yticks(range(len(found["contestants"])), [one["name"] for one in reversed(found["contestants"])])
    return figure


def store_size(found):
    """From the smaller store to the whole one, a line for each contestant."""
    times = found["by_store"]["times"]
    scopes = [scope for scope in SCOPES if any(scope in of_scopes for of_scopes in times.values())]
    figure, panels = plt.subplots(1, len(scopes), figsize=(5.5 * len(scopes), 4.2), squeeze=False)
    sizes = (found["by_store"]["entries"], found["entries"])
    for panel, scope in zip(panels[0], scopes):
        ends = []
        for one in found["contestants"]:
            of = [times.get(f"{one['name']}|{which}", {}).get(scope) for which in ("tenth", "full")]
            if all(of):
                panel.plot(
                    sizes,
                    [summary["p50"] for summary in of],
                    marker="o",
                    color=colour(one),
                    linewidth=2.5 if one["name"] == "memory_search" else 1,
                )
                ends.append((of[1]["p50"], one))
        panel.set_xscale("log")
        panel.set_yscale("log")
        plain(panel)
        panel.set_title(f"the same {scope} memories")
        panel.set_xlabel("entries of the store")
        panel.set_xticks(sizes, [f"{size:,}" for size in sizes])
        panel.set_ylabel("p50, ms")
        # The names are beside the ends of their lines, moved up if they would overlap.
        last = None
        for y, one in sorted(ends, key=lambda end: end[0]):
            place = panel.transAxes.inverted().transform(panel.transData.transform((sizes[1], y)))[1]
            last = place if last is None else max(place, last + 0.045)
            panel.annotate(one["name"], (1.01, last), xycoords="axes fraction", fontsize=7, color=colour(one), va="center")
    figure.subplots_adjust(wspace=0.55)
    return figure


def recall(found):
    """Recall over time; a colour for each contestant, a mark for each size of memory."""
    figure, panel = plt.subplots(figsize=(7, 3.8))
    marks = dict(zip(SCOPES, "so^"))
    measured = [one for one in found["contestants"] if one["name"] in found["recall"]]
    for place, one in enumerate(measured):
        hue = OURS if one["ours"] else BASELINE if one["baseline"] else f"C{place}"
        for scope, share in found["recall"][one["name"]].items():
            panel.plot(found["searches"][one["name"]][scope]["p50"], share, marks[scope], color=hue, markersize=7)
        panel.plot([], [], "D", color=hue, label=one["name"])
    for scope, mark in marks.items():
        panel.plot([], [], mark, color="black", label=f"{scope} memory")
    panel.set_xscale("log")
    plain(panel)
    panel.set_xlabel("p50, ms")
    panel.set_ylabel("share of the ten nearest found")
    panel.set_ylim(0, 1.05)
    panel.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return figure


def additions(found):
    """Rows a second, with asynchronous commit."""
    figure, panel = plt.subplots(figsize=(6, 0.35 * len(found["added"]) + 1))
    for place, of in enumerate(reversed(found["added"])):
        panel.barh(place, of["off"]["per_s"], color=OURS if of["what"].startswith("store") else OTHERS)
        panel.annotate(
            f"{of['off']['per_s']:,.0f}", (of["off"]["per_s"], place), textcoords="offset points", xytext=(4, -3), fontsize=8
        )
    panel.set_yticks(range(len(found["added"])), [of["what"].replace("`", "") for of in reversed(found["added"])])
    panel.set_xlabel("rows a second, one a transaction, synchronous_commit off")
    panel.margins(x=0.15)
    return figure


if __name__ == "__main__":
    main()
