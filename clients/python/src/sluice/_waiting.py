"""How the client of a thread waits. `_async_waiting.py` is the same for an event loop."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from typing import Any, Callable, Optional

from ._deadline import Deadline
from ._flows import Stream
from ._input import Group, Named, Reading, Records, groups_of, records_in
from ._long import long_body as long_of
from ._long import sized_body as sized_of

__all__ = [
    "Deadline",
    "InputFailure",
    "Sleep",
    "long_of",
    "next_group",
    "opened_groups",
    "pieces_of",
    "sized_of",
    "sleep",
]

Sleep = Callable[[float], object]
sleep = time.sleep


def opened_groups(
    data: Any, named: Named, reading: Reading, most: int
) -> tuple[Records, Generator[Group, None, None]]:
    records = records_in(data, named, reading, most)
    return records, groups_of(records, named, most)


def next_group(groups: Generator[Group, None, None]) -> Optional[Group]:
    return next(groups, None)


class InputFailure(Exception):
    """The input raised `error` while it was sent."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def pieces_of(stream: Stream, begin: Callable[[], None]) -> Iterator[bytes]:
    """Each piece has the whole timeout."""
    try:
        for piece in stream.open():
            begin()
            yield piece
    except Exception as error:
        raise InputFailure(error) from error
