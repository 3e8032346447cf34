"""Batches whose parts workers send. The workers of an engine are run by `npm run pipelines`; here they are calls."""

from __future__ import annotations

import datetime as dt
import pickle
from array import array
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Optional

import pyarrow as pa
import pytest
from conftest import KEY, Server
from wire import Wire

from sluice import Blocked, Report, Sluice, SluiceError
from sluice._errors import error_of
from sluice._flows import checked, holding
from sluice._frames import slices_of
from sluice._http import httpx
from sluice._parts import (
    Connection,
    HeldPart,
    Lines,
    PartsReport,
    Target,
    _in_turn,
    are_all,
    screened,
    taken_batches,
)

Partitions = list[list[pa.Table]]


def table(begin: int, end: int, **columns: Any) -> pa.Table:
    ids = list(range(begin, end))
    return pa.table({"id": ids, "amount": [i * 1.5 for i in ids], **columns})


def sent_by_workers(target: Target, partitions: Partitions) -> list[dict[str, Any]]:
    """The target travels, as in an engine."""
    there = pickle.loads(pickle.dumps(target))
    return [
        there.send(part, (each for batch in batches for each in slices_of(batch) or ()))
        for part, batches in enumerate(partitions)
    ]


def screened_here(
    gate: Sluice,
    partitions: Partitions,
    *,
    source: str = "parts",
    format: str = "json",
    key: Optional[str] = None,
    send: Callable[[Target, Partitions], list[dict[str, Any]]] = sent_by_workers,
    **options: Any,
) -> PartsReport:
    given = {"row_verdicts": True, **options}
    report, answers = screened(gate, source, given, key, format, lambda target: send(target, partitions))

    def take(parts: Any, is_held: bool) -> pa.Table:
        tables: list[pa.Table] = []
        for part, batches in enumerate(partitions):
            tables += taken_batches(batches, part, parts[part], format, is_held)
        return pa.concat_tables(tables)

    return PartsReport(report, partitions, answers, take)


# ---- what is sent ----


def test_lines_do_not_depend_on_the_sizes_of_batches() -> None:
    whole = table(0, 25_000, city=["Wien"] * 25_000)
    for format in ("json", "csv"):
        lines, others = Lines(format), Lines(format)
        text = b"".join(lines.of(each) for each in slices_of(whole) or ())
        pieces = [whole.slice(at, 999) for at in range(0, 25_000, 999)]
        assert b"".join(others.of(each) for piece in pieces for each in slices_of(piece) or ()) == text
        assert (others.rows, others.sha256) == (25_000, lines.sha256)


def test_values_are_exact() -> None:
    times = pa.array(
        [dt.datetime(2026, 1, 2, 3, 4, 5, 6, dt.timezone.utc)], pa.timestamp("us", "Asia/Kolkata")
    )
    frame = pa.table(
        {
            "decimal": pa.array([Decimal("12345678901234567890.10")], pa.decimal128(38, 2)),
            "integer": [2**63 - 1],
            "time": times,
            "bytes": [b"\x00\xff"],
            "nested": [{"a": [1, None], "b": {"c": "ü"}}],
            "none": pa.nulls(1),
            "nan": [float("nan")],
        }
    )
    [each] = slices_of(frame) or ()
    assert Lines("json").of(each).decode() == (
        '{"decimal":12345678901234567890.10,"integer":9223372036854775807,"time":"2026-01-02T03:04:05.000006Z",'
        '"bytes":"AP8=","nested":{"a":[1,null],"b":{"c":"ü"}},"none":null,"nan":null}\n'
    )


def test_cells_of_csv_keep_texts_and_missing_values_apart() -> None:
    frame = pa.table({"a,b": ["x", "", None, 'say "1"\n2'], "n": [1, None, 3, 4]})
    [each] = slices_of(frame) or ()
    assert Lines("csv").of(each).decode() == '"a,b",n\nx,1\n"",\n,3\n"say ""1""\n2",4\n'


def test_a_missing_value_of_a_csv_of_one_column_is_refused() -> None:
    [each] = slices_of(pa.table({"a": ["x", None]})) or ()
    with pytest.raises(ValueError, match="A CSV of one column has no line for a missing value"):
        Lines("csv").of(each)


