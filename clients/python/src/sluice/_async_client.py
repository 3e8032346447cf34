"""The client for programs with an event loop, of asyncio or trio. `npm run contract` makes the other client of this file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Any, Callable, Optional, Union, cast

from ._async_waiting import (
    AsyncDeadline,
    AsyncSleep,
    InputFailure,
    long_of,
    next_group,
    opened_groups,
    pieces_of,
    sized_of,
    sleep,
)
from ._deadline import late
from ._errors import SluiceError
from ._flows import (
    NextGroup,
    Screening,
    Stream,
    all_parts,
    batch_finished,
    batch_opened,
    checked,
    holding,
    operation,
    part_sent,
    with_rows,
)
from ._http import httpx
from ._input import Named, Options, Reading, check_source
from ._operations import AsyncOperations
from ._report import Part, Report
from ._send import Answer, Flow, Pause, Request, T, check_answer, unreachable
from ._settings import MAX_BODY_BYTES, key_of, settings_of, trace_headers
from .types import OpenedBatch, SentPart


class AsyncSluice(AsyncOperations):
    """
    A server and an account on it. `url` and `key` default to the environment's SLUICE_URL and SLUICE_KEY. Files and frames are read in threads.
    End it with `close` or `async with`.

    Every method raises `SluiceError` when the service refuses the request or cannot be reached, and `ValueError` or `TypeError` for
    arguments that no request can carry. Reads, screenings and repeatable writes are sent again while that may help.
    """

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
        sleep: AsyncSleep = sleep,
    ) -> None:
        """
        `max_pause`: seconds; a longer `Retry-After` is an error at once. `timeout`: seconds, for each try. `transport`: instead of the
        network; `sleep`: instead of the clock; both for tests.
        """
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
        self._deadline = AsyncDeadline()
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
        header_line: Optional[int] = None,
        escape: Optional[str] = None,
        encoding: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> Report:
        """
        Screens a batch of any length. Up to 10,000 rows are sent as one request, and more of them as `screen_whole` sends them.

        `data`: rows (mappings or dataclasses), a frame of pandas, polars or pyarrow, the path of a file, bytes, a file object, or a
        function that opens one of these; for the async client also an async iterable of rows.
        `idempotency_key`: the service answers equal requests with this key the same for 24 hours, and counts their rows once. Give one if
        your program may repeat the whole call. `format` (csv, tsv, ndjson, json, parquet, arrow) is found from a file's name, then from
        its bytes. `delimiter` and `encoding` of CSV: a comma and UTF-8. `header_line` of CSV: the line of the header, from 1; what stands before it
        is not read. `escape` of CSV: a backslash, where one stands before quotes that are text, as Spark and MySQL write it. `traceparent`: W3C Trace Context, for the service's log.
        """
        screening = self._screening(idempotency_key, compress, traceparent)
        reading = Reading(format, delimiter, encoding, header_line, escape)
        return await self._screened(data, source, options, options, screening, reading)

    async def _screened(
        self,
        data: Any,
        source: str,
        options: Optional[Options],
        of_more: Optional[Options],
        screening: Screening,
        reading: Reading,
    ) -> Report:
        """`options` are those of up to 10,000 rows, `of_more` those of more."""
        check_source(source)
        named, whole = Named.of(source, options), Named.of(source, of_more)
        sized = await sized_of(data, named, whole, reading, self._settings.max_body_bytes)
        return await self._run(screening.sized(sized, source))

    async def screen_whole(
        self,
        data: Any,
        source: str,
        *,
        options: Optional[Options] = None,
        idempotency_key: Optional[str] = None,
        compress: bool = False,
        format: Optional[str] = None,
        delimiter: Optional[str] = None,
        header_line: Optional[int] = None,
        escape: Optional[str] = None,
        encoding: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> Report:
        """
        Screens a batch of any length in one request, which is sent while `data` is read. It is sent again only if `data` can be read
        again: a generator, a reader and a file object cannot; give a function that opens them. Parameters are those of `screen`.
        """
        screening = self._screening(idempotency_key, compress, traceparent)
        check_source(source)
        reading = Reading(format, delimiter, encoding, header_line, escape)
        long = await long_of(data, Named.of(source, options), reading, self._settings.max_body_bytes)
        return await self._run(screening.whole(long, source))

    def screen_all(
        self,
        data: Any,
        source: str,
        *,
        options: Optional[Options] = None,
        idempotency_key: Optional[str] = None,
        compress: bool = False,
        format: Optional[str] = None,
        delimiter: Optional[str] = None,
        header_line: Optional[int] = None,
        escape: Optional[str] = None,
        encoding: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> AsyncIterator[Part]:
        """
        Screens any number of rows in batches, one after the other, with the memory of two batches. Stop reading, and nothing more is
        sent. Each batch has its own idempotency key: the given one, and the numbers of its first and last row. Parameters are those of
        `screen`; `data` may also be a generator of rows, a RecordBatchReader, and anything with Arrow's stream interface.
        """
        screening = self._screening(idempotency_key, compress, traceparent)
        check_source(source)
        return self._parts(
            data,
            Named.of(source, options),
            Reading(format, delimiter, encoding, header_line, escape),
            screening,
        )

    async def gate(
        self,
        data: Any,
        source: str,
        *,
        block_on: str = "block",
        options: Optional[Options] = None,
        idempotency_key: Optional[str] = None,
        compress: bool = False,
        format: Optional[str] = None,
        delimiter: Optional[str] = None,
        header_line: Optional[int] = None,
        escape: Optional[str] = None,
        encoding: Optional[str] = None,
        traceparent: Optional[str] = None,
    ) -> Report:
        """
        Screens a batch, and raises `Blocked` with the report on BLOCK; with `block_on="warn"` on WARN too. Asks for row verdicts on up to
        10,000 rows unless `options` say otherwise; more of them have row verdicts if `options` ask for them. Other parameters are those of
        `screen`.
        """
        verdicts = holding(block_on)
        screening = self._screening(idempotency_key, compress, traceparent)
        reading = Reading(format, delimiter, encoding, header_line, escape)
        report = await self._screened(data, source, with_rows(options), options, screening, reading)
        return checked(report, verdicts)

    async def gate_all(
        self,
        data: Any,
        source: str,
        *,
        block_on: str = "block",
        options: Optional[Options] = None,
        **settings: Any,
    ) -> AsyncIterator[Part]:
        """`screen_all` that raises `Blocked` at the first batch that `gate` would hold."""
        verdicts = holding(block_on)
        async for part in self.screen_all(data, source, options=with_rows(options), **settings):
            checked(part.report, verdicts, part)
            yield part

    # ---- batches in parts ----

    async def open_batch(
        self, source: str, *, options: Optional[Options] = None, idempotency_key: Optional[str] = None
    ) -> OpenedBatch:
        """Opens a batch of any length: `batch_id`. Then send its parts, from any machine, and finish it."""
        check_source(source)
        return cast(
            OpenedBatch,
            await self._run(batch_opened(self._settings, source, options, key_of(idempotency_key))),
        )

    async def send_part(
        self,
        id: str,
        part: int,
        data: Any,
        *,
        compress: bool = False,
        format: Optional[str] = None,
        delimiter: Optional[str] = None,
        header_line: Optional[int] = None,
        escape: Optional[str] = None,
        encoding: Optional[str] = None,
    ) -> SentPart:
        """
        Sends a part, numbered from 0: any number of rows, as `screen_whole` sends them. Parts may be sent in any order and at once. The
        same rows again have the same answer; other rows under its number raise PART_CONFLICT.
        """
        reading = Reading(format, delimiter, encoding, header_line, escape)
        long = await long_of(data, None, reading, self._settings.max_body_bytes)
        return cast(SentPart, await self._run(part_sent(self._settings, id, part, long, compress)))

    async def finish_batch(self, id: str, *, parts: int) -> Report:
        """Judges the parts as one batch. A repeat has the same answer. Raises PARTS_MISSING with their numbers."""
        return await self._run(batch_finished(self._settings, id, parts))

    def batch(
        self, source: str, *, options: Optional[Options] = None, idempotency_key: Optional[str] = None
    ) -> AsyncBatch:
        """
        A batch in parts for `async with`: `await batch.add(data)` and `await batch.finish()`. A block that ends without `finish`, or raises, gives
        the batch up.
        """
        check_source(source)
        return AsyncBatch(self, source, options, key_of(idempotency_key))

    async def jobs(self, *, source: Optional[str] = None, page_size: int = 200) -> AsyncIterator[Any]:
        """All jobs, newest first, as `list_jobs` has them: page after page, each when it is needed."""
        before: Optional[str] = None
        while True:
            page = await self.list_jobs(source=source, limit=page_size, before=before)
            jobs = page["jobs"]
            for job in jobs:
                yield job
            if len(jobs) < page_size:
                return
            before = jobs[-1]["id"]

    # ---- how it is carried out ----

    def _screening(self, key: Optional[str], compress: bool, traceparent: Optional[str]) -> Screening:
        return Screening(self._settings, key_of(key), trace_headers(traceparent), compress)

    async def _parts(
        self, data: Any, named: Named, reading: Reading, screening: Screening
    ) -> AsyncIterator[Part]:
        records, groups = await opened_groups(data, named, reading, self._settings.max_body_bytes)
        flow = all_parts(screening, records, named)
        try:
            step = next(flow)
            while True:
                answer: Any = None
                if isinstance(step, Part):
                    yield step
                elif isinstance(step, NextGroup):
                    answer = await next_group(groups)
                else:
                    answer = await self._done(step)
                try:
                    step = flow.send(answer)
                except StopIteration:
                    return
        finally:
            await groups.aclose()
            records.close()

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
            async with self._deadline.within(self._settings.timeout) as begin:
                return await self._sent(step, begin)
        except InputFailure as failure:
            raise failure.error from None
        except SluiceError as error:
            return error
        except (httpx.TimeoutException, TimeoutError):
            return unreachable(step.url, late(self._settings.timeout))
        except httpx.HTTPError as error:
            return unreachable(step.url, error)

    async def _sent(self, request: Request, begin: Callable[[], None]) -> Answer:
        content = request.content
        async with self._http.stream(
            request.method,
            request.url,
            headers=dict(request.headers),
            content=pieces_of(content, begin) if isinstance(content, Stream) else content,
            extensions=self._deadline.extensions,
        ) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                check_answer(response.status_code, headers, len(body))
                self._deadline.left()
            return Answer(response.status_code, headers, bytes(body))

    async def _call(
        self, name: str, method: str, path: str, names: Mapping[str, str], query: Mapping[str, Any], body: Any
    ) -> Any:
        return await self._run(operation(self._settings, name, method, path, names, query, body))


class AsyncBatch:
    """A batch in parts, from `batch` of a client."""

    #: After `async with` has opened it.
    id: str

    def __init__(self, client: AsyncSluice, source: str, options: Optional[Options], key: str) -> None:
        self._client = client
        self._source = source
        self._options = options
        self._key = key
        self._parts = 0
        self._is_finished = False

    async def __aenter__(self) -> AsyncBatch:
        opened = await self._client.open_batch(self._source, options=self._options, idempotency_key=self._key)
        self.id = opened["batch_id"]
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._is_finished:
            return
        try:
            await self._client.abort_batch(self.id)
        except SluiceError:
            # It expires. What the block raised says more.
            if error is None:
                raise

    async def add(self, data: Any, part: Optional[int] = None, **settings: Any) -> SentPart:
        """Sends a part: `part` is the next number unless given. Other parameters are those of `send_part`."""
        number = self._parts if part is None else part
        self._parts = max(self._parts, number + 1)
        return await self._client.send_part(self.id, number, data, **settings)

    async def finish(self, *, parts: Optional[int] = None, block_on: Optional[str] = None) -> Report:
        """
        Judges the parts as one batch. `parts`: how many there are, if others send some. Raises `Blocked` on BLOCK with
        `block_on="block"`, on WARN too with `block_on="warn"`.
        """
        verdicts = frozenset[str]() if block_on is None else holding(block_on)
        report = await self._client.finish_batch(self.id, parts=self._parts if parts is None else parts)
        self._is_finished = True
        return checked(report, verdicts)
