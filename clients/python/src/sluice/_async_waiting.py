"""How the client of an event loop, of asyncio or trio, waits. Files and frames are read in threads. `_waiting.py` is the same for threads."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Callable, Optional

import anyio
from anyio.to_thread import run_sync

from ._input import (
    Body,
    Group,
    Named,
    Reading,
    Records,
    grouper_for,
    groups_of,
    records_in,
    row_bytes,
    whole_body,
)

AsyncSleep = Callable[[float], Awaitable[object]]
sleep = anyio.sleep


class AsyncDeadline:
    """The event loop cancels a try."""

    extensions: Mapping[str, Any] = {}

    def within(self, timeout: float) -> AbstractContextManager[object]:
        """`timeout`: seconds."""
        return anyio.fail_after(timeout)

    def left(self) -> None:
        pass


async def body_of(data: Any, named: Named, reading: Reading, most: int) -> Body:
    if hasattr(data, "__aiter__"):
        data = [row async for row in data]
    return await run_sync(whole_body, data, named, reading, most)


async def opened_groups(
    data: Any, named: Named, reading: Reading, most: int
) -> tuple[Records, AsyncGenerator[Group, None]]:
    if hasattr(data, "__aiter__"):
        records = Records("json", iter(()))
        return records, _groups_of(data, records, named, most)
    records = await run_sync(records_in, data, named, reading, most)
    return records, _in_threads(records, named, most)


async def next_group(groups: AsyncGenerator[Group, None]) -> Optional[Group]:
    try:
        return await groups.__anext__()
    except StopAsyncIteration:
        return None


async def _in_threads(records: Records, named: Named, most: int) -> AsyncGenerator[Group, None]:
    groups = groups_of(records, named, most)
    try:
        while True:
            group = await run_sync(next, groups, None)
            if group is None:
                return
            yield group
    finally:
        groups.close()


async def _groups_of(rows: Any, records: Records, named: Named, most: int) -> AsyncGenerator[Group, None]:
    grouper = grouper_for(records, named, most)
    number = 0
    try:
        async for row in rows:
            number += 1
            full = grouper.add(row_bytes(row, number))
            if full is not None:
                yield full
        rest = grouper.rest()
        if rest is not None:
            yield rest
    finally:
        close = getattr(rows, "aclose", None)
        if close is not None:
            await close()
