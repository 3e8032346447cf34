"""Frames go as Arrow wherever the report is that of their JSON, with the same bytes each time."""

from __future__ import annotations

import datetime as dt
import decimal
import random
import sys
import uuid
from collections.abc import Iterator
from typing import Any, Callable

import anyio
import pytest
from conftest import KEY, Server
from test_frames import ARROW, PANDAS, POLARS
from wire import Wire, verdict

from sluice import AsyncSluice, Blocked, Sluice, _frames
from sluice._http import httpx

pd = pytest.importorskip("pandas")
np = pytest.importorskip("numpy")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

ARROW_TYPE = "application/vnd.apache.arrow.stream"
JSON_TYPE = "application/json"
ROW_VERDICTS = {"row_verdicts": True}
BIG = 2**53 + 1


def type_of(frame: Any, **settings: Any) -> str:
    """The content type of its request."""
    wire = Wire()
    wire.client.screen(frame, source="s", **settings)
    return str(wire.requests[0].headers["content-type"])


def bytes_of(frame: Any) -> bytes:
    wire = Wire()
    wire.client.screen(frame, source="s")
    return bytes(wire.requests[0].content)


#: What two requests never share.
OWN = ("request_id", "batch_id", "timestamp", "latency_ms")


def outcome(gate: Sluice, frame: Any, source: str) -> dict[str, Any]:
    report = dict(gate.screen(frame, source=source, options=ROW_VERDICTS).to_dict())
    job = gate.find_job(report["request_id"])
    profile = job.get("profile") or {}
    for field in profile.get("fields", {}).values():
        field.pop("physical_type", None)
    report["profile"] = profile
    report["stats"] = {name: each for name, each in report["stats"].items() if name != "source"}
    return {name: each for name, each in report.items() if name not in OWN}


