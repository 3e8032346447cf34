"""Settings, errors that travel, reports for people, and the client with an event loop."""

from __future__ import annotations

import pickle
from typing import Any

import anyio
import pytest
from conftest import EXAMPLES, KEY, Server, free_port
from wire import VERDICT, refusal, verdict

import sluice
from sluice import AsyncSluice, Blocked, Report, Sluice, SluiceError
from sluice._errors import error_of
from sluice._http import httpx


def test_address_and_key_come_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLUICE_URL", server.url)
    monkeypatch.setenv("SLUICE_KEY", KEY)
    assert Sluice().list_keys()["keys"]
    monkeypatch.delenv("SLUICE_URL")
    with pytest.raises(ValueError, match="SLUICE_URL"):
        Sluice()


def test_all_kinds_of_operations(gate: Sluice) -> None:
    rows = [{"id": i, "city": "Wien"} for i in range(60)]
    report = gate.screen(rows, source="a/b ü?")
    assert gate.find_job(report.request_id)["report"] == report.to_dict()
    assert [each["source"] for each in gate.list_baselines()["sources"]] == ["a/b ü?"]
    assert gate.describe_baseline("a/b ü?")["fields"]["city"]["type"] == "string"
    settings = gate.put_settings("a/b ü?", mode="adaptive", thresholds={"health_warn": 0.9})
    assert (settings["mode"], settings["thresholds"]) == ("adaptive", {"health_warn": 0.9})
    with pytest.raises(SluiceError) as conflict:
        gate.put_settings("a/b ü?", mode="contract", if_version=0)
    assert conflict.value.code == "VERSION_CONFLICT"
    assert gate.put_settings("a/b ü?", if_version=settings["version"])["mode"] is None
    assert gate.pin_baseline("a/b ü?", pinned=True)["pinned"] is True
    assert gate.put_rules("a/b ü?", rows={"min": 1}, if_version=0)["version"] == 1
    with pytest.raises(SluiceError) as late:
        gate.put_rules("a/b ü?", rows={"min": 2}, if_version=0)
    assert late.value.code == "VERSION_CONFLICT"
    channel = gate.create_alert_channel(type="webhook", url="https://example.com/hook")
    assert gate.find_alert_channel(channel["id"])["url"] == "https://example.com/hook"
    assert gate.statistics(days=1)["totalJobs"] >= 1
    made = gate.create_key(name="nightly")
    assert gate.delete_key(made["id"])["ok"] is True
    with pytest.raises(SluiceError) as caught:
        gate.describe_baseline("none such")
    assert caught.value.code == "NOT_FOUND"
    with pytest.raises(sluice.InvalidInput) as refused:
        gate.screen(rows, source="s", options={"thresholds": {"health_warn": 2}})
    assert (refused.value.code, "health_warn" in refused.value.message) == ("INVALID_OPTIONS", True)


def test_errors_and_blocks_travel_between_processes() -> None:
    error = error_of("why", code="RATE_LIMITED", status=429, retry_after=2.0, details={"a": 1})
    error.place = sluice.Place(1, 2)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), vars(again), str(again)) == (sluice.RateLimited, vars(error), "why")
    blocked = pickle.loads(pickle.dumps(Blocked(Report({**VERDICT, "status": "BLOCK"}))))
    assert str(blocked) == "BLOCK fine"


def test_a_notebook_shows_the_report_and_never_runs_what_is_in_the_data() -> None:
    evil = "<script>alert(1)</script>"
    report = Report(
        {
            **VERDICT,
            "status": "WARN",
            "decision": {"action": "WARN", "reason": evil},
            "stats": {"source": evil, "rows_received": 12_345},
            "drift": [{"field": evil, "kind": "field_added", "severity": "warn", "detail": evil}],
            "issues": {
                "null_rates": {evil: {"actual": 0.5, "threshold": 0.3, "severity": "warning"}},
                "type_mismatches": {
                    evil: {"expected": evil, "rate": 0.25, "severity": "critical", "found": []}
                },
                "outliers": {evil: {"count": 3, "severity": "info"}},
            },
        }
    )
    html = report._repr_html_()
    assert "<script" not in html
    for text in (
        "WARN",
        "12,345 rows",
        "50.0% of the rows have no value",
        "25.0% of the values",
        "3 outliers",
    ):
        assert text in html
    assert repr(report).startswith("<Report WARN 1 ")


