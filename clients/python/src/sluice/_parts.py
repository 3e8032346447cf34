"""
A batch whose parts are sent by the workers of an engine. The driver opens the batch and finishes it. Each worker writes the rows that it has into
a temporary file, and sends that: a try that fails is repeated with the same bytes, and no upload waits for an engine.

A part that an engine computes twice must have the same bytes: the service takes it once, and refuses other rows under its number. Rows to hold back
are known by part and position, so whoever takes them from the frame later compares the SHA-256 of the part with what was screened.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import tempfile
import time
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Callable, Optional, cast

from ._client import Sluice
from ._errors import SluiceError, error_of, unexpected
from ._frames import Slice, slices_of, taken
from ._input import Options
from ._report import Report, check_all_are_listed

#: The service numbers parts from 0 to 9,999.
MAX_PARTS = 10_000
FORMATS = ("json", "csv")
#: How long a part waits, in seconds, for its turn at a service that says when to come back. A body may take as long to arrive.
_PATIENCE = 3600.0
_CHANGED = "it was computed more than once, with other rows or in another order. Keep the rows first, so that all parts are computed once"


class Connection:
    """What a worker needs to call the service. It travels in tasks, and its text hides the key."""

    def __init__(self, client: Optional[Sluice]) -> None:
        settings = (client or Sluice())._settings
        self._arguments: dict[str, Any] = {
            "url": settings.base,
            "key": settings.credentials.get("X-API-Key"),
            "token": settings.credentials.get("Authorization", "").removeprefix("Bearer ") or None,
            "max_retries": settings.policy.max_retries,
            "max_pause": settings.policy.max_pause,
            "timeout": settings.timeout,
            "max_body_bytes": settings.max_body_bytes,
        }

    def client(self) -> Sluice:
        return Sluice(**self._arguments)

    def __repr__(self) -> str:
        return f"Connection({self._arguments['url']!r})"


# ---- on a worker ----


class Lines:
    """The rows of a part as they are sent: lines of JSON or CSV, whatever the sizes of the slices."""

    def __init__(self, format: str) -> None:
        self._format = format
        self._hash = hashlib.sha256()
        self.rows = 0

    def of(self, each: Slice) -> bytes:
        """Raises `TypeError` that names the column."""
        lines = each.rows() if self._format == "json" else self._records(each)
        self.rows += each.count
        text = b"".join([line + b"\n" for line in lines])
        self._hash.update(text)
        return text

    def _records(self, each: Slice) -> list[bytes]:
        columns = [list(map(_cell, texts)) for texts in each.written()]
        if len(columns) == 1 and "" in columns[0]:
            raise ValueError(
                "A CSV of one column has no line for a missing value: leave format out, or add a column"
            )
        header = [] if self.rows else [",".join(map(_quoted, each.names)).encode()]
        return header + [",".join(cells).encode("utf-8", "replace") for cells in zip(*columns)]

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


_NEEDS_QUOTES = re.compile('[",\r\n]')


def _cell(text: str) -> str:
    """JSON text → cell. A missing value is an empty cell, an empty text has quotes."""
    if text == "null":
        return ""
    return _quoted(json.loads(text)) if text.startswith('"') else _quoted(text)


def _quoted(text: str) -> str:
    if text and not _NEEDS_QUOTES.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'


@dataclass(frozen=True)
class Target:
    """Where the parts of a batch go, and as what."""

    connection: Connection
    batch: str
    format: str

    def send(self, part: int, slices: Iterable[Slice]) -> dict[str, Any]:
        """The answer to a part. Raises `SluiceError`; `TypeError` for values that cannot be sent."""
        lines = Lines(self.format)
        with tempfile.NamedTemporaryFile(prefix="sluice-part-") as file:
            for each in slices:
                file.write(lines.of(each))
            file.flush()
            # Without rows there is no header either.
            form = "csv" if self.format == "csv" and lines.rows else "ndjson"
            with self.connection.client() as client:
                answer = _in_turn(lambda: client.send_part(self.batch, part, file.name, format=form))
        if (answer["rows"], answer["sha256"]) != (lines.rows, lines.sha256):
            raise unexpected(200, {}, f"The answer is not about the rows of part {part} that were sent")
        return cast("dict[str, Any]", answer)


def _in_turn(send: Callable[[], Any]) -> Any:
    """The service reads a few large bodies at once, and says when to come back."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return send()
        except SluiceError as error:
            if not _is_busy(error) or time.monotonic() > end:
                raise _in_words_of_engines(error) from None
            time.sleep(cast(float, error.retry_after) * (1 + random.random()))


def _is_busy(error: SluiceError) -> bool:
    return error.code in ("SERVICE_UNAVAILABLE", "RATE_LIMITED") and error.retry_after is not None


def _in_words_of_engines(error: SluiceError) -> SluiceError:
    if error.code != "PART_CONFLICT":
        return error
    return error_of(
        f"{error.message.split(' (SHA-256')[0]}: {_CHANGED}",
        code=error.code,
        status=error.status,
        request_id=error.request_id,
    )


# ---- on the driver ----

#: Sends all parts of a batch to the target, and gives the answers to them.
Send = Callable[[Target], "list[dict[str, Any]]"]


