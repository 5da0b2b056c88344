"""Sends SIGKILL to a server, as the kernel does when memory is short."""

import os
import signal

from harness import cluster
from harness.access import within
from harness.server import Server


def kill(server: Server, victims: str) -> None:
    """Kills the postmaster, alone or with all its processes, and waits until the last of them is gone. It stops the
    postmaster first (SIGSTOP), so that the postmaster starts no process that is not in the list, and no process id in
    the list is used again."""
    postmaster = int((server.data / "postmaster.pid").read_text().split()[0])
    os.kill(postmaster, signal.SIGSTOP)
    children = [int(pid) for pid in cluster.run(["pgrep", "-P", str(postmaster)]).split()]
    for process in [*(children if victims == "everything" else []), postmaster]:
        os.kill(process, signal.SIGKILL)
    with within(60, "the end of all its processes"):
        for process in [postmaster, *children]:
            cluster.run(["tail", f"--pid={process}", "-s", "0.05", "-f", "/dev/null"])
