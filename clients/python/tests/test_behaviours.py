"""The behaviours that all clients share: clients/behaviours.json. test/client/behaviours.test.ts has the same ones for TypeScript."""

from __future__ import annotations

import io
import json
import math
import tempfile
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from typing import Any, Callable

import pytest
from conftest import KEY, ROOT, Server, free_port
from wire import Wire, refusal, verdict

import sluice
from sluice import Blocked, Sluice, SluiceError
from sluice._http import httpx

BEHAVIOURS = json.loads((ROOT / "clients/behaviours.json").read_text())
tested: set[str] = set()


def behaviour(name: str) -> Callable[[Any], Any]:
    """Names the behaviour that a test shows."""
    assert name in BEHAVIOURS, name
    tested.add(name)
    return lambda function: function


ROWS = [{"id": i, "city": "Wien", "note": None if i % 2 else 'a,"b"\nä'} for i in range(60)]
CSV = "id,city,note\n" + "".join(
    f"{i},Wien,{'' if i % 2 else chr(34) + 'a,' + chr(34) * 2 + 'b' + chr(34) * 2 + chr(10) + 'ä' + chr(34)}\n"
    for i in range(60)
)


def failure(call: Callable[[], Any]) -> SluiceError:
    with pytest.raises(SluiceError) as caught:
        call()
    return caught.value


def numbered(count: int) -> list[dict[str, int]]:
    return [{"id": i} for i in range(count)]


# ---- input ----


@behaviour("rows")
def test_forms_of_one_table(gate: Sluice, tmp_path: Any) -> None:
    (tmp_path / "a.csv").write_text(CSV)
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "a.json").write_text(json.dumps(ROWS, indent=1))
    for number, data in enumerate(
        [ROWS, iter(ROWS), *(tmp_path / f"a.{each}" for each in ("csv", "jsonl", "json"))]
    ):
        report = gate.screen(data, source=f"Straße/ü {number}")
        assert (report.stats["rows_received"], list(report.schema)) == (60, ["id", "city", "note"])
        assert report.stats["source"] == f"Straße/ü {number}"
        assert (report.plan, report.replayed) == ("scale", False)
        assert isinstance(report.rows_remaining, int)


@behaviour("columns")
def test_columns(gate: Sluice) -> None:
    for name in ("all.arrows", "all.feather", "all.parquet"):
        wire = Wire()
        for client in (gate, wire.client):
            report = client.screen(ROOT / "test/columns/files" / name, source="Straße/ü")
            if client is gate:
                assert report.stats["rows_received"] == 3
                assert report.schema["ts"]["type"] == "string"
        assert wire.requests[0].headers["content-type"] == "application/vnd.apache.arrow.stream"


@behaviour("not-a-number")
def test_not_a_number() -> None:
    wire = Wire()
    wire.client.screen([{"a": math.nan, "b": math.inf, "c": -math.inf, "d": 0.1}], source="s")
    assert wire.rows() == '[{"a":null,"b":null,"c":null,"d":0.1}]'


@behaviour("time")
def test_time() -> None:
    wire = Wire()
    zone = timezone(timedelta(hours=2))
    wire.client.screen([{"at": datetime(2026, 1, 2, 3, 4, 5, 678_000, zone)}], source="s")
    assert wire.rows() == '[{"at":"2026-01-02T01:04:05.678Z"}]'


@behaviour("no-row")
@pytest.mark.parametrize("odd", [5, None, {"b": object()}, [2]])
def test_no_row(odd: Any) -> None:
    wire = Wire()
    with pytest.raises(TypeError, match=r"^Row 2 "):
        wire.client.screen([{"a": 1}, odd], source="s")
    assert wire.requests == []


@behaviour("no-source")
def test_no_source() -> None:
    wire = Wire()
    for data in (ROWS, b"a\n1\n"):
        with pytest.raises(TypeError, match="source"):
            wire.client.screen(data, source=None)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="source"):
            wire.client.screen_all(data, source=None)  # type: ignore[arg-type]
    for nothing in (None, 5, {"a": 1}):
        with pytest.raises(TypeError, match="nothing to screen"):
            wire.client.screen(nothing, source="s")
    assert wire.requests == []


