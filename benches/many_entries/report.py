"""The figures as a page."""

import datetime

import psql


def _gb(size):
    return f"{int(size) / 1e9:.2f}"


def text(figures, build, settings):
    """Markdown."""
    load, cold, warm, writes = (figures[step] for step in ("load", "cold", "warm", "writes"))
    sizes = [f"| `{name}`{f', {method}' if method else ''} | {_gb(size)} |" for name, method, size in load["sizes"] if int(size) > 5e6]
    total = sum(int(size) for _, _, size in load["sizes"])
    named = ", ".join(f"`{line}`" for line in settings.splitlines())
    lines = [
        "# Many memories of few entries",
        "",
        f"{datetime.date.today()}; {psql.versions()}; {build}. Made by `benches/run_many_entries.sh {load['entries']} {load['memories']}`.",
        "",
        f"{load['entries']:,} entries in {load['memories']:,} memories: {load['texts']:,} commit messages of public projects, over and",
        "over, embedded by the local model (256 dimensions). Each entry goes into another memory than the one before, so the rows",
        "of a memory lie as far apart as they can.",
        "",
        f"Settings: {named}.",
        "",
        "## Loading",
        "",
        "| | |",
        "|---|--:|",
        f"| rows a second, one session, 50,000 a statement | {load['per_s']:,.0f} |",
        f"| the first statement / the last one | {load['first_per_s']:,.0f} / {load['last_per_s']:,.0f} |",
        f"| CPU a row, µs | {load['cpu_us']:,.0f} |",
        f"| WAL a row, with images of pages, kB | {load['wal_bytes'] / 1000:.2f} |",
        f"| `VACUUM ANALYZE` after it, s | {load['vacuum_s']:,.0f} |",
        "",
        "## What it takes on disk",
        "",
        "| relation | GB |",
        "|---|--:|",
        *sizes,
        f"| all | {_gb(total)} |",
        "",
        "## Searches",
        "",
        "All five fields, the embedding given, of memories taken at random.",
        "",
        "| | p50, ms | p99, ms | searches | blocks in the server's buffers | blocks read |",
        "|---|--:|--:|--:|--:|--:|",
        f"| warm | {warm['p50']:.2f} | {warm['p99']:.2f} | {warm['count']:,} | {warm['blocks']:,.0f} | 0 |",
        f"| the server was just started | {cold['p50']:.2f} | {cold['p99']:.2f} | {cold['count']:,} | {cold['hit']:,.0f} | {cold['read']:,.0f} |",
        f"| beside a session that writes | {writes['p50']:.2f} | {writes['p99']:.2f} | {writes['count']:,} | | |",
        "",
        "Blocks are medians; what was read came from the operating system's cache. Times of a server that was just started are",
        "the executor's, the others psql's.",
        "",
        "## Beside a session that writes",
        "",
        f"It adds an entry at a time to a memory taken at random, and touches every fourth, changes every eighth and deletes every",
        f"sixteenth of them, for {writes['seconds']} seconds; every call is a transaction.",
        "",
        "| | |",
        "|---|--:|",
        f"| entries added a second | {writes['added_per_s']:,.0f} |",
        f"| WAL for each, with what is done to it and images of pages, kB | {writes['wal_bytes'] / 1000:.2f} |",
        f"| times that autovacuum worked on a table of the store | {writes['vacuums']} |",
        f"| dead rows at the end | {writes['dead']:,} |",
        "",
    ]
    return "\n".join(lines)
