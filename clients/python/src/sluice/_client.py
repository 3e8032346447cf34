"""The client. Generated from _async_client.py by `npm run contract`; do not edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Callable, Optional, Union, cast

from ._waiting import (
    Deadline,
    Sleep,
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
from ._operations import Operations
from ._report import Part, Report
from ._send import Answer, Flow, Pause, Request, T, check_answer, unreachable
from ._settings import MAX_BODY_BYTES, key_of, settings_of, trace_headers
from .types import OpenedBatch, SentPart


class Sluice(Operations):
    """
    A server and an account on it. `url` and `key` default to the environment's SLUICE_URL and SLUICE_KEY. Several threads may share it.
    End it with `close` or `with`.

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
        transport: Optional[httpx.BaseTransport] = None,
        sleep: Sleep = sleep,
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
        self._deadline = Deadline()
        self._http = httpx.Client(timeout=timeout, transport=transport, follow_redirects=False)

    def __enter__(self) -> Sluice:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def __repr__(self) -> str:
        return f"Sluice({self._settings.base!r})"

    # ---- screening ----

    def screen(
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
        return self._screened(data, source, options, options, screening, reading)

    def _screened(
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
        sized = sized_of(data, named, whole, reading, self._settings.max_body_bytes)
        return self._run(screening.sized(sized, source))

    def screen_whole(
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
        long = long_of(data, Named.of(source, options), reading, self._settings.max_body_bytes)
        return self._run(screening.whole(long, source))

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
    ) -> Iterator[Part]:
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

    def gate(
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
        report = self._screened(data, source, with_rows(options), options, screening, reading)
        return checked(report, verdicts)

    def gate_all(
        self,
        data: Any,
        source: str,
        *,
        block_on: str = "block",
        options: Optional[Options] = None,
        **settings: Any,
    ) -> Iterator[Part]:
        """`screen_all` that raises `Blocked` at the first batch that `gate` would hold."""
        verdicts = holding(block_on)
        for part in self.screen_all(data, source, options=with_rows(options), **settings):
            checked(part.report, verdicts, part)
            yield part

    # ---- batches in parts ----

    def open_batch(
        self, source: str, *, options: Optional[Options] = None, idempotency_key: Optional[str] = None
    ) -> OpenedBatch:
        """Opens a batch of any length: `batch_id`. Then send its parts, from any machine, and finish it."""
        check_source(source)
        return cast(
            OpenedBatch,
            self._run(batch_opened(self._settings, source, options, key_of(idempotency_key))),
        )

    def send_part(
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
        long = long_of(data, None, reading, self._settings.max_body_bytes)
        return cast(SentPart, self._run(part_sent(self._settings, id, part, long, compress)))

    def finish_batch(self, id: str, *, parts: int) -> Report:
        """Judges the parts as one batch. A repeat has the same answer. Raises PARTS_MISSING with their numbers."""
        return self._run(batch_finished(self._settings, id, parts))

    def batch(
        self, source: str, *, options: Optional[Options] = None, idempotency_key: Optional[str] = None
    ) -> Batch:
        """
        A batch in parts for `with`: `batch.add(data)` and `batch.finish()`. A block that ends without `finish`, or raises, gives
        the batch up.
        """
        check_source(source)
        return Batch(self, source, options, key_of(idempotency_key))

    def jobs(self, *, source: Optional[str] = None, page_size: int = 200) -> Iterator[Any]:
        """All jobs, newest first, as `list_jobs` has them: page after page, each when it is needed."""
        before: Optional[str] = None
        while True:
            page = self.list_jobs(source=source, limit=page_size, before=before)
            jobs = page["jobs"]
            for job in jobs:
                yield job
            if len(jobs) < page_size:
                return
            before = jobs[-1]["id"]

    # ---- how it is carried out ----

    def _screening(self, key: Optional[str], compress: bool, traceparent: Optional[str]) -> Screening:
        return Screening(self._settings, key_of(key), trace_headers(traceparent), compress)

    def _parts(
        self, data: Any, named: Named, reading: Reading, screening: Screening
    ) -> Iterator[Part]:
        records, groups = opened_groups(data, named, reading, self._settings.max_body_bytes)
        flow = all_parts(screening, records, named)
        try:
            step = next(flow)
            while True:
                answer: Any = None
                if isinstance(step, Part):
                    yield step
                elif isinstance(step, NextGroup):
                    answer = next_group(groups)
                else:
                    answer = self._done(step)
                try:
                    step = flow.send(answer)
                except StopIteration:
                    return
        finally:
            groups.close()
            records.close()

    def _run(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                step = flow.send(self._done(step))
        except StopIteration as end:
            return cast(T, end.value)

    def _done(self, step: Union[Request, Pause]) -> Union[Answer, SluiceError, None]:
        if isinstance(step, Pause):
            self._sleep(step.seconds)
            return None
        try:
            with self._deadline.within(self._settings.timeout) as begin:
                return self._sent(step, begin)
        except InputFailure as failure:
            raise failure.error from None
        except SluiceError as error:
            return error
        except (httpx.TimeoutException, TimeoutError):
            return unreachable(step.url, late(self._settings.timeout))
        except httpx.HTTPError as error:
            return unreachable(step.url, error)

    def _sent(self, request: Request, begin: Callable[[], None]) -> Answer:
        content = request.content
        with self._http.stream(
            request.method,
            request.url,
            headers=dict(request.headers),
            content=pieces_of(content, begin) if isinstance(content, Stream) else content,
            extensions=self._deadline.extensions,
        ) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                check_answer(response.status_code, headers, len(body))
                self._deadline.left()
            return Answer(response.status_code, headers, bytes(body))

    def _call(
        self, name: str, method: str, path: str, names: Mapping[str, str], query: Mapping[str, Any], body: Any
    ) -> Any:
        return self._run(operation(self._settings, name, method, path, names, query, body))


class Batch:
    """A batch in parts, from `batch` of a client."""

    #: After `with` has opened it.
    id: str

    def __init__(self, client: Sluice, source: str, options: Optional[Options], key: str) -> None:
        self._client = client
        self._source = source
        self._options = options
        self._key = key
        self._parts = 0
        self._is_finished = False

    def __enter__(self) -> Batch:
        opened = self._client.open_batch(self._source, options=self._options, idempotency_key=self._key)
        self.id = opened["batch_id"]
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._is_finished:
            return
        try:
            self._client.abort_batch(self.id)
        except SluiceError:
            # It expires. What the block raised says more.
            if error is None:
                raise

    def add(self, data: Any, part: Optional[int] = None, **settings: Any) -> SentPart:
        """Sends a part: `part` is the next number unless given. Other parameters are those of `send_part`."""
        number = self._parts if part is None else part
        self._parts = max(self._parts, number + 1)
        return self._client.send_part(self.id, number, data, **settings)

    def finish(self, *, parts: Optional[int] = None, block_on: Optional[str] = None) -> Report:
        """
        Judges the parts as one batch. `parts`: how many there are, if others send some. Raises `Blocked` on BLOCK with
        `block_on="block"`, on WARN too with `block_on="warn"`.
        """
        verdicts = frozenset[str]() if block_on is None else holding(block_on)
        report = self._client.finish_batch(self.id, parts=self._parts if parts is None else parts)
        self._is_finished = True
        return checked(report, verdicts)