@behaviour("too-many")
def test_too_many(server: Server, gate: Sluice) -> None:
    lines = b"id\n" + b"".join(b"%d\n" % i for i in range(200_000))
    with Sluice(server.url, KEY, max_body_bytes=500_000) as small:
        for data in (lines, io.BytesIO(lines)):
            report = small.gate(data, source="s")
            assert (report.stats["rows_received"], report.quarantine) == (200_000, None)
    odd = [{"id": i, "amount": "x" if i % 2 else 1.5} for i in range(10_001)]
    for data in (odd, iter(odd), lambda: iter(odd), json.dumps(odd).encode()):
        with pytest.raises(Blocked) as held:
            gate.gate(data, source="odd", options={"dry_run": True})
        assert (held.value.report.stats["rows_received"], held.value.report.quarantine) == (10_001, None)
    with pytest.raises(Blocked) as held:
        gate.gate(odd, source="odd", options={"dry_run": True, "row_verdicts": True})
    assert len(held.value.report.quarantine["rows"]) == 5000
    wire = Wire()
    wire.client.gate(numbered(10_001), source="s")
    assert [request.url.path for request in wire.requests] == ["/v1/batches/whole"]
    assert wire.requests[0].headers["x-options"] == '{"mode":"auto"}'


@behaviour("too-large")
def test_too_large(gate: Sluice) -> None:
    lines = b"id\n" + b"".join(b"%d\n" % i for i in range(10_001))
    for data in (lines, io.BytesIO(lines)):
        report = gate.gate(data, source="s", idempotency_key="too-large")
        assert report.stats["rows_received"] == 10_001
    assert report.replayed
    proxy = Wire(httpx.Response(413, text="<h1>Request Entity Too Large</h1>"))
    assert failure(lambda: proxy.client.screen(ROWS, source="s")).status == 413
    assert ([request.url.path for request in proxy.requests], proxy.pauses) == (
        ["/v1/screen", "/v1/batches/whole"],
        [],
    )


@behaviour("whole")
def test_whole(gate: Sluice) -> None:
    report = gate.screen_whole(({"id": i, "city": "Wien"} for i in range(150_000)), source="s")
    assert report.stats["rows_received"] == 150_000
    rows = numbered(5)
    for data, tries in (
        (rows, 2),
        (iter(rows), 1),
        (lambda: iter(rows), 2),
        (CSV.encode(), 2),
        (io.BytesIO(CSV.encode()), 1),
    ):
        wire = Wire(refusal(503, "SERVICE_UNAVAILABLE", "1"), verdict())
        if tries == 1:
            error = failure(lambda wire=wire, data=data: wire.client.screen_whole(data, source="s"))
            assert error.code == "SERVICE_UNAVAILABLE"
        else:
            wire.client.screen_whole(data, source="s", compress=True)
            first, second = wire.requests
            assert first.content == second.content
            assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
        assert len(wire.requests) == tries


@behaviour("input-fails")
def test_input_fails(gate: Sluice) -> None:
    def broken() -> Iterator[Any]:
        yield from numbered(20_000)
        raise TimeoutError("the disk is gone")

    for call in (
        lambda: gate.screen(broken(), source="broken"),
        lambda: gate.screen_whole(broken(), source="broken"),
        lambda: gate.screen_whole(broken, source="broken"),
    ):
        with pytest.raises(TimeoutError, match="the disk is gone"):
            call()
    assert gate.list_jobs(source="broken")["jobs"] == []