@pytest.fixture
def same(gate: Sluice, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Asserts that a frame goes as Arrow, and has the report of its JSON."""

    def check(frame: Any, name: str = "same") -> None:
        assert type_of(frame) == ARROW_TYPE, name
        by_arrow = outcome(gate, frame, f"{name} by arrow")
        with monkeypatch.context() as patch:
            patch.setattr(_frames, "batch_of", lambda *_: None)
            assert type_of(frame) == JSON_TYPE
            by_json = outcome(gate, frame, f"{name} by json")
        assert by_arrow == by_json, name

    return check


FORMS = [
    ("pandas", pd.DataFrame, [(name, make) for name, make, _ in PANDAS if name != "mixed objects"]),
    ("polars", pl.DataFrame, [(name, make) for name, make, _ in POLARS]),
    ("pyarrow", pa.table, [(name, make) for name, make, _ in ARROW]),
]


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
@pytest.mark.parametrize(("library", "frame_of", "forms"), FORMS, ids=[form[0] for form in FORMS])
def test_columns_of_any_type(library: str, frame_of: Any, forms: list[Any], rows: int, same: Any) -> None:
    columns = {name: make() for name, make in forms}
    frame = {name: column for name, column in columns.items() if len(column) == rows}
    if frame:
        same(frame_of(frame), f"{library} of {rows}")


def test_objects_of_polars_are_sent_by_their_values(same: Any) -> None:
    values = [["a", "b"], [uuid.UUID(int=1), None], [{"a": 1}, {"a": [2]}], [1, 2.5], [None, None]]
    for i, each in enumerate(values):
        same(pl.DataFrame({"c": pl.Series(each, dtype=pl.Object)}), f"object {i}")


def test_what_only_json_can_say_is_sent_as_json() -> None:
    columns = [
        pd.Series([1, "a"], dtype=object),
        pd.Series([2**70, 1], dtype=object),
        pd.Series([BIG, 0.5], dtype=object),
        pd.Series([True, 1], dtype=object),
        pd.Series([[1], "a"], dtype=object),
        pd.Series([decimal.Decimal("9007199254740993"), None], dtype=object),
        pd.Series(pd.Categorical([1, "a"])),
        pd.Series(["a\ud800"], dtype=object),
    ]
    for column in columns:
        assert type_of(pd.DataFrame({"c": column})) == JSON_TYPE, column.tolist()
    assert type_of(pd.DataFrame([[1, 2]], columns=["a", "a"])) == JSON_TYPE
    assert type_of(pd.DataFrame({"": [1]})) == JSON_TYPE
    assert type_of(pd.DataFrame(index=[0, 1])) == JSON_TYPE
    assert type_of(pl.DataFrame({"c": pl.Series([1, "a"], dtype=pl.Object)})) == JSON_TYPE
    assert type_of(pd.DataFrame({"c": []})) == JSON_TYPE
    assert type_of(pa.table({"c": pa.array([2**60], pa.duration("s"))})) == JSON_TYPE
    long = {"rules": {"fields": {f"f{i}": {"type": "string"} for i in range(600)}}}
    assert type_of(pd.DataFrame({"c": [1]}), options=long) == JSON_TYPE


def test_without_pyarrow_frames_are_sent_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    assert type_of(frame) == ARROW_TYPE
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert type_of(frame) == JSON_TYPE


# ---- random frames ----

EPOCH = dt.datetime(1970, 1, 1)
WORDS = [
    "",
    "a",
    "Wien",
    "0012",
    "2026-01-02",
    "null",
    "ä\u0000ö",
    "😀",
    '"',
    "\\",
    "1.5",
    "true",
    " ",
    "x" * 300,
]
ODD_FLOATS = [
    0.0,
    -0.0,
    1.0,
    0.1,
    1e300,
    5e-324,
    -2.5,
    float("nan"),
    float("inf"),
    -float("inf"),
    2.0**53,
    2.0**60,
]
COUNTS = [0, 1, -1, 7, 100, 2**31, -(2**53), 2**53, BIG, 2**63 - 1, -(2**63)]


def micros(rng: random.Random) -> int:
    return rng.choice(
        [0, 1_000_000, 500_000, 1000, 1, -1, 86_400_000_000, rng.randrange(-(10**15), 9 * 10**15)]
    )


def values_of(kind: str, rng: random.Random, count: int) -> list[Any]:
    makers: dict[str, Callable[[], Any]] = {
        "int": lambda: rng.choice(COUNTS),
        "small": lambda: rng.randrange(-100, 100),
        "float": lambda: rng.choice([*ODD_FLOATS, rng.random(), rng.gauss(0, 1e6)]),
        "bool": lambda: rng.random() < 0.5,
        "text": lambda: rng.choice(WORDS),
        "time": lambda: EPOCH + dt.timedelta(microseconds=micros(rng)),
        "zoned": lambda: (EPOCH + dt.timedelta(microseconds=micros(rng))).replace(tzinfo=dt.timezone.utc),
        "date": lambda: (EPOCH + dt.timedelta(days=rng.randrange(-1000, 30_000))).date(),
        "clock": lambda: (EPOCH + dt.timedelta(microseconds=micros(rng) % 86_400_000_000)).time(),
        "duration": lambda: dt.timedelta(microseconds=micros(rng)),
        "decimal": lambda: decimal.Decimal(rng.randrange(-(10**9), 10**9)).scaleb(-2),
        "bytes": lambda: rng.choice([b"", b"\xff", b"abcd"]),
        "list": lambda: [rng.choice([1, 2.5, None]) for _ in range(rng.randrange(3))],
        "struct": lambda: {"a": rng.choice([1, None]), "b": rng.choice(WORDS)},
        "uuid": lambda: uuid.UUID(int=rng.getrandbits(128)),
    }
    nulls = rng.choice([0.0, 0.0, 0.2, 1.0])
    return [None if rng.random() < nulls else makers[kind]() for _ in range(count)]


def pandas_frame(rng: random.Random, count: int) -> Any:
    dtypes: dict[str, list[Any]] = {
        "int": ["Int64", "int64", "object", pd.ArrowDtype(pa.int64())],
        "small": ["Int8", "int32", "float64", "category"],
        "float": ["float64", "float32", "object", "Float64"],
        "bool": ["boolean", "object"],
        "text": ["object", "string", "category", None],
        "time": ["datetime64[ns]", "datetime64[us]", "object", "category"],
        "zoned": ["datetime64[ns, UTC]", "datetime64[us, Europe/Vienna]", "object"],
        "date": ["object", "datetime64[s]"],
        "clock": ["object"],
        "duration": ["timedelta64[ns]", "object"],
        "decimal": ["object"],
        "bytes": ["object"],
        "list": ["object"],
        "struct": ["object"],
        "uuid": ["object"],
    }
    columns = {}
    for i in range(rng.randrange(1, 9)):
        kind = rng.choice(list(dtypes))
        values, dtype = values_of(kind, rng, count), rng.choice(dtypes[kind])
        if dtype in ("int64", "int32"):
            values = [value or 0 for value in values]
        if kind == "int" and dtype == "object":
            values = [None if value is None else value % 1000 for value in values]
        columns[f"{kind} {i} %s é"] = pd.Series(values, dtype=dtype)
    return pd.DataFrame(columns)


def polars_frame(rng: random.Random, count: int) -> Any:
    dtypes: dict[str, list[Any]] = {
        "int": [pl.Int64],
        "small": [pl.Int8, pl.Int32, pl.Float32],
        "float": [pl.Float64],
        "bool": [pl.Boolean],
        "text": [pl.String, pl.Categorical],
        "time": [pl.Datetime("us"), pl.Datetime("ns"), pl.Datetime("ms")],
        "zoned": [pl.Datetime("us", "Europe/Vienna")],
        "date": [pl.Date],
        "clock": [pl.Time],
        "duration": [pl.Duration("us"), pl.Duration("ns")],
        "decimal": [pl.Decimal(12, 2)],
        "bytes": [pl.Binary],
        "list": [pl.List(pl.Float64)],
        "struct": [pl.Struct({"a": pl.Int64, "b": pl.String})],
    }
    columns = []
    for i in range(rng.randrange(1, 9)):
        kind = rng.choice(list(dtypes))
        values = values_of(kind, rng, count)
        columns.append(pl.Series(f"{kind} {i}", values, dtype=rng.choice(dtypes[kind]), strict=False))
    return pl.DataFrame(columns)


def arrow_table(rng: random.Random, count: int) -> Any:
    types: dict[str, list[Any]] = {
        "int": [pa.int64()],
        "small": [pa.int8(), pa.int16(), pa.float32(), pa.decimal128(5, 2), pa.decimal128(38, 30)],
        "float": [pa.float64()],
        "bool": [pa.bool_()],
        "text": [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())],
        "time": [pa.timestamp("us"), pa.timestamp("ns")],
        "zoned": [pa.timestamp("us", "UTC"), pa.timestamp("ns", "Europe/Vienna")],
        "date": [pa.date32(), pa.date64()],
        "clock": [pa.time64("us"), pa.time64("ns")],
        "duration": [pa.duration("us")],
        "decimal": [pa.decimal128(12, 2), pa.decimal256(40, 5)],
        "bytes": [pa.binary(), pa.large_binary(), pa.binary_view()],
        "list": [pa.list_(pa.float64()), pa.large_list(pa.float32())],
        "struct": [pa.struct([("a", pa.int64()), ("b", pa.string())])],
    }
    arrays, names = [], []
    for i in range(rng.randrange(1, 9)):
        kind = rng.choice(list(types))
        whole = pa.array(values_of(kind, rng, count + 7), rng.choice(types[kind]))
        cut = rng.randrange(count + 1)
        # Slices and pieces, as files and filters leave them.
        arrays.append(pa.chunked_array([whole.slice(3, cut), whole.slice(3 + cut, count - cut)]))
        names.append(f"{kind} {i}")
    return pa.table(arrays, names)


MAKERS = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": arrow_table}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("library", list(MAKERS))
def test_a_random_frame_has_the_report_of_its_json(library: str, seed: int, same: Any) -> None:
    rng = random.Random(f"{library} {seed}")
    frame = MAKERS[library](rng, rng.choice([1, 8, 61, 400]))
    same(frame, f"{library} {seed}")


# ---- bytes ----


def test_equal_values_have_equal_bytes_whatever_lies_beside_them() -> None:
    """What is under a null, behind the last row and between pieces is not sent."""
    masked = [
        pd.arrays.IntegerArray(np.array([1, hidden, 3]), np.array([False, True, False])) for hidden in (5, 9)
    ]
    one, other = (bytes_of(pd.DataFrame({"c": pd.Series(array)})) for array in masked)
    assert one == other
    for kind, values in (
        (pa.int64(), [1, None, 3]),
        (pa.string(), ["a", None, "ccc"]),
        (pa.bool_(), [True, None, False]),
        (pa.float64(), [0.5, None, float("nan")]),
        (pa.timestamp("us"), [1, None, 3]),
    ):
        plain = pa.array(values, kind)
        secret = pa.array([*values, *values], kind).slice(0, 3)
        pieces = pa.chunked_array([plain.slice(0, 1), plain.slice(1)])
        assert len({bytes_of(pa.table({"c": column})) for column in (plain, secret, pieces)}) == 1
    assert b"secret" not in bytes_of(pa.table({"c": ["a", "secret"]}).slice(0, 1))


def test_a_key_gives_the_same_answer_again_for_an_equal_frame(gate: Sluice) -> None:
    def load() -> Any:
        return pl.DataFrame({"id": [1, None, 3], "name": ["a", None, "c"]})

    first = gate.screen(load(), source="again", idempotency_key="arrow-1")
    again = gate.screen(load(), source="again", idempotency_key="arrow-1")
    assert (first.replayed, again.replayed) == (False, True)
    assert (
        gate.screen(load(), source="again", idempotency_key="arrow-2", compress=True).status == first.status
    )
    assert gate.screen(load(), source="again", idempotency_key="arrow-2", compress=True).replayed


# ---- batches ----


def numbered(count: int) -> Any:
    return pd.DataFrame({"id": range(count), "n": [1.5] * count})


def test_batches_without_end_are_cut_at_the_same_rows(gate: Sluice, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = numbered(25_000)
    frame["odd"] = pd.Series(["a"] * 25_000, dtype=object)
    frame.loc[12_000, "odd"] = 5
    wire = Wire()
    parts = list(wire.client.screen_all(frame, source="s", options={"mode": "adaptive"}))
    # A slice that only JSON can say does not decide how the others go.
    types = [request.headers["content-type"] for request in wire.requests]
    assert types == [ARROW_TYPE, JSON_TYPE, ARROW_TYPE]
    assert [part.first_row for part in parts] == [1, 10_001, 20_001]
    assert wire.requests[0].headers["x-options"] == '{"mode":"adaptive","batch_index":1,"total_batches":2}'
    by_arrow = [part.report.to_dict() for part in gate.screen_all(frame, source="mixed")]
    monkeypatch.setattr(_frames, "batch_of", lambda *_: None)
    by_json = [part.report.to_dict() for part in gate.screen_all(frame, source="json")]
    for member in ("status", "health_score", "schema", "schema_fingerprint", "drift", "anomalies"):
        assert [each.get(member) for each in by_arrow] == [each.get(member) for each in by_json]


def test_a_slice_of_too_many_bytes_is_cut_before_it_is_sent() -> None:
    frame = pd.DataFrame({"text": ["x" * 100] * 1000})
    wire = Wire(max_body_bytes=30_000)
    parts = list(wire.client.screen_all(frame, source="s"))
    assert max(len(request.content) for request in wire.requests) <= 30_000
    assert [part.first_row for part in parts][1:] == [part.last_row + 1 for part in parts][:-1]
    assert parts[-1].last_row == 1000


def test_a_batch_that_is_too_large_for_a_proxy_is_sent_in_halves() -> None:
    def proxy(request: httpx.Request) -> httpx.Response:
        return (
            httpx.Response(413, text="<h1>Too large</h1>")
            if len(request.content) > 2000
            else verdict()(request)
        )

    wire = Wire(proxy)
    parts = list(wire.client.screen_all(numbered(500), source="s"))
    assert (parts[0].first_row, parts[-1].last_row) == (1, 500)
    assert {request.headers["content-type"] for request in wire.requests} == {ARROW_TYPE}
    assert wire.requests[-1].headers["idempotency-key"].endswith("-500")


def test_more_cells_than_the_service_takes_are_sent_in_halves(gate: Sluice) -> None:
    frame = pl.DataFrame({f"c{i}": range(10_000) for i in range(201)})
    parts = list(gate.screen_all(frame, source="cells"))
    assert [(part.first_row, part.last_row) for part in parts] == [(1, 5000), (5001, 10_000)]


def test_the_gate_names_the_rows_of_the_frame(gate: Sluice) -> None:
    rules = {"fields": {"price": {"minimum": 0, "severity": "block"}}}
    for frame in (
        pd.DataFrame({"id": range(40), "price": [1.5] * 37 + [-1.0] * 3}, index=range(100, 140)),
        pl.DataFrame({"id": range(40), "price": [1.5] * 37 + [-1.0] * 3}),
        pa.table({"id": range(40), "price": [1.5] * 37 + [-1.0] * 3}),
    ):
        with pytest.raises(Blocked) as caught:
            gate.gate(frame, source="gated", options={"rules": rules, **ROW_VERDICTS})
        held = caught.value.report.held_rows(frame)
        assert list(held["id"].to_pylist() if isinstance(held, pa.Table) else held["id"]) == [37, 38, 39]
        with pytest.raises(Blocked) as caught:
            list(gate.gate_all(frame, source="gated", options={"rules": rules, **ROW_VERDICTS}))
        assert caught.value.part is not None
        assert caught.value.part.last_row == 40


def test_options_and_sources_of_any_characters(gate: Sluice) -> None:
    rules = {"fields": {"größe\x7f😀": {"maximum": decimal.Decimal("1.5")}}}
    options = {"rules": rules, **ROW_VERDICTS}
    wire = Wire()
    wire.client.screen(pd.DataFrame({"größe\x7f😀": [1.5, 1.6]}), source="Straße ü/ 😀", options=options)
    assert wire.requests[0].headers["content-type"] == ARROW_TYPE
    assert '"gr\\u00f6\\u00dfe\\u007f\\ud83d\\ude00":{"maximum":1.5}' in wire.requests[0].headers["x-options"]
    report = gate.screen(pd.DataFrame({"größe\x7f😀": [1.5, 1.6]}), source="Straße ü/ 😀", options=options)
    assert (report.held(), report.stats["source"]) == ([1], "Straße ü/ 😀")


def test_files_of_columns_go_as_arrow(tmp_path: Any, gate: Sluice) -> None:
    import pyarrow.parquet

    table = pa.table({"id": range(60), "at": pa.array(range(60), pa.timestamp("us"))})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=7)
    bodies = {
        bytes_of(each) for each in (table, tmp_path / "t.parquet", tmp_path / "t.arrow", table.to_reader())
    }
    assert len(bodies) == 1
    assert gate.screen(tmp_path / "t.parquet", source="file").stats["rows_received"] == 60


def test_relations_of_duckdb(same: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    query = "SELECT i AS id, i / 8 AS x, DATE '2026-01-01' + i::INT AS d, nullif(i, 3)::VARCHAR AS t FROM range(50) r(i)"
    same(duckdb.sql(query).to_arrow_table(), "duckdb")
    assert bytes_of(duckdb.sql(query)) == bytes_of(duckdb.sql(query).to_arrow_table())


def test_the_async_client_sends_the_same_bytes(server: Server) -> None:
    contents: list[list[bytes]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        contents[-1].append(request.read())
        return verdict()(request)

    async def read() -> None:
        async with AsyncSluice("http://localhost", KEY, transport=httpx.MockTransport(answer)) as client:
            await client.screen(numbered(9), source="s")
            assert len([part async for part in client.screen_all(numbered(12_000), source="s")]) == 2
        async with AsyncSluice(server.url, KEY) as client:
            assert (await client.gate(numbered(9), source="async arrow")).stats["rows_received"] == 9

    contents.append([])
    anyio.run(read)
    wire = Wire()
    wire.client.screen(numbered(9), source="s")
    assert len(list(wire.client.screen_all(numbered(12_000), source="s"))) == 2
    assert contents[0] == [request.content for request in wire.requests]


def test_no_more_than_two_slices_are_read_ahead() -> None:
    read = 0

    def batches() -> Iterator[Any]:
        nonlocal read
        while True:
            read += 1
            yield pa.record_batch({"a": list(range(1000))})

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
    for _ in Wire().client.screen_all(reader, source="s"):
        break
    assert read < 31