def test_a_connection_hides_its_key(gate: Sluice, server: Server) -> None:
    connection = Connection(gate)
    for shown in (repr(connection), repr(Target(connection, "bat_1", "json")), repr(gate._settings)):
        assert KEY not in shown
    with pickle.loads(pickle.dumps(connection)).client() as client:
        assert client.list_keys()["keys"]
    with Connection(Sluice(server.url, token="t", max_retries=2, timeout=7)).client() as client:
        assert client._settings.credentials == {"Authorization": "Bearer t"}
        assert (client._settings.policy.max_retries, client._settings.timeout) == (2, 7)


def test_an_unknown_format_is_refused(gate: Sluice) -> None:
    with pytest.raises(ValueError, match="format must be one of json, csv"):
        screened_here(gate, [], format="parquet")


# ---- parts ----


def test_parts_are_one_batch_and_may_be_empty(gate: Sluice) -> None:
    report = screened_here(gate, [[table(0, 12_000)], [], [table(12_000, 12_010), table(12_010, 12_011)], []])
    assert (report.status, report.stats["rows_received"], report.held()) == ("PASS", 12_011, [])
    with pytest.raises(SluiceError, match="No part of the batch has a row"):
        screened_here(gate, [[], []])
    with pytest.raises(SluiceError, match="No part of the batch has a row"):
        screened_here(gate, [])


def test_types_of_csv_are_those_of_the_whole_column(gate: Sluice) -> None:
    texts = [[table(at, at + 500, price=[f"{i}.50" for i in range(500)])] for at in (0, 500)]
    report = screened_here(gate, texts, format="csv")
    assert (report.status, report.schema["price"]["type"]) == ("PASS", "number")
    broken = [texts[0], [table(500, 1000, price=["unknown"] * 500)]]
    with pytest.raises(Blocked) as blocked:
        checked(screened_here(gate, broken, format="csv"), holding("block"))
    assert "'price'" in blocked.value.report.reason


def test_a_task_that_runs_again_sends_nothing_twice(gate: Sluice) -> None:
    def sent_twice(target: Target, partitions: Partitions) -> list[dict[str, Any]]:
        first = sent_by_workers(target, partitions)
        assert sent_by_workers(target, partitions) == first
        return first

    report = screened_here(gate, [[table(0, 300)], [table(300, 400)]], send=sent_twice)
    assert report.stats["rows_received"] == 400


def test_a_task_that_gives_other_rows_is_a_clear_error_and_counts_nothing(gate: Sluice) -> None:
    def sent_otherwise(target: Target, partitions: Partitions) -> list[dict[str, Any]]:
        sent_by_workers(target, partitions)
        return sent_by_workers(target, [[table(1, 301)]])

    with pytest.raises(
        SluiceError, match="Part 0 was sent with other bytes: it was computed more than once"
    ) as conflict:
        screened_here(gate, [[table(0, 300)]], source="other-rows", send=sent_otherwise)
    assert conflict.value.code == "PART_CONFLICT"
    assert gate.list_batches()["batches"][0]["status"] == "aborted"
    assert list(gate.jobs(source="other-rows")) == []


def test_an_answer_about_other_rows_is_an_error(gate: Sluice) -> None:
    wire = Wire(httpx.Response(200, json={"part": 0, "rows": 1, "sha256": "00"}))

    class Wired(Connection):
        def client(self) -> Sluice:
            return wire.client

    with pytest.raises(SluiceError, match="not about the rows of part 0"):
        Target(Wired(gate), "bat_1", "json").send(0, slices_of(table(0, 2)) or ())