@behaviour("parts")
def test_parts(gate: Sluice) -> None:
    def open_() -> str:
        return gate.open_batch("s", idempotency_key="parts-7")["batch_id"]

    id = open_()
    assert open_() == id
    first = gate.send_part(id, 0, numbered(20_000))
    second = gate.send_part(id, 1, b"id\n5\n6\n", compress=True)
    assert (first["rows"], second["rows"]) == (20_000, 2)
    assert gate.send_part(id, 0, numbered(20_000)) == first
    error = failure(lambda: gate.send_part(id, 0, numbered(3)))
    assert (error.code, error.status) == ("PART_CONFLICT", 409)
    missing = failure(lambda: gate.finish_batch(id, parts=3))
    assert (missing.code, missing.status) == ("PARTS_MISSING", 409)
    assert gate.find_batch(id)["status"] == "open"
    report = gate.finish_batch(id, parts=2)
    assert (report.stats["rows_received"], report.stats["source"], report.replayed) == (20_002, "s", False)
    again = gate.finish_batch(id, parts=2)
    assert (again.to_dict(), again.replayed) == (report.to_dict(), True)
    unwanted = gate.open_batch("s")["batch_id"]
    assert gate.abort_batch(unwanted)["status"] == "aborted"
    assert {id, unwanted} <= {batch["batch_id"] for batch in gate.list_batches()["batches"]}
    busy = Wire(refusal(503, "SERVICE_UNAVAILABLE", "1"), httpx.Response(200, json=first))
    assert busy.client.send_part(id, 0, numbered(20_000)) == first


# ---- many batches ----


@behaviour("batches")
def test_batches(gate: Sluice) -> None:
    csv = b"id\r\n" + b"\r\n".join(b"%d" % i for i in range(20_007))
    for data in (iter(numbered(20_007)), csv, b"".join(b'{"id":%d}\n' % i for i in range(20_007))):
        parts = list(gate.screen_all(data, source="big"))
        assert [(part.batch, part.first_row, part.last_row, part.last) for part in parts] == [
            (1, 1, 10_000, False),
            (2, 10_001, 20_000, False),
            (3, 20_001, 20_007, True),
        ]
        assert [part.report.stats["rows_received"] for part in parts] == [10_000, 10_000, 7]
    for count, sizes in ((10_000, [10_000]), (10_001, [10_000, 1])):
        parts = list(gate.screen_all(numbered(count), source="edge"))
        assert [part.report.stats["rows_received"] for part in parts] == sizes


@behaviour("chunk-options")
def test_chunk_options() -> None:
    wire = Wire()
    list(wire.client.screen_all(numbered(10_001), source="s", options={"full_scan": True}))
    assert [wire.body(i)["options"] for i in (0, 1)] == [
        {"mode": "auto", "full_scan": True, "batch_index": 1, "total_batches": 2},
        {"mode": "auto", "full_scan": True, "batch_index": 2, "total_batches": 2},
    ]
    single = Wire()
    list(single.client.screen_all(numbered(3), source="s"))
    assert single.body()["options"] == {"mode": "auto"}


@behaviour("header")
def test_header() -> None:
    records = [f'{i},"te\nxt"" {i}"\r\n' for i in range(10_003)]
    csv = '\ufeff"id","a\nb"\r\n' + "".join(records)
    wire = Wire()
    list(wire.client.screen_all(csv.encode(), source="s"))
    head = '"id","a\nb"\r\n'
    assert [wire.text(0), wire.text(1)] == [
        head + "".join(records[:10_000]),
        head + "".join(records[10_000:]),
    ]


@behaviour("halves")
def test_halves() -> None:
    def proxy(request: httpx.Request) -> httpx.Response:
        return (
            httpx.Response(413, text="<h1>Too large</h1>")
            if len(request.content) > 500
            else verdict()(request)
        )

    wire = Wire(proxy)
    parts = list(wire.client.screen_all(numbered(60), source="s"))
    firsts = [part.first_row for part in parts]
    assert firsts == [1, *(part.last_row + 1 for part in parts[:-1])]
    assert len(parts) > 1
    assert [part.last for part in parts] == [False] * (len(parts) - 1) + [True]
    assert parts[-1].last_row == 60


@behaviour("empty")
@pytest.mark.parametrize("nothing", [[], b"", b"a,b\n", b"[]"])
def test_empty(gate: Sluice, nothing: Any) -> None:
    format = "json" if nothing == b"[]" else "csv"
    for call in (gate.screen, lambda *a, **b: list(gate.screen_all(*a, **b))):
        assert failure(lambda call=call: call(nothing, source="s", format=format)).code == "INVALID_ROWS"


