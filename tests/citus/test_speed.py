"""How long a search takes on each node, times a single server with the same rows, in turns. Prints a table and judges
little: figures are for the guide."""

import statistics
import time

from nodes import QUERIES, Cluster, search

SIZES = {100: 3, 5_000: 3, 50_000: 2}


def test_speed(cluster: Cluster, say):
    memories = {size: [f"s{size}n{number}" for number in range(count)] for size, count in SIZES.items()}
    for size, names in memories.items():
        for name in names:
            cluster.add(name, size)
    cluster.settle()
    ratios = {}
    for size, names in memories.items():
        best: dict[tuple[str, str, str], float] = {}
        for _ in range(8):
            for name in names:
                ways = {
                    "single": cluster.single,
                    "holder": cluster.holder(name),
                    "coordinator": cluster.coordinator,
                    "other worker": cluster.other(name),
                }
                with cluster.single.session() as a, ways["holder"].session() as b:
                    with cluster.coordinator.session() as c, ways["other worker"].session() as d:
                        for way, session in zip(ways, (a, b, c, d)):
                            for query in QUERIES[:5] * 2:
                                question = search(name, query)
                                begun = time.perf_counter()
                                session.value(question)
                                key = (way, name, query)
                                best[key] = min(best.get(key, 9.0), time.perf_counter() - begun)
        of = {
            way: statistics.median(value for key, value in best.items() if key[0] == way)
            for way in ("single", "holder", "coordinator", "other worker")
        }
        ratios[size] = {way: value / of["single"] for way, value in of.items()}
        say(f"{size:6} entries: single {of['single'] * 1000:.2f} ms; times that: "
            + ", ".join(f"{way} {ratio:.2f}" for way, ratio in ratios[size].items() if way != "single"))
    assert all(of["holder"] < 1.5 for of in ratios.values()), "read in place"
    assert all(of["other worker"] < 4 for of in ratios.values()), "one round trip"
