"""Work that is repeated in the background."""

import threading
from collections.abc import Callable


class Repeated:
    """Calls a function repeatedly in its own thread."""

    def __init__(self, call: Callable[[], object]) -> None:
        self._call = call
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, pause: float) -> None:
        """Starts to call it at this interval in seconds."""

        def run() -> None:
            while not self._end.wait(pause):
                self._call()

        self._end.clear()
        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def stop(self, timeout: float | None = None) -> bool:
        """Stops the calls; true when they have ended."""
        self._end.set()
        if self._thread:
            self._thread.join(timeout)
        return not (self._thread and self._thread.is_alive())
