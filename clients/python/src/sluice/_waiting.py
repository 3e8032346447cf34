"""How the client of a thread waits. `_async_waiting.py` is the same for an event loop."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any, Callable, Optional

from ._deadline import Deadline
from ._input import Group, Named, Reading, Records, groups_of, records_in
from ._input import whole_body as body_of

__all__ = ["Deadline", "Sleep", "body_of", "next_group", "opened_groups", "sleep"]

Sleep = Callable[[float], object]
sleep = time.sleep


def opened_groups(
    data: Any, named: Named, reading: Reading, most: int
) -> tuple[Records, Generator[Group, None, None]]:
    records = records_in(data, named, reading, most)
    return records, groups_of(records, named, most)


def next_group(groups: Generator[Group, None, None]) -> Optional[Group]:
    return next(groups, None)
