"""
Reads the answer while the body is sent. A server that refuses a body answers and closes the connection, and asyncio drops what has arrived as soon as
a write fails. So a task reads beside the writes of a connection: once something comes, they fail with the error after which the HTTP library reads the
answer. A socket of a thread keeps what has arrived, so only the async client needs this.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Optional

import anyio
from anyio.abc import TaskGroup

from ._http import httpcore

#: As the HTTP library reads.
_READ_AT_ONCE = 64 * 1024

#: Of the try that this task makes.
_tasks: ContextVar[TaskGroup] = ContextVar("tasks")


@asynccontextmanager
async def listening() -> AsyncIterator[None]:
    """Reads answers while requests are sent within it."""
    async with anyio.create_task_group() as tasks:
        token = _tasks.set(tasks)
        try:
            yield
        finally:
            _tasks.reset(token)
        tasks.cancel_scope.cancel()


async def listen_on_connections(event: str, info: Mapping[str, Any]) -> None:
    """The `trace` extension of a request. A connection may serve later requests too."""
    if event.endswith(("connect_tcp.complete", "start_tls.complete")):
        _Listened(info["return_value"])


class _Listened:
    def __init__(self, stream: Any) -> None:
        self._read, self._write = stream.read, stream.write
        #: What has arrived while the body was sent.
        self._early: Optional[bytes] = None
        #: Set at the end of the task that reads; None without one.
        self._end: Optional[anyio.Event] = None
        self._writing = anyio.CancelScope()
        stream.read, stream.write = self.read, self.write

    async def read(self, max_bytes: int, timeout: Optional[float] = None) -> Any:
        if self._end is not None:
            await self._end.wait()
            self._end = None
        early, self._early = self._early, None
        return await self._read(max_bytes, timeout) if early is None else early

    async def write(self, buffer: bytes, timeout: Optional[float] = None) -> None:
        if self._end is None:
            self._end = anyio.Event()
            _tasks.get().start_soon(self._listen, self._end)
        if self._early is None:
            with anyio.CancelScope() as self._writing:
                await self._write(buffer, timeout)
                return
        raise httpcore.WriteError("The server answered before all was sent")

    async def _listen(self, end: anyio.Event) -> None:
        try:
            self._early = await self._read(_READ_AT_ONCE)
            self._writing.cancel()
        except httpcore.NetworkError:
            # The next write or read fails with it.
            pass
        finally:
            end.set()
