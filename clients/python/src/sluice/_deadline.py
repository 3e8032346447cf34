"""
A deadline for a whole try. The HTTP library only has a timeout for each read and write, which a server that sends byte by byte never
reaches. So each read and write gets the time that is left. Only the synchronous client needs this: an event loop can cancel a try.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Callable, Optional

#: Bytes of one write. The library sends a longer one in parts, each with the whole timeout.
_WRITTEN_AT_ONCE = 64 * 1024


class Deadline(threading.local):
    """The deadline of the try that this thread makes."""

    _end: Optional[float] = None

    @property
    def extensions(self) -> Mapping[str, Any]:
        """Of a request that keeps to it."""
        return {"trace": self.trace}

    @contextmanager
    def within(self, timeout: float) -> Iterator[Callable[[], None]]:
        """`timeout`: seconds. Gives what begins them again."""

        def begin() -> None:
            self._end = time.monotonic() + timeout

        begin()
        try:
            yield begin
        finally:
            self._end = None

    def left(self) -> Optional[float]:
        """Seconds that are left; None outside of a try. Raises `TimeoutError` after the deadline."""
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """The `trace` extension of a request. Puts the deadline on the streams of new connections, which may serve later requests too."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._bound(info["return_value"])

    def _bound(self, stream: Any) -> None:
        read, write = stream.read, stream.write

        def bounded_read(max_bytes: int, timeout: Optional[float] = None) -> Any:
            return read(max_bytes, self.left() or timeout)

        def bounded_write(buffer: bytes, timeout: Optional[float] = None) -> None:
            for at in range(0, len(buffer), _WRITTEN_AT_ONCE):
                write(buffer[at : at + _WRITTEN_AT_ONCE], self.left() or timeout)

        stream.read, stream.write = bounded_read, bounded_write


def late(timeout: float) -> TimeoutError:
    return TimeoutError(f"no whole answer within {timeout:g} s")
