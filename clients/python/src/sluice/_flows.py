"""The calls of a client, as flows: what to send, in which order, and what the answers mean."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Optional, Union

from ._errors import Place, SluiceError
from ._input import Body, Group, Named, Options, Records, with_mode
from ._long import Long, Sending, Sized, is_too_large
from ._report import Blocked, Part, Report, report_in
from ._send import Answer, Flow, Pause, Request, object_of, sent
from ._settings import Settings, address_of
from ._values import encoded, text_of

#: Writes with the same effect if they are done twice.
REPEATABLE = frozenset(
    {
        "resetBaseline",
        "resetAllBaselines",
        "putSettings",
        "pinBaseline",
        "acceptBatch",
        "giveFeedback",
        "putRules",
        "abortBatch",
    }
)
#: Never sent again: they ask for the state right now.
PROBES = frozenset({"health", "ready"})
HOLDING = {"block": frozenset({"BLOCK"}), "warn": frozenset({"WARN", "BLOCK"})}


def operation(
    settings: Settings,
    name: str,
    method: str,
    path: str,
    names: Mapping[str, str],
    query: Mapping[str, Any],
    body: Optional[Any],
) -> Flow[Any]:
    """Any operation of the API besides screening."""
    headers = dict(settings.credentials)
    content = None
    if body is not None:
        headers["Content-Type"] = "application/json"
        content = encoded(text_of(body))
    repeatable = (method == "GET" and name not in PROBES) or name in REPEATABLE
    url = settings.base + address_of(path, names, query)
    answer = yield from sent(Request(method, url, headers, content, repeatable), settings.policy)
    return object_of(answer)


@dataclass(frozen=True)
class Screening:
    """What the batches of one call share."""

    settings: Settings
    key: str
    headers: Mapping[str, str]
    compress: bool

    def one(self, body: Body, key: str) -> Flow[Report]:
        body = body.compressed() if self.compress else body
        headers = {**body.headers, **self.headers, **self.settings.credentials, "Idempotency-Key": key}
        url = f"{self.settings.base}/v1/screen"
        answer = yield from sent(Request("POST", url, headers, body.content, True), self.settings.policy)
        return report_in(answer, self.settings.base, body.source, body.rows)

    def whole(self, long: Long, source: str) -> Flow[Report]:
        """A batch of any length, in one request."""
        headers = {**self.headers, "Idempotency-Key": self.key}
        stream = Stream(long.compressed() if self.compress else long)
        answer = yield from long_sent(self.settings, "POST", "/v1/batches/whole", stream, headers)
        return report_in(answer, self.settings.base, source, stream.rows)

    def sized(self, sized: Sized, source: str) -> Flow[Report]:
        """In one request of up to 10,000 rows, or as a whole."""
        if sized.one is not None:
            try:
                return (yield from self.one(sized.one, self.key))
            except SluiceError as error:
                # Only the server counts the rows of a text, and its limits may be lower.
                if not is_too_large(error):
                    raise
        return (yield from self.whole(sized.long, source))


class Stream:
    """The content of a request, which is read while it is sent."""

    def __init__(self, long: Long) -> None:
        self.long = long
        self._sending = Sending()

    def open(self) -> Any:
        self._sending = Sending()
        return self.long.open(self._sending)

    @property
    def rows(self) -> Optional[int]:
        return self._sending.rows if self.long.counts else None


def long_sent(
    settings: Settings, method: str, path: str, stream: Stream, headers: Mapping[str, str]
) -> Flow[Answer]:
    """What cannot be read again is sent once."""
    policy = settings.policy if stream.long.again else replace(settings.policy, max_retries=0)
    every = {**stream.long.headers, **headers, **settings.credentials}
    return (yield from sent(Request(method, settings.base + path, every, stream, True), policy))


def batch_opened(
    settings: Settings, source: str, options: Optional[Options], key: str
) -> Flow[dict[str, Any]]:
    body = {"source": source, "options": with_mode(options)}
    headers = {**settings.credentials, "Content-Type": "application/json", "Idempotency-Key": key}
    url = f"{settings.base}/v1/batches"
    answer = yield from sent(Request("POST", url, headers, encoded(text_of(body)), True), settings.policy)
    return object_of(answer)


def part_sent(settings: Settings, id: str, part: int, long: Long, compress: bool) -> Flow[dict[str, Any]]:
    path = address_of("/v1/batches/{id}/parts/{part}", {"id": id, "part": str(part)}, {})
    stream = Stream(long.compressed() if compress else long)
    return object_of((yield from long_sent(settings, "PUT", path, stream, {})))


def batch_finished(settings: Settings, id: str, parts: int) -> Flow[Report]:
    url = settings.base + address_of("/v1/batches/{id}/finish", {"id": id}, {})
    headers = {**settings.credentials, "Content-Type": "application/json"}
    content = encoded(text_of({"parts": parts}))
    answer = yield from sent(Request("POST", url, headers, content, True), settings.policy)
    return report_in(answer, settings.base, None, None)


@dataclass(frozen=True)
class NextGroup:
    """Asks for the next group of rows. The answer is None after the last."""


Step = Union[Request, Pause, NextGroup, Part]


def all_parts(screening: Screening, records: Records, named: Named) -> Generator[Step, Any, None]:
    """
    Screens any number of rows, one request after the other, so that the baseline has learned each batch before the next one. Reads one
    group ahead: only so the last one is known. A batch that is too large for the server is sent in halves.
    """
    batch, first_row = 1, 1
    held: Optional[Group] = yield NextGroup()
    while held is not None:
        following: Optional[Group] = yield NextGroup()
        queue = [held]
        while queue:
            rows = queue.pop(0)
            last = following is None and not queue
            place = Place(first_row, first_row + len(rows) - 1)
            body = records.body(rows, Named(named.source, _chunk_options(named.options, batch, last)))
            try:
                report = yield from screening.one(body, f"{screening.key}:{place.first_row}-{place.last_row}")
            except SluiceError as error:
                # The limits of the server may be lower, and only it counts cells.
                if is_too_large(error) and len(rows) > 1:
                    middle = (len(rows) + 1) // 2
                    queue[:0] = [rows[:middle], rows[middle:]]
                    continue
                error.place = place
                raise
            yield Part(report, batch, place.first_row, place.last_row, last)
            batch += 1
            first_row += len(rows)
        held = following


def _chunk_options(options: Options, batch: int, last: bool) -> Options:
    """The total is known only with the last batch: until then it is one more than so far."""
    if batch == 1 and last:
        return options
    return {**options, "batch_index": batch, "total_batches": batch if last else batch + 1}


def holding(block_on: str) -> frozenset[str]:
    """The verdicts that close the gate. Raises `ValueError`."""
    if block_on not in HOLDING:
        raise ValueError("block_on must be 'block' or 'warn'")
    return HOLDING[block_on]


def checked(report: Report, verdicts: frozenset[str], part: Optional[Part] = None) -> Report:
    """Raises `Blocked`."""
    if report.status in verdicts:
        raise Blocked(report, part)
    return report


def with_rows(options: Optional[Options]) -> Options:
    """Who holds a batch wants to know its rows."""
    return {"row_verdicts": True, **(options or {})}