@behaviour("place")
def test_place(gate: Sluice) -> None:
    bad = b'{"a":1}\n' * 10_000 + b'{"a":}\n'
    seen = []

    def read() -> None:
        seen.extend(part.last_row for part in gate.screen_all(bad, source="s", format="ndjson"))

    error = failure(read)
    assert (seen, error.code, error.place) == ([10_000], "INVALID_JSON", sluice.Place(10_001, 10_001))
    assert str(error.request_id).startswith("req_")


@behaviour("stop")
def test_stop() -> None:
    wire = Wire()
    read = 0

    def rows() -> Any:
        nonlocal read
        while True:
            read += 1
            yield {"a": 1}

    for _ in wire.client.screen_all(rows(), source="s"):
        break
    assert len(wire.requests) == 1
    assert read < 31_000


# ---- keys and retries ----


@behaviour("own-key")
def test_own_key() -> None:
    wire = Wire(refusal(503, "SERVICE_UNAVAILABLE", "1"), refusal(503, "SERVICE_UNAVAILABLE"), verdict())
    wire.client.screen(iter(ROWS), source="s")
    wire.client.screen(ROWS, source="s")
    keys = [request.headers["idempotency-key"] for request in wire.requests]
    assert len(keys[0]) == 32
    assert keys[0] == keys[1] == keys[2] != keys[3]
    assert wire.text(0) == wire.text(1) == wire.text(2)
    wire = Wire()
    list(wire.client.screen_all(numbered(10_001), source="s", idempotency_key="load"))
    assert [request.headers["idempotency-key"] for request in wire.requests] == [
        "load:1-10000",
        "load:10001-10001",
    ]


@behaviour("given-key")
def test_given_key(gate: Sluice) -> None:
    before = gate.show_billing()["rowsProcessed"]
    first = gate.screen(ROWS, source="s", idempotency_key="given-7")
    again = gate.screen(ROWS, source="s", idempotency_key="given-7")
    assert (first.replayed, again.replayed, again) == (False, True, first)
    assert gate.show_billing()["rowsProcessed"] == before + 60


@behaviour("other-request")
def test_other_request(gate: Sluice) -> None:
    gate.screen(ROWS, source="s", idempotency_key="other-7")
    error = failure(lambda: gate.screen(ROWS, source="t", idempotency_key="other-7"))
    assert (error.code, error.status, error.retry_after) == ("IDEMPOTENCY_CONFLICT", 409, None)


@behaviour("compressed")
def test_compressed(gate: Sluice) -> None:
    first = gate.screen(ROWS, source="s", compress=True, idempotency_key="gz-7")
    assert gate.screen(ROWS, source="s", compress=True, idempotency_key="gz-7").replayed
    assert first.stats["rows_received"] == 60
    wire = Wire()
    wire.client.screen(ROWS, source="s", compress=True)
    assert wire.requests[0].headers["content-encoding"] == "gzip"


BROKEN = httpx.ConnectError("refused")


@behaviour("temporary")
@pytest.mark.parametrize(
    "answer",
    [
        BROKEN,
        httpx.ReadError("broken"),
        refusal(408, "REQUEST_TIMEOUT"),
        refusal(500, "INTERNAL"),
        httpx.Response(502, text="<h1>Bad gateway</h1>"),
        refusal(503, "SERVICE_UNAVAILABLE", "1"),
        httpx.Response(504),
        refusal(429, "RATE_LIMITED", "1"),
        refusal(409, "IDEMPOTENCY_CONFLICT", "1"),
    ],
)
def test_temporary(answer: Any) -> None:
    wire = Wire(answer, answer, verdict())
    assert wire.client.screen(ROWS, source="s").status == "PASS"
    assert (len(wire.requests), len(wire.pauses)) == (3, 2)


@behaviour("permanent")
@pytest.mark.parametrize(
    "answer",
    [
        refusal(429, "PLAN_LIMIT_EXCEEDED", "1"),
        refusal(409, "IDEMPOTENCY_CONFLICT"),
        refusal(503, "BILLING_NOT_CONFIGURED", "1"),
        refusal(400, "INVALID_ROWS"),
        refusal(401, "AUTH_INVALID"),
        refusal(415, "UNSUPPORTED_MEDIA_TYPE"),
        httpx.Response(307, headers={"Location": "http://elsewhere/"}),
    ],
)
def test_permanent(answer: httpx.Response) -> None:
    wire = Wire(answer, verdict())
    failure(lambda: wire.client.screen(ROWS, source="s"))
    assert (len(wire.requests), wire.pauses) == (1, [])