def test_posts_to_a_source_with_a_window_say_which(gate: Sluice) -> None:
    settings = gate.put_settings("clicks", window={"rows": 1000, "ms": 60_000})
    assert settings["window"] == {"rows": 1000, "ms": 60_000}
    windows = [gate.screen([{"id": i}], source="clicks").window for i in range(2)]
    assert [window and window["rows"] for window in windows] == [1, 2]


def test_a_report_has_every_member_of_the_answer(gate: Sluice) -> None:
    report = gate.screen(EXAMPLES / "orders-clean.csv", source="orders")
    broken = gate.screen(EXAMPLES / "orders-broken.csv", source="orders", options={"row_verdicts": True})
    assert (report.passed, report.blocked, report.drift, report.quarantine) == (True, False, [], None)
    assert (broken.blocked, broken.status, broken.reason) == (
        True,
        "BLOCK",
        broken.to_dict()["decision"]["reason"],
    )
    assert broken.drift == broken.to_dict()["drift"]
    assert broken.issues == broken.to_dict()["issues"]
    assert broken.whole_batch == broken.to_dict()["quarantine"]["whole_batch"]
    assert broken.window is None
    with pytest.raises(ValueError, match="by line"):
        broken.held()


def test_an_endless_answer_does_not_fill_the_memory() -> None:
    class Endless(httpx.SyncByteStream):
        def __iter__(self) -> Any:
            while True:
                yield b"x" * (8 * 1024 * 1024)

    transport = httpx.MockTransport(lambda request: httpx.Response(200, stream=Endless()))
    with pytest.raises(SluiceError, match="longer than 67108864 bytes"):
        Sluice("http://localhost", KEY, transport=transport).list_keys()


# ---- the client with an event loop ----


def run(call: Any) -> Any:
    return anyio.run(call)


def test_the_async_client_screens_rows_files_and_async_iterables(server: Server) -> None:
    async def rows() -> Any:
        for i in range(10_003):
            yield {"id": i}

    async def main() -> None:
        async with AsyncSluice(server.url, KEY) as client:
            await client.reset_all_baselines()
            report = await client.screen(EXAMPLES / "orders-clean.csv", "async")
            assert report.stats["rows_received"] == 150
            assert (await client.screen(_few(rows()), "async-rows")).stats["rows_received"] == 3
            sizes = [part.last_row async for part in client.screen_all(rows(), "async-all")]
            assert sizes == [10_000, 10_003]
            parts = [part async for part in client.gate_all(EXAMPLES / "orders-clean.csv", "async-file")]
            assert [part.last for part in parts] == [True]
            assert [job["id"] async for job in client.jobs(source="async", page_size=1)] == [
                report.request_id
            ]
            with pytest.raises(Blocked):
                await client.gate([{"a": 1 if i % 2 else "x"} for i in range(20)], "async-bad")
            with pytest.raises(sluice.InvalidInput):
                await client.screen([], "empty")
            assert (await client.describe_baseline("async"))["rows"] == 150

    run(main)


async def _few(rows: Any) -> Any:
    count = 0
    async for row in rows:
        count += 1
        if count > 3:
            return
        yield row


def test_the_async_client_retries_as_the_other_one() -> None:
    answers = [httpx.ConnectError("refused"), refusal(503, "SERVICE_UNAVAILABLE", "7"), verdict()]
    keys: list[str] = []
    pauses: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        keys.append(request.headers["idempotency-key"])
        given = answers[len(keys) - 1]
        if isinstance(given, Exception):
            raise given
        return given(request) if callable(given) else given

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def main() -> None:
        client = AsyncSluice("http://localhost", KEY, transport=httpx.MockTransport(answer), sleep=pause)
        assert (await client.screen([{"a": 1}], "s")).status == "PASS"

    run(main)
    assert len(set(keys)) == 1
    assert len(keys) == 3
    assert 7 <= pauses[1] <= 7.5


def test_the_async_client_stops_reading_when_its_reader_stops() -> None:
    closed = False

    async def rows() -> Any:
        nonlocal closed
        try:
            while True:
                yield {"a": 1}
        finally:
            closed = True

    async def main() -> None:
        client = AsyncSluice("http://localhost", KEY, transport=httpx.MockTransport(verdict()))
        parts = client.screen_all(rows(), "s")
        assert (await parts.__anext__()).first_row == 1
        await parts.aclose()  # type: ignore[attr-defined]

    run(main)
    assert closed


def test_an_address_where_nobody_listens_is_unavailable_for_the_async_client() -> None:
    async def main() -> None:
        client = AsyncSluice(f"http://127.0.0.1:{free_port()}", KEY, max_retries=0)
        with pytest.raises(sluice.Unavailable):
            await client.health()

    run(main)
