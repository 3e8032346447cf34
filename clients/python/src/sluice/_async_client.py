"""The client for programs with an event loop, of asyncio or trio. Files and frames are read in threads, so that the loop goes on."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Mapping
from types import TracebackType
from typing import Any, Callable, Optional, Union, cast

import anyio
from anyio.to_thread import run_sync

from ._deadline import late
from ._errors import SluiceError
from ._flows import NextGroup, Screening, all_parts, checked, holding, operation, with_rows
from ._http import httpx
from ._input import (
    Group,
    Named,
    Options,
    Reading,
    Records,
    check_source,
    grouper_for,
    groups_of,
    records_in,
    row_bytes,
    whole_body,
)
from ._operations import AsyncOperations
from ._report import Part, Report
from ._send import Answer, Flow, Pause, Request, T, check_answer, unreachable
from ._settings import MAX_BODY_BYTES, idempotency_key, settings_of, trace_headers


class AsyncSluice(AsyncOperations):
    """`Sluice` with the same methods, to be awaited. `data` may also be an async iterable of rows."""

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        token: Optional[str] = None,
        max_retries: int = 5,
        max_pause: float = 60.0,
        timeout: float = 120.0,
        max_body_bytes: int = MAX_BODY_BYTES,
        transport: Optional[httpx.AsyncBaseTransport] = None,
        sleep: Callable[[float], Awaitable[object]] = anyio.sleep,
    ) -> None:
        """Parameters are those of `Sluice`."""
        self._settings = settings_of(
            url,
            key,
            token=token,
            max_retries=max_retries,
            max_pause=max_pause,
            timeout=timeout,
            max_body_bytes=max_body_bytes,
        )
        self._sleep = sleep
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport, follow_redirects=False)

    async def __aenter__(self) -> AsyncSluice:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    def __repr__(self) -> str:
        return f"AsyncSluice({self._settings.base!r})"

    # ---- screening ----

    async def screen(
        self,
        data: Any,
        source: str,
        *,
        options: Optional[Options] = None,
        idempotency_key: Optional[str] = None,
        compress: bool = False,
        format: Optional[str] = None,
        delimiter: Optional[str] = None,
        encoding: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> Report:
        """As `Sluice.screen`."""
        screening = self._screening(idempotency_key, compress, traceparent)
        named = Named(source, options)
        reading = Reading(format, delimiter, encoding)
        check_source(source)
        if hasattr(data, "__aiter__"):
            data = [row async for row in data]
        body = await run_sync(whole_body, data, named, reading, self._settings.max_body_bytes)
        return await self._run(screening.one(body, screening.key))

    async def screen_all(
        self,
        data: Any,
        source: str,
        *,
        options: Optional[Options] = None,
        idempotency_key: Optional[str] = None,
        compress: bool = False,
        format: Optional[str] = None,
        delimiter: Optional[str] = None,
        encoding: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> AsyncIterator[Part]:
        """As `Sluice.screen_all`."""
        screening = self._screening(idempotency_key, compress, traceparent)
        check_source(source)
        named, reading, most = (
            Named(source, options),
            Reading(format, delimiter, encoding),
            self._settings.max_body_bytes,
        )
        if hasattr(data, "__aiter__"):
            records = Records("json", iter(()))
            groups = _groups_of(data, records, named, most)
        else:
            records = await run_sync(records_in, data, named, reading, most)
            groups = _in_threads(records, named, most)
        flow = all_parts(screening, records, named)
        try:
            step: Any = next(flow)
            while True:
                answer: Any = None
                if isinstance(step, Part):
                    yield step
                elif isinstance(step, NextGroup):
                    answer = await anext_or_none(groups)
                else:
                    answer = await self._done(step)
                try:
                    step = flow.send(answer)
                except StopIteration:
                    return
        finally:
            await groups.aclose()
            records.close()

    async def gate(
        self,
        data: Any,
        source: str,
        *,
        block_on: str = "block",
        options: Optional[Options] = None,
        **settings: Any,
    ) -> Report:
        """As `Sluice.gate`."""
        verdicts = holding(block_on)
        return checked(await self.screen(data, source, options=with_rows(options), **settings), verdicts)

    async def gate_all(
        self,
        data: Any,
        source: str,
        *,
        block_on: str = "block",
        options: Optional[Options] = None,
        **settings: Any,
    ) -> AsyncIterator[Part]:
        """As `Sluice.gate_all`."""
        verdicts = holding(block_on)
        async for part in self.screen_all(data, source, options=with_rows(options), **settings):
            checked(part.report, verdicts, part)
            yield part

    async def jobs(self, *, source: Optional[str] = None, page_size: int = 200) -> AsyncIterator[Any]:
        """As `Sluice.jobs`."""
        before: Optional[str] = None
        while True:
            page = (await self.list_jobs(source=source, limit=page_size, before=before))["jobs"]
            for job in page:
                yield job
            if len(page) < page_size:
                return
            before = page[-1]["id"]

    # ---- how it is carried out ----

    def _screening(self, key: Optional[str], compress: bool, traceparent: Optional[str]) -> Screening:
        return Screening(self._settings, idempotency_key(key), trace_headers(traceparent), compress)

    async def _run(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                step = flow.send(await self._done(step))
        except StopIteration as end:
            return cast(T, end.value)

    async def _done(self, step: Union[Request, Pause]) -> Union[Answer, SluiceError, None]:
        if isinstance(step, Pause):
            await self._sleep(step.seconds)
            return None
        try:
            with anyio.fail_after(self._settings.timeout):
                return await self._sent(step)
        except SluiceError as error:
            return error
        except (httpx.TimeoutException, TimeoutError):
            return unreachable(step.url, late(self._settings.timeout))
        except httpx.HTTPError as error:
            return unreachable(step.url, error)

    async def _sent(self, request: Request) -> Answer:
        async with self._http.stream(
            request.method, request.url, headers=dict(request.headers), content=request.content
        ) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                check_answer(response.status_code, headers, len(body))
            return Answer(response.status_code, headers, bytes(body))

    async def _call(
        self, name: str, method: str, path: str, names: Mapping[str, str], query: Mapping[str, Any], body: Any
    ) -> Any:
        return await self._run(operation(self._settings, name, method, path, names, query, body))


async def anext_or_none(groups: AsyncIterator[Group]) -> Optional[Group]:
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