@behaviour("retry-after")
def test_retry_after() -> None:
    wire = Wire(refusal(429, "RATE_LIMITED", "60"), verdict())
    wire.client.screen(ROWS, source="s")
    assert 60 <= wire.pauses[0] < 60.25
    date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=20), usegmt=True)
    dated = Wire(refusal(503, "SERVICE_UNAVAILABLE", date), verdict())
    dated.client.screen(ROWS, source="s")
    assert 10 <= dated.pauses[0] < 20.25
    long = Wire(refusal(429, "RATE_LIMITED", "61"), verdict())
    assert failure(lambda: long.client.screen(ROWS, source="s")).retry_after == 61
    assert long.pauses == []


@behaviour("growing")
def test_growing() -> None:
    wire = Wire(BROKEN)
    failure(lambda: wire.client.screen(ROWS, source="s"))
    assert len(wire.pauses) == 5
    for i, pause in enumerate(wire.pauses):
        assert 0.125 * 2**i <= pause <= 0.25 * 2**i


@behaviour("lease")
def test_lease(tmp_path: Any) -> None:
    """The server is killed while it has the request, and another one on its data takes its place."""
    folder = tempfile.mkdtemp(dir=tmp_path)
    port = free_port()
    servers = [Server(folder, port)]

    def slow_rows() -> Any:
        yield from ROWS
        # The request is under way when the last row is asked for.
        threading.Timer(0, replace).start()

    def replace() -> None:
        servers[0].kill()
        servers.append(Server(folder, port))

    with Sluice(servers[0].url, KEY) as client:
        report = client.screen(slow_rows(), source="killed")
        assert report.stats["rows_received"] == 60
        assert [job["id"] for job in client.jobs(source="killed")] == [report.request_id]
    servers[-1].kill()
    # The shortest pauses together are longer than the three seconds for which a killed server's key is held.
    shortest = Wire(BROKEN)
    object.__setattr__(shortest.client._settings.policy, "random", lambda: 0.0)
    failure(lambda: shortest.client.screen(ROWS, source="s"))
    assert sum(shortest.pauses) > 3


@behaviour("once")
def test_once() -> None:
    unsure = Wire(BROKEN)
    assert failure(unsure.client.create_key).code == "UNREACHABLE"
    limited = Wire(
        refusal(429, "RATE_LIMITED", "1"), httpx.Response(201, json={"key": "k", "id": "i", "name": "n"})
    )
    limited.client.create_key()
    reading = Wire(BROKEN, httpx.Response(200, json={"keys": []}))
    reading.client.list_keys()
    assert [len(each.requests) for each in (unsure, limited, reading)] == [1, 2, 2]


@behaviour("probe")
def test_probe() -> None:
    wire = Wire(refusal(503, "SERVICE_UNAVAILABLE"))
    failure(wire.client.ready)
    failure(wire.client.health)
    assert len(wire.requests) == 2


# ---- errors ----


@behaviour("classes")
@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "AUTH_INVALID", sluice.AuthError),
        (400, "INVALID_ROWS", sluice.InvalidInput),
        (400, "MISSING_SOURCE", sluice.InvalidInput),
        (413, "PAYLOAD_TOO_LARGE", sluice.InvalidInput),
        (415, "UNSUPPORTED_MEDIA_TYPE", sluice.InvalidInput),
        (429, "RATE_LIMITED", sluice.RateLimited),
        (429, "PLAN_LIMIT_EXCEEDED", sluice.PlanLimitExceeded),
        (503, "SERVICE_UNAVAILABLE", sluice.Unavailable),
        (500, "INTERNAL", sluice.Unavailable),
        (400, "OF_A_NEWER_SERVICE", sluice.InvalidInput),
        (404, "NOT_FOUND", SluiceError),
    ],
)
def test_classes(status: int, code: str, kind: type[SluiceError]) -> None:
    answer = httpx.Response(
        status, json={"code": code, "message": "why", "url": "u"}, headers={"X-Request-Id": "req_7"}
    )
    error = failure(lambda: Wire(answer, max_retries=0).client.list_jobs())
    assert type(error) is kind
    assert (error.status, error.code, error.message, str(error)) == (status, code, "why", "why")
    assert (error.request_id, error.details) == ("req_7", {"url": "u"})


