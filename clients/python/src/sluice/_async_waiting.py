"""How the client of an event loop, of asyncio or trio, waits. Files and frames are read in threads. `_waiting.py` is the same for threads."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Callable, Optional

import anyio
from anyio.to_thread import run_sync

from ._early_answer import listen_on_connections, listening
from ._flows import Stream
from ._input import (
    GROUP_SIZE,
    MAX_ROWS,
    Group,
    Named,
    Reading,
    Records,
    grouper_for,
    groups_of,
    headers_of,
    records_in,
    row_bytes,
)
from ._long import Long, Sending, Sized, given, long_body, sized_body
from ._waiting import InputFailure as InputFailure

AsyncSleep = Callable[[float], Awaitable[object]]
sleep = anyio.sleep


class AsyncDeadline:
    """The event loop cancels a try."""

    #: Of a request whose answer may come before all of it is sent.
    extensions: Mapping[str, Any] = {"trace": listen_on_connections}

    @asynccontextmanager
    async def within(self, timeout: float) -> AsyncIterator[Callable[[], None]]:
        """`timeout`: seconds. Gives what begins them again."""
        failure: Optional[Exception] = None
        with anyio.fail_after(timeout) as scope:

            def begin() -> None:
                scope.deadline = anyio.current_time() + timeout

            # A task group raises groups of errors.
            async with listening():
                try:
                    yield begin
                except Exception as error:
                    failure = error
        if failure is not None:
            raise failure

    def left(self) -> None:
        pass


async def sized_of(data: Any, named: Named, whole: Named, reading: Reading, most: int) -> Sized:
    rows = given(data)
    if not hasattr(rows, "__aiter__"):
        return await run_sync(sized_body, data, named, whole, reading, most)
    begin: list[Any] = []
    rest = rows.__aiter__()
    async for row in rest:
        begin.append(row)
        if len(begin) > MAX_ROWS:
            return Sized(None, _long_rows(lambda: _resumed(begin, rest), whole, False))
    return await run_sync(sized_body, begin, named, whole, reading, most)


async def long_of(data: Any, named: Optional[Named], reading: Reading, most: int) -> Long:
    rows = given(data)
    if not hasattr(rows, "__aiter__"):
        return await run_sync(long_body, data, named, reading, most)
    return _long_rows(lambda: given(data), named, rows is not data)


def _long_rows(rows: Callable[[], Any], named: Optional[Named], again: bool) -> Long:
    headers = headers_of("json", named, None, None)
    return Long(headers, lambda sending: _pieces(rows(), sending), again, True)


async def _resumed(begin: list[Any], rest: Any) -> AsyncIterator[Any]:
    for row in begin:
        yield row
    async for row in rest:
        yield row


async def _pieces(rows: Any, sending: Sending) -> AsyncIterator[bytes]:
    group: Group = []
    number = 0
    async for row in rows:
        number += 1
        group.append(row_bytes(row, number))
        if len(group) == GROUP_SIZE:
            yield sending.piece(group)
            group = []
    if group:
        yield sending.piece(group)
    yield sending.end()


async def pieces_of(stream: Stream, begin: Callable[[], None]) -> AsyncIterator[bytes]:
    """Each piece has the whole timeout."""
    pieces = stream.open()
    try:
        async for piece in pieces if hasattr(pieces, "__aiter__") else _read_in_threads(pieces):
            begin()
            yield piece
    except Exception as error:
        raise InputFailure(error) from error


async def _read_in_threads(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    while True:
        piece = await run_sync(next, pieces, None)
        if piece is None:
            return
        yield piece


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