def screened(
    client: Optional[Sluice],
    source: str,
    options: Optional[Options],
    idempotency_key: Optional[str],
    format: str,
    send: Send,
) -> tuple[Report, list[dict[str, Any]]]:
    """
    The report of a batch, and the answers to its parts. A batch that fails is given up. With `idempotency_key`, one that an earlier run has finished
    has its report, and its rows are not counted again.
    """
    if format not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {format!r}")
    connection = Connection(client)
    with connection.client() as own:
        batch = _opened(own, source, options, idempotency_key)
        target = Target(connection, batch["batch_id"], format)
        if batch["is_finished"]:
            report = own.finish_batch(target.batch, parts=len(batch["parts"]))
            needs_rows = report.quarantine is not None and report.quarantine["count"] > 0
            return report, send(target) if needs_rows else []
        try:
            # A frame without partitions is an empty batch, which the service refuses in its words.
            answers = send(target) or [target.send(0, ())]
            return own.finish_batch(target.batch, parts=len(answers)), answers
        except BaseException:
            _given_up(own, target.batch)
            raise


def _opened(client: Sluice, source: str, options: Optional[Options], key: Optional[str]) -> dict[str, Any]:
    """An empty batch, or a finished one. What an earlier run has left unfinished is given up: its parts may be divided otherwise."""
    for attempt in count():
        tried = key if key is None or attempt == 0 else f"{key}:{attempt}"
        opened = client.open_batch(source, options=options, idempotency_key=tried)
        batch = client.find_batch(opened["batch_id"])
        if batch["status"] == "open" and batch["parts"] and _given_up(client, batch["batch_id"]):
            continue
        if batch["status"] in ("open", "finished"):
            # An open one with parts is being finished.
            return {**batch, "is_finished": bool(batch["parts"])}
    raise AssertionError


def _given_up(client: Sluice, batch: str) -> bool:
    """False if it is finished, or another run finishes it. One that cannot be reached expires."""
    try:
        client.abort_batch(batch)
    except SluiceError as error:
        return error.code != "BATCH_FINISHED"
    return True


@dataclass(frozen=True)
class HeldPart:
    """Which rows of a part are held back, ascending, and what its rows were."""

    sha256: str
    rows: array[int]

    def taken(self, begin: int, length: int, is_held: bool) -> list[int]:
        """Of `length` rows from `begin` on, those that are held back or the others, counted from `begin`."""
        held = self.rows[bisect_left(self.rows, begin) : bisect_left(self.rows, begin + length)]
        numbers = [row - begin for row in held]
        if is_held:
            return numbers
        others = set(numbers)
        return [row for row in range(length) if row not in others]

    def check(self, part: int, lines: Lines) -> None:
        """Raises `ValueError` unless these are the rows that were screened."""
        if lines.sha256 != self.sha256:
            raise ValueError(f"The rows of part {part} are not those that were screened: {_CHANGED}")


class PartsReport(Report):
    """A report on the frame of an engine. Rows are taken from it by its workers, when they are needed."""

    def __init__(
        self,
        report: Report,
        frame: Any,
        answers: list[dict[str, Any]],
        take: Callable[[Mapping[int, HeldPart], bool], Any],
    ) -> None:
        self.__dict__.update(report.__dict__)
        self._frame = frame
        self._answers = answers
        self._take = take

    def __reduce__(self) -> Any:
        # Frames of an engine do not travel.
        return (Report, (self.to_dict(),))

    def held(self) -> list[int]:
        """As of any report: the number of a row counts from 0 over all parts, in their order."""
        rows: list[int] = []
        begin = 0
        parts = self.held_parts()
        for answer in sorted(self._answers, key=lambda each: each["part"]):
            rows += [begin + row for row in parts[answer["part"]].rows]
            begin += answer["rows"]
        return rows

    def held_rows(self, frame: Any = None) -> Any:
        """The rows to hold back, as the same kind of frame. Raises `ValueError` as `held` does."""
        return self._taken(frame, True)

    def good_rows(self, frame: Any = None) -> Any:
        """The other rows. Where `whole_batch` is not empty, they are not necessarily good."""
        return self._taken(frame, False)

    def _taken(self, frame: Any, is_held: bool) -> Any:
        if frame is not None and frame is not self._frame:
            raise ValueError("The report is about another frame")
        return self._take(self.held_parts(), is_held)

    def held_parts(self) -> dict[int, HeldPart]:
        """By part. Raises `ValueError` without row verdicts, and where there are more rows than a part lists."""
        if self.quarantine is None:
            raise ValueError("The report has no row verdicts: screen with options={'row_verdicts': True}")
        holding = set(map(_reason, self.quarantine["reasons"]))
        return {answer["part"]: _held_part(answer, holding) for answer in self._answers}


def _reason(reason: Mapping[str, Any]) -> tuple[Any, ...]:
    return (reason["code"], reason["field"], reason.get("rule"))


def _held_part(answer: Mapping[str, Any], holding: set[tuple[Any, ...]]) -> HeldPart:
    quarantine = answer["quarantine"]
    holds = [_reason(reason) in holding for reason in quarantine["reasons"]]
    if any(holds):
        check_all_are_listed(quarantine, f" of part {answer['part']}")
    rows = [row for row, reasons in quarantine["rows"] if any(holds[reason] for reason in reasons)]
    return HeldPart(answer["sha256"], array("q", rows))


def are_all(parts: Mapping[int, HeldPart], is_held: bool) -> bool:
    """Whether all rows are asked for: none is held back, and the others are taken."""
    return not is_held and not any(part.rows for part in parts.values())


def taken_batches(
    batches: Iterable[Any], part: int, held: HeldPart, format: str, is_held: bool
) -> Iterator[Any]:
    """Rows of record batches, as they come. Raises `ValueError` at the end if they are not those that were screened."""
    lines = Lines(format)
    for batch in batches:
        begin = lines.rows
        for each in slices_of(batch) or ():
            lines.of(each)
        yield taken(batch, held.taken(begin, batch.num_rows, is_held))
    held.check(part, lines)