@behaviour("unreachable")
def test_unreachable() -> None:
    port = free_port()
    error = failure(lambda: Sluice(f"http://127.0.0.1:{port}", KEY, max_retries=0).list_keys())
    assert (type(error), error.code, error.status) == (sluice.Unavailable, "UNREACHABLE", 0)
    assert error.message.startswith(f"http://127.0.0.1:{port} does not answer: ")


@behaviour("foreign")
@pytest.mark.parametrize("answer", [None, [], "PASS", {}, {"status": "ok"}, {"status": ["PASS"]}])
def test_foreign(answer: Any) -> None:
    error = failure(lambda: Wire(httpx.Response(200, json=answer)).client.screen(ROWS, source="s"))
    assert (error.code, error.status) == ("UNEXPECTED_ANSWER", 200)
    page = failure(lambda: Wire(httpx.Response(200, text="<h1>Hello</h1>")).client.screen(ROWS, source="s"))
    assert page.code == "UNEXPECTED_ANSWER"


@behaviour("mixed-up")
def test_mixed_up() -> None:
    for source, received in (("t", 60), ("s", 59)):
        other = {"source": source, "rows_received": received}
        wire = Wire(verdict(stats=other), verdict())
        error = failure(lambda wire=wire: wire.client.gate(ROWS, source="s"))
        assert (error.code, error.status, len(wire.requests)) == ("UNEXPECTED_ANSWER", 200, 1)
        assert error.message == (
            f"The answer is about {received} rows of '{source}', and 60 rows of 's' were sent; does a proxy mix up answers?"
        )
        many = Wire(verdict(), verdict(stats=other))
        error = failure(lambda many=many: list(many.client.gate_all(numbered(10_002), source="s")))
        assert error.place == sluice.Place(10_001, 10_002)
    # Only the service counts the rows of text that is sent as it is.
    wire = Wire(verdict(stats={"source": "t", "rows_received": 60}))
    for text in (CSV.encode(), b'{"rows":[{"a":1}]}'):
        error = failure(lambda text=text: wire.client.screen(text, source="s"))
        assert error.message.startswith("The answer is about 60 rows of 't', and rows of 's' were sent")


@behaviour("secret")
def test_secret() -> None:
    wire = Wire(BROKEN, max_retries=0)
    error = failure(lambda: wire.client.screen(ROWS, source="s"))
    assert KEY not in f"{error!r} {error} {vars(error)} {wire.client!r}"


@behaviour("bad-key")
@pytest.mark.parametrize("settings", [{"key": "secret\nvalue"}, {"key": "secret…"}, {"token": "secret\0"}])
def test_bad_key(settings: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"X-API-Key|Authorization") as caught:
        Sluice("http://localhost", **settings)  # type: ignore[arg-type]
    assert "secret" not in str(caught.value)
    for key in ("", "Größe…"):
        with pytest.raises(ValueError, match="idempotency_key"):
            Wire().client.screen(ROWS, source="s", idempotency_key=key)


# ---- the gate ----

BAD = [{"id": i, "amount": "x" if i % 2 else 1.5} for i in range(20)]


@behaviour("gate")
def test_gate(gate: Sluice) -> None:
    assert gate.gate(numbered(20), source="fine").status == "PASS"
    with pytest.raises(Blocked) as caught:
        gate.gate(BAD, source="bad")
    assert (caught.value.report.status, caught.value.part) == ("BLOCK", None)
    report = caught.value.report
    assert report.url == f"{gate._settings.base}/#/jobs/{report.request_id}"
    assert str(caught.value) == f"BLOCK {report.reason} ({report.url})"
    with pytest.raises(Blocked) as caught:
        gate.gate(BAD, source="bad", options={"dry_run": True})
    assert str(caught.value) == f"BLOCK {caught.value.report.reason}"
    warned = Wire(verdict(status="WARN"))
    assert warned.client.gate(ROWS, source="s").status == "WARN"
    with pytest.raises(Blocked):
        warned.client.gate(ROWS, source="s", block_on="warn")
    with pytest.raises(ValueError, match="block_on"):
        warned.client.gate(ROWS, source="s", block_on="never")