def test_a_part_waits_for_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    busy = error_of("busy", code="SERVICE_UNAVAILABLE", status=503, retry_after=2.0)
    outcomes: list[Any] = [busy] * 20 + ["done"]

    def send() -> Any:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    assert _in_turn(send) == "done"
    assert len(pauses) == 20
    assert all(2 <= pause <= 4 for pause in pauses)
    outcomes = [error_of("down", code="UNREACHABLE")]
    with pytest.raises(SluiceError, match="down"):
        _in_turn(send)
    clock = iter([0.0, 3601.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    outcomes = [busy]
    with pytest.raises(SluiceError, match="busy"):
        _in_turn(send)


# ---- a run that is repeated ----


def test_a_repeated_run_counts_once_and_has_the_same_rows(gate: Sluice) -> None:
    partitions = [[table(0, 300, city=["Wien"] * 299 + [None])], [table(300, 400, city=["Wien"] * 100)]]
    screened_here(gate, [[table(0, 400, city=["Wien"] * 400)]], source="replayed")
    first = screened_here(gate, partitions, source="replayed", key="day-2")
    again = screened_here(gate, partitions, source="replayed", key="day-2")
    assert (again.to_dict(), again.replayed) == (first.to_dict(), True)
    assert again.held() == first.held() == [299]
    assert again.held_rows().column("id").to_pylist() == [299]
    assert len(list(gate.jobs(source="replayed"))) == 2


def test_what_an_earlier_run_left_unfinished_is_given_up(gate: Sluice) -> None:
    left = gate.open_batch("left", options={"row_verdicts": True}, idempotency_key="day-3")["batch_id"]
    gate.send_part(left, 0, table(0, 10))
    report = screened_here(gate, [[table(0, 300)]], source="left", key="day-3")
    assert report.stats["rows_received"] == 300
    assert gate.find_batch(left)["status"] == "aborted"
    again = screened_here(gate, [[table(0, 300)]], source="left", key="day-3")
    assert (again.replayed, len(list(gate.jobs(source="left")))) == (True, 1)


# ---- rows ----


def test_rows_are_taken_by_the_workers(gate: Sluice) -> None:
    def partitions(wrong: int) -> Partitions:
        cities = ["Wien" if i % 97 or not wrong else None for i in range(1000)]
        return [
            [table(0, 400, city=cities[:400])],
            [],
            [table(400, 450, city=cities[400:450]), table(450, 1000, city=cities[450:])],
        ]

    clean = screened_here(gate, partitions(0), source="taken")
    assert are_all(clean.held_parts(), False)
    assert not are_all(clean.held_parts(), True)
    assert (clean.good_rows().num_rows, clean.held_rows().num_rows) == (1000, 0)
    report = screened_here(gate, partitions(1), source="taken")
    wrong = list(range(0, 1000, 97))
    assert report.held_rows().column("id").to_pylist() == wrong
    assert report.good_rows().column("city").null_count == 0
    assert report.good_rows().num_rows == 1000 - len(wrong)
    assert report.held() == wrong
    assert report.held_rows(report._frame).num_rows == len(wrong)
    with pytest.raises(ValueError, match="another frame"):
        report.held_rows(partitions(1))
    assert type(pickle.loads(pickle.dumps(report))) is Report


def test_rows_that_are_not_those_that_were_screened_are_an_error() -> None:
    lines = Lines("json")
    for each in slices_of(table(0, 20)) or ():
        lines.of(each)
    held = HeldPart(lines.sha256, array("q", [3, 4, 19]))
    taken = list(taken_batches([table(0, 4), table(4, 20)], 7, held, "json", True))
    assert [batch.column("id").to_pylist() for batch in taken] == [[3], [4, 19]]
    with pytest.raises(ValueError, match="The rows of part 7 are not those that were screened"):
        list(taken_batches([table(1, 21)], 7, held, "json", True))


def test_a_report_without_all_rows_says_so(gate: Sluice) -> None:
    report = screened_here(gate, [[table(0, 20)]], source="few", row_verdicts=False)
    with pytest.raises(ValueError, match="no row verdicts"):
        report.good_rows()
    reason = {"code": "null", "field": "id", "severity": "info", "count": 3}
    quarantine = {"count": 3, "reasons": [reason], "rows": [[1, [0]]], "whole_batch": []}
    few = Report({**report.to_dict(), "quarantine": quarantine})
    answers = [{"part": 0, "rows": 20, "sha256": "00", "quarantine": quarantine}]
    with pytest.raises(ValueError, match="3 rows of part 0 are to be held back, and 1 of them are listed"):
        PartsReport(few, None, answers, lambda parts, is_held: None).good_rows()
    # None of its reasons holds for the whole batch.
    passing = Report({**report.to_dict(), "quarantine": {**quarantine, "reasons": []}})
    assert PartsReport(passing, None, answers, lambda parts, is_held: are_all(parts, is_held)).good_rows()


def test_a_batch_that_fails_is_given_up(gate: Sluice) -> None:
    before_the_year_1 = pa.table({"z": pa.array([[-(10**12)]], pa.list_(pa.timestamp("s")))})
    with pytest.raises(TypeError, match="Column 'z'"):
        screened_here(gate, [[table(0, 1)], [before_the_year_1]])
    assert gate.list_batches()["batches"][0]["status"] == "aborted"
