"""A report: the verdict on a batch, and which of its rows to hold back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Optional, TypeVar, cast

from . import types
from ._errors import unexpected
from ._frames import length_of, taken
from ._send import Answer, object_of

Frame = TypeVar("Frame")
VERDICTS = ("PASS", "WARN", "BLOCK")


class Report:
    """What the service answers for a batch. `to_dict` has all of it; `sluice.types.Report` is its type."""

    def __init__(
        self, members: Mapping[str, Any], headers: Optional[Mapping[str, str]] = None, base: str = ""
    ) -> None:
        self._members = cast(types.Report, dict(members))
        headers = headers or {}
        job = None if members.get("stats", {}).get("dry_run") else members.get("request_id")
        #: Where the dashboard shows it; empty after a dry run, which is not stored.
        self.url: str = f"{base}/#/jobs/{job}" if base and job else ""
        #: The account's plan; empty if unknown.
        self.plan: str = headers.get("x-ratelimit-plan", "")
        #: Rows that the plan has left; None if unknown.
        self.rows_remaining: Optional[int] = _integer(headers.get("x-ratelimit-remaining"))
        #: Whether the service repeated its answer to an earlier, equal request.
        self.replayed: bool = headers.get("idempotent-replayed") == "true"

    def to_dict(self) -> types.Report:
        return self._members

    @property
    def request_id(self) -> str:
        return self._members["request_id"]

    @property
    def status(self) -> str:
        """PASS, WARN or BLOCK."""
        return self._members["status"]

    @property
    def health_score(self) -> float:
        """0 to 1; 1 is perfect."""
        return self._members["health_score"]

    @property
    def reason(self) -> str:
        """The causes, gravest first."""
        return self._members["decision"]["reason"]

    @property
    def schema(self) -> dict[str, types.SchemaField]:
        return self._members["schema"]

    @property
    def issues(self) -> types.Issues:
        """Empty without any."""
        return self._members.get("issues", {})

    @property
    def drift(self) -> list[types.DriftEvent]:
        """What differs from the baseline."""
        return self._members.get("drift", [])

    @property
    def anomalies(self) -> list[types.Anomaly]:
        return self._members.get("anomalies", [])

    @property
    def stats(self) -> types.Stats:
        return self._members["stats"]

    @property
    def quarantine(self) -> Optional[types.Quarantine]:
        """The rows to hold back; None if the batch was screened without `row_verdicts`."""
        return self._members.get("quarantine")

    @property
    def window(self) -> Optional[types.WindowSoFar]:
        """The batch that the rows are part of, where the source has a window; else None."""
        return self._members.get("window")

    @property
    def passed(self) -> bool:
        return self.status == "PASS"

    @property
    def blocked(self) -> bool:
        return self.status == "BLOCK"

    # ---- rows ----

    def held(self) -> list[int]:
        """
        The rows to hold back, from 0, ascending. Raises `ValueError` if the report has none: then screen with
        `options={"row_verdicts": True}`; for CSV, whose rows are known by line; and if it lists only some of them.
        """
        quarantine = self.quarantine
        if quarantine is None:
            raise ValueError("The report has no row verdicts: screen with options={'row_verdicts': True}")
        if quarantine["rows"] and self.stats.get("row_numbers") == "line":
            raise ValueError("Rows of CSV are numbered by line; screen the frame itself to take rows from it")
        check_all_are_listed(quarantine)
        return [cast(int, row[0]) for row in quarantine["rows"]]

    def held_rows(self, frame: Frame) -> Frame:
        """The rows to hold back, as the same kind of frame. `frame` is what was screened. Raises `ValueError` as `held` does."""
        self._check(frame)
        return cast(Frame, taken(frame, self.held()))

    def good_rows(self, frame: Frame) -> Frame:
        """The other rows. Where `whole_batch` is not empty, they are not necessarily good."""
        self._check(frame)
        held = set(self.held())
        return cast(Frame, taken(frame, [row for row in range(length_of(frame)) if row not in held]))

    @property
    def whole_batch(self) -> list[Any]:
        """What stays wrong with the batch whichever rows are held back."""
        quarantine = self.quarantine
        return [] if quarantine is None else list(quarantine["whole_batch"])

    def _check(self, frame: Any) -> None:
        received, given = self.stats["rows_received"], length_of(frame)
        if given != received:
            raise ValueError(f"The report is about {received:,} rows, and the frame has {given:,}")

    # ---- for people ----

    def __repr__(self) -> str:
        return f"<Report {self.status} {self.health_score} {self.stats['source']!r}: {self.reason}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self._members == other._members

    __hash__ = None  # type: ignore[assignment]

    def findings(self) -> list[tuple[str, str, str]]:
        """Severity, field and text of what was found: drift events and anomalies, then issues."""
        found: list[tuple[str, str, str]] = []
        for event in (*self.drift, *self.anomalies):
            found.append((event["severity"], event["field"], event["detail"]))
        for field, mismatch in self.issues.get("type_mismatches", {}).items():
            text = f"{mismatch['rate']:.1%} of the values are not {mismatch['expected']}"
            found.append((mismatch["severity"], field, text))
        for field, nulls in self.issues.get("null_rates", {}).items():
            found.append((nulls["severity"], field, f"{nulls['actual']:.1%} of the rows have no value"))
        for field, outliers in self.issues.get("outliers", {}).items():
            found.append((outliers["severity"], field, f"{outliers['count']:,} outliers"))
        return found

    def _repr_html_(self) -> str:
        """For notebooks. Names and reasons come from the data, so all of it is escaped."""
        colour = {"PASS": "#1a7f37", "WARN": "#9a6700", "BLOCK": "#cf222e"}.get(self.status, "#57606a")
        rows = "".join(
            f"<tr><td>{escape(severity)}</td><td>{escape(field)}</td><td>{escape(text)}</td></tr>"
            for severity, field, text in self.findings()[:50]
        )
        table = (
            f"<table><tr><th>severity</th><th>field</th><th>finding</th></tr>{rows}</table>" if rows else ""
        )
        return (
            f'<div><b style="color:{colour}">{escape(str(self.status))}</b> health {escape(str(self.health_score))}, '
            f"{self.stats['rows_received']:,} rows of {escape(self.stats['source'])}<br>{escape(self.reason)}{table}</div>"
        )


@dataclass(frozen=True)
class Part:
    """The report on one batch of many."""

    report: Report
    #: From 1.
    batch: int
    #: Rows of the input, from 1, both included.
    first_row: int
    last_row: int
    #: Whether this is the last batch.
    last: bool

    def rows_of(self, frame: Frame) -> Frame:
        """The rows of this batch, out of the whole frame."""
        return cast(Frame, taken(frame, list(range(self.first_row - 1, self.last_row))))


class Blocked(Exception):
    """The gate is closed. `report` says why; after `gate_all`, `part` says which rows."""

    def __init__(self, report: Report, part: Optional[Part] = None) -> None:
        super().__init__(report, part)
        self.report = report
        self.part = part

    def __str__(self) -> str:
        where = "" if self.part is None else f"rows {self.part.first_row:,} to {self.part.last_row:,}: "
        at = f" ({self.report.url})" if self.report.url else ""
        return f"{self.report.status} {where}{self.report.reason}{at}"


def check_all_are_listed(quarantine: Mapping[str, Any], of: str = "") -> None:
    """Raises `ValueError`: whoever takes the other rows for good would load some of those to hold back."""
    held, listed = quarantine["count"], len(quarantine["rows"])
    if held > listed:
        raise ValueError(
            f"{held:,} rows{of} are to be held back, and {listed:,} of them are listed: hold back the whole batch"
        )


def report_in(answer: Answer, base: str, source: Optional[str], rows: Optional[int]) -> Report:
    """
    `base`: the server's address. `source` and `rows` were sent; None where only the service knows them. Raises `SluiceError` if the answer
    has no verdict, or a verdict on another source or number of rows.
    """
    members = object_of(answer)
    if not _has_verdict(members):
        raise unexpected(
            answer.status,
            answer.headers,
            "The answer has no verdict; is this the address of a Sluice server?",
        )
    other = _other_than(source, rows, members["stats"])
    if other is not None:
        raise unexpected(answer.status, answer.headers, other)
    return Report(members, answer.headers, base)


def _other_than(source: Optional[str], rows: Optional[int], stats: Mapping[str, Any]) -> Optional[str]:
    """An error message if a report is about another source or number of rows than was sent, as when a proxy mixes up answers; else None."""
    about, received = stats["source"], stats["rows_received"]
    if source in (None, about) and rows in (None, received):
        return None
    sent = "rows" if rows is None else f"{rows:,} rows"
    return f"The answer is about {received:,} rows of '{about}', and {sent} of '{source}' were sent; does a proxy mix up answers?"


def _has_verdict(members: Mapping[str, Any]) -> bool:
    decision, stats = members.get("decision"), members.get("stats")
    health = members.get("health_score")
    return (
        isinstance(decision, dict)
        and isinstance(stats, dict)
        and members.get("status") in VERDICTS
        and isinstance(health, (int, float))
        and math.isfinite(health)
        and isinstance(decision.get("reason"), str)
        and isinstance(stats.get("source"), str)
        and isinstance(stats.get("rows_received"), int)
    )


def _integer(text: Optional[str]) -> Optional[int]:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