@behaviour("gate-rows")
def test_gate_rows(gate: Sluice) -> None:
    with pytest.raises(Blocked) as caught:
        gate.gate(BAD, source="bad")
    held = caught.value.report.held()
    assert caught.value.report.held_rows(BAD) == [BAD[i] for i in held]
    assert len(caught.value.report.good_rows(BAD)) == len(BAD) - len(held)
    wire = Wire()
    wire.client.gate(ROWS, source="s")
    wire.client.gate(ROWS, source="s", options={"row_verdicts": False})
    assert [wire.body(i)["options"] for i in (0, 1)] == [
        {"mode": "auto", "row_verdicts": True},
        {"mode": "auto", "row_verdicts": False},
    ]


@behaviour("gate-all")
def test_gate_all() -> None:
    wire = Wire(verdict(), verdict(status="BLOCK"), verdict())
    passed = []
    with pytest.raises(Blocked) as caught:
        passed.extend(wire.client.gate_all(numbered(25_000), source="s"))
    part = caught.value.part
    assert part is not None
    assert (part.first_row, part.last_row, len(wire.requests)) == (10_001, 20_000, 2)


# ---- the other operations ----


@behaviour("jobs")
def test_jobs(gate: Sluice) -> None:
    ids = [gate.screen(ROWS, source="paged").request_id for _ in range(5)]
    for size in (2, 5, 200):
        assert [job["id"] for job in gate.jobs(source="paged", page_size=size)] == sorted(ids, reverse=True)
    wire = Wire(httpx.Response(200, json={"jobs": [{"id": "a"}, {"id": "b"}]}))
    assert next(wire.client.jobs(page_size=2))["id"] == "a"
    assert len(wire.requests) == 1


@behaviour("address")
def test_address() -> None:
    for url in ("http://localhost/sluice", "http://localhost/sluice/", "http://localhost/sluice/v1/"):
        seen: list[str] = []

        def answer(request: httpx.Request, seen: list[str] = seen) -> httpx.Response:
            seen.append(str(request.url))
            return httpx.Response(200, json={"status": "ok"})

        Sluice(url, KEY, transport=httpx.MockTransport(answer)).health()
        assert seen == ["http://localhost/sluice/v1/health"]
    for wrong in ("localhost:8080", "ftp://localhost", "/v1"):
        with pytest.raises(ValueError, match="address"):
            Sluice(wrong, KEY)
    for name in ("", ".", ".."):
        with pytest.raises(ValueError, match="address"):
            Wire().client.describe_baseline(name)


@behaviour("traceparent")
def test_traceparent() -> None:
    wire = Wire()
    trace = f"00-{'0af7651916cd43dd8448eb211c80319c'}-b7ad6b7169203331-01"
    wire.client.screen(ROWS, source="s", traceparent=trace)
    assert wire.requests[0].headers["traceparent"] == trace
    with pytest.raises(ValueError, match="traceparent"):
        wire.client.screen(ROWS, source="s", traceparent="mine")


@behaviour("operations")
def test_operations(gate: Sluice) -> None:
    import re

    document = httpx.get(f"{gate._settings.base}/openapi.json").json()
    names = [each["operationId"] for path in document["paths"].values() for each in path.values()]
    for name in set(names) - {"receiveEvent"}:
        snake = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
        assert callable(getattr(Sluice, snake)), snake
        assert callable(getattr(sluice.AsyncSluice, snake)), snake


@behaviour("contract")
def test_contract(gate: Sluice) -> None:
    """That the files are up to date is a test of the repository: here, that a report has the members of its type."""
    from sluice import types

    report = gate.screen(BAD, source="typed", options={"row_verdicts": True}).to_dict()
    assert set(report) <= set(types.Report.__annotations__)
    assert set(report["stats"]) <= set(types.Stats.__annotations__)


def test_every_behaviour_has_a_test() -> None:
    assert tested == set(BEHAVIOURS)
