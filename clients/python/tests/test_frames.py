"""Frames of pandas, polars and pyarrow are the same rows, exactly. `test_arrow.py`: so they are as Arrow."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any, Callable

import pytest
from wire import Wire

from sluice import Report, Sluice
from sluice._frames import slices_of

pd = pytest.importorskip("pandas")
np = pytest.importorskip("numpy")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


def sent(frame: Any) -> str:
    """The rows as JSON."""
    slices = slices_of(frame)
    assert slices is not None
    return "[" + ",".join(row.decode() for each in slices for row in each.rows()) + "]"


def column(frame: Any) -> str:
    """The values of the only column, as JSON."""
    slices = slices_of(frame)
    assert slices is not None
    return ",".join(row.decode()[len('{"c":') : -1] for each in slices for row in each.rows())


BIG = 2**53 + 1
AT = dt.datetime(2026, 1, 2, 3, 4, 5, 600)
DAY = dt.date(2026, 1, 2)


PANDAS: list[tuple[str, Callable[[], Any], str]] = [
    ("integers", lambda: pd.Series([BIG, -1]), f"{BIG},-1"),
    ("unsigned", lambda: pd.Series([2**64 - 1], dtype="uint64"), str(2**64 - 1)),
    ("integers that may be missing", lambda: pd.Series([BIG, None], dtype="Int64"), f"{BIG},null"),
    ("floats", lambda: pd.Series([0.1, np.nan, np.inf]), "0.1,null,null"),
    ("booleans", lambda: pd.Series([True, False]), "true,false"),
    ("booleans that may be missing", lambda: pd.Series([True, None], dtype="boolean"), "true,null"),
    ("texts", lambda: pd.Series(["a", None]), '"a",null'),
    ("texts of its own type", lambda: pd.Series(["a", None], dtype="string"), '"a",null'),
    ("decimals", lambda: pd.Series([Decimal("0.10"), None]), "0.10,null"),
    ("mixed objects", lambda: pd.Series([1, "a", np.nan, pd.NaT, pd.NA, [1, {"b": np.nan}]], dtype=object), '1,"a",null,null,null,[1,{"b":null}]'),
    ("times", lambda: pd.Series([pd.Timestamp(AT), pd.NaT]), '"2026-01-02T03:04:05.000600",null'),
    ("nanoseconds", lambda: pd.Series([pd.Timestamp("2026-01-02T03:04:05.000000007")]), '"2026-01-02T03:04:05.000000007"'),
    ("times with a zone", lambda: pd.Series([pd.Timestamp(AT, tz="Europe/Vienna"), pd.NaT]), '"2026-01-02T02:04:05.000600Z",null'),
    ("times as objects", lambda: pd.Series([pd.Timestamp("2026-01-02T03:04:05.000000007Z")], dtype=object), '"2026-01-02T03:04:05.000000007Z"'),
    ("durations", lambda: pd.Series([pd.Timedelta("1.5s"), pd.NaT]), "1.5,null"),
    ("durations as objects", lambda: pd.Series([pd.Timedelta("7ns")], dtype=object), "0.000000007"),
    ("categories", lambda: pd.Series(["a", None, "b", "a"], dtype="category"), '"a",null,"b","a"'),
    ("categories of numbers", lambda: pd.Series(pd.Categorical([BIG, None], categories=pd.Index([BIG]))), f"{BIG},null"),
    ("periods", lambda: pd.Series(pd.period_range("2026-01", periods=1, freq="M")), '"2026-01"'),
    ("a sparse column", lambda: pd.Series(pd.arrays.SparseArray([0, 0, 7])), "0,0,7"),
    ("a column of Arrow", lambda: pd.Series([Decimal("1.50"), None], dtype=pd.ArrowDtype(pa.decimal128(9, 2))), "1.50,null"),
    ("arrays", lambda: pd.Series([np.array([1, 2]), None]), "[1,2],null"),
    ("bytes", lambda: pd.Series([b"\xff"]), '"/w=="'),
]  # fmt: skip


@pytest.mark.parametrize(("make", "text"), [case[1:] for case in PANDAS], ids=[case[0] for case in PANDAS])
def test_pandas(make: Callable[[], Any], text: str) -> None:
    assert column(pd.DataFrame({"c": make()})) == text


POLARS: list[tuple[str, Callable[[], Any], str]] = [
    ("integers", lambda: pl.Series("c", [BIG, None]), f"{BIG},null"),
    ("unsigned", lambda: pl.Series("c", [2**64 - 1], dtype=pl.UInt64), str(2**64 - 1)),
    ("floats", lambda: pl.Series("c", [0.1, float("nan"), None]), "0.1,null,null"),
    ("decimals", lambda: pl.Series("c", [Decimal("0.10")], dtype=pl.Decimal(10, 2)), "0.10"),
    ("times", lambda: pl.Series("c", [AT, None]), '"2026-01-02T03:04:05.000600",null'),
    ("nanoseconds", lambda: pl.Series("c", [7], dtype=pl.Int64).cast(pl.Datetime("ns", "Europe/Vienna")), '"1970-01-01T00:00:00.000000007Z"'),
    ("days", lambda: pl.Series("c", [DAY, None]), '"2026-01-02",null'),
    ("times of day", lambda: pl.Series("c", [dt.time(3, 4, 5, 6)]), '"03:04:05.000006"'),
    ("durations", lambda: pl.Series("c", [dt.timedelta(seconds=1.5)]), "1.5"),
    ("categories", lambda: pl.Series("c", ["a", None, "a"], dtype=pl.Categorical), '"a",null,"a"'),
    ("lists", lambda: pl.Series("c", [[1, None], None]), "[1,null],null"),
    ("structs", lambda: pl.Series("c", [{"a": 1, "b": [DAY]}]), '{"a":1,"b":["2026-01-02"]}'),
    ("bytes", lambda: pl.Series("c", [b"\xff"]), '"/w=="'),
    ("nothing", lambda: pl.Series("c", [None, None]), "null,null"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "text"), [case[1:] for case in POLARS], ids=[case[0] for case in POLARS])
def test_polars(make: Callable[[], Any], text: str) -> None:
    assert column(make().to_frame()) == text
    assert column(make().to_frame().lazy()) == text


def arrow(values: list[Any], kind: Any) -> Any:
    return pa.array(values, kind)


def views(categories: Any) -> Any:
    return pa.DictionaryArray.from_arrays(categories.indices, categories.dictionary.cast(pa.string_view()))


ARROW: list[tuple[str, Callable[[], Any], str]] = [
    ("integers", lambda: arrow([BIG, None], pa.int64()), f"{BIG},null"),
    ("floats", lambda: arrow([0.1, float("nan"), None], pa.float64()), "0.1,null,null"),
    ("halves", lambda: pa.array(np.array([0.5], np.float16)), "0.5"),
    ("decimals", lambda: arrow([Decimal("0.10"), None], pa.decimal128(9, 2)), "0.10,null"),
    ("decimals of many digits", lambda: arrow([Decimal("12345678901234567890.10")], pa.decimal128(30, 2)), "12345678901234567890.10"),
    ("times", lambda: arrow([AT, None], pa.timestamp("us")), '"2026-01-02T03:04:05.000600",null'),
    ("nanoseconds", lambda: arrow([7], pa.int64()).cast(pa.timestamp("ns", "Europe/Vienna")), '"1970-01-01T00:00:00.000000007Z"'),
    ("times beyond the year 9999", lambda: arrow([253402300800], pa.int64()).cast(pa.timestamp("s")), '"+010000-01-01T00:00:00"'),
    ("days", lambda: arrow([DAY, None], pa.date32()), '"2026-01-02",null'),
    ("days in milliseconds", lambda: arrow([DAY], pa.date64()), '"2026-01-02"'),
    ("times of day", lambda: arrow([7], pa.int32()).cast(pa.time32("ms")), '"00:00:00.007"'),
    ("nanoseconds of a day", lambda: arrow([7], pa.int64()).cast(pa.time64("ns")), '"00:00:00.000000007"'),
    ("durations", lambda: arrow([1500], pa.int64()).cast(pa.duration("ms")), "1.5"),
    ("categories", lambda: arrow(["a", None, "a"], pa.string()).dictionary_encode(), '"a",null,"a"'),
    ("categories of views", lambda: views(arrow(["a", None, "b"], pa.string()).dictionary_encode()), '"a",null,"b"'),
    ("categories of structs", lambda: pa.DictionaryArray.from_arrays(arrow([1, None], pa.uint8()), arrow([{"a": 1}, {"a": 2}], None)), '{"a":2},null'),
    ("lists", lambda: arrow([[1, None], None], pa.list_(pa.int64())), "[1,null],null"),
    ("structs", lambda: arrow([{"a": [DAY]}], pa.struct([("a", pa.list_(pa.date32()))])), '{"a":["2026-01-02"]}'),
    ("maps", lambda: arrow([[("k", 1)]], pa.map_(pa.string(), pa.int64())), '[["k",1]]'),
    ("bytes", lambda: arrow([b"\xff"], pa.binary()), '"/w=="'),
    ("nothing", lambda: arrow([None], pa.null()), "null"),
    ("large texts", lambda: arrow(["a"], pa.large_string()), '"a"'),
]  # fmt: skip


@pytest.mark.parametrize(("make", "text"), [case[1:] for case in ARROW], ids=[case[0] for case in ARROW])
def test_arrow(make: Callable[[], Any], text: str) -> None:
    assert column(pa.table({"c": make()})) == text
    assert column(pa.table({"c": make()}).to_batches()[0]) == text
    assert column(pa.table({"c": make()}).to_reader()) == text


def test_names_are_kept_also_twice_and_of_several_levels() -> None:
    frame = pd.DataFrame([[1, 2, 3]], columns=["a%s", "b", "b"])
    assert sent(frame) == '[{"a%s":1,"b":2,"b":3}]'
    assert (
        sent(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("x", 1), ("x", 2)])))
        == '[{"x.1":1,"x.2":2}]'
    )
    assert sent(pd.DataFrame([[1, 2]])) == '[{"0":1,"1":2}]'


def test_the_index_is_not_sent() -> None:
    assert sent(pd.DataFrame({"a": [1, 2]}, index=["x", "y"])) == '[{"a":1},{"a":2}]'


def test_a_column_that_cannot_be_written_is_named() -> None:
    with pytest.raises(TypeError, match=r"Column 'odd' cannot be written as JSON: .*complex"):
        sent(pd.DataFrame({"fine": [1], "odd": [1j]}))


def test_frames_of_any_length_are_sent_in_batches() -> None:
    numbers = list(range(25_000))
    table = pa.table({"n": numbers})
    for frame in (
        pd.DataFrame({"n": numbers}),
        pl.DataFrame({"n": numbers}),
        table,
        table.to_reader(max_chunksize=700),
    ):
        wire = Wire()
        parts = list(wire.client.screen_all(frame, source="s"))
        assert [(part.first_row, part.last_row) for part in parts] == [
            (1, 10_000),
            (10_001, 20_000),
            (20_001, 25_000),
        ]
        assert [row["n"] for i in range(3) for row in wire.body(i)["rows"]] == numbers


def test_a_frame_of_another_library_is_read_by_the_stream_interface_of_arrow() -> None:
    class Relation:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table({"a": [BIG]}).__arrow_c_stream__(requested_schema)

    assert sent(Relation()) == f'[{{"a":{BIG}}}]'


def test_the_same_table_has_the_same_report_in_every_form(gate: Sluice) -> None:
    data = {
        "id": [1, 2, 3],
        "amount": [1.5, None, 2.25],
        "at": [AT, AT, AT],
        "day": [DAY, DAY, None],
        "name": ["a", "b", "a"],
    }
    frames = [
        [dict(zip(data, row)) for row in zip(*data.values())],
        pd.DataFrame({**data, "day": pd.Series(data["day"], dtype=object)}),
        pl.DataFrame(data),
        pa.table(data),
    ]
    reports = [gate.screen(frame, source=f"form-{i}").to_dict() for i, frame in enumerate(frames)]
    for report in reports[1:]:
        for member in ("status", "health_score", "schema", "schema_fingerprint", "issues"):
            assert report.get(member) == reports[0].get(member)


def held(*rows: int) -> Report:
    quarantine = {"count": len(rows), "reasons": [], "rows": [[row, []] for row in rows], "whole_batch": []}
    return Report({"quarantine": quarantine, "stats": {"rows_received": 4, "row_numbers": "index"}})


def test_rows_are_held_and_let_through_as_the_same_kind_of_frame() -> None:
    data = {"a": [10, 11, 12, 13]}
    report = held(1, 3)
    frame = pd.DataFrame(data, index=[5, 5, 6, 6])
    assert report.held_rows(frame)["a"].tolist() == [11, 13]
    assert report.good_rows(frame)["a"].tolist() == [10, 12]
    assert report.good_rows(frame).index.tolist() == [5, 6]
    assert report.held_rows(pl.DataFrame(data))["a"].to_list() == [11, 13]
    assert report.good_rows(pa.table(data))["a"].to_pylist() == [10, 12]
    for none in (pd.DataFrame(data), pl.DataFrame(data), pa.table(data)):
        assert len(held().held_rows(none)) == 0
        assert len(held().good_rows(none)) == 4
    with pytest.raises(ValueError, match="4 rows, and the frame has 3"):
        report.held_rows(pd.DataFrame({"a": [1, 2, 3]}))
    with pytest.raises(ValueError, match="row_verdicts"):
        Report({"stats": {"rows_received": 4}}).held_rows(frame)


def test_rows_are_taken_of_columns_of_any_type() -> None:
    texts = ["a", "b", "c", "d"]
    ends = pa.RunEndEncodedArray.from_arrays([1, 2, 3, 4], texts)
    table = pa.table({"a": ends, "view": arrow(texts, pa.string_view())})
    for frame in (table, table.to_batches()[0]):
        for rows in ([], [1, 3], [0, 1, 3], [0, 1, 2, 3]):
            report, kept = held(*rows), [row for row in range(4) if row not in rows]
            assert isinstance(report.held_rows(frame), type(frame))
            assert report.held_rows(frame)["a"].to_pylist() == [texts[row] for row in rows]
            assert report.good_rows(frame)["a"].to_pylist() == [texts[row] for row in kept]


def test_rows_of_one_batch_are_taken_out_of_the_whole_frame(gate: Sluice) -> None:
    frame = pd.DataFrame({"id": range(10_002), "n": [1.5] * 10_002})
    last = list(gate.screen_all(frame, source="parts"))[-1]
    assert last.rows_of(frame)["id"].tolist() == [10_000, 10_001]


def test_all_rows_of_a_real_batch_are_either_held_or_good(gate: Sluice) -> None:
    frame = pd.DataFrame({"id": range(40), "amount": [1.5] * 37 + ["x"] * 3})
    report = gate.screen(frame, source="split", options={"row_verdicts": True})
    assert report.held_rows(frame)["id"].tolist() == [37, 38, 39]
    assert report.good_rows(frame)["id"].tolist() == list(range(37))
    assert json.loads(sent(report.good_rows(frame)))[-1] == {"id": 36, "amount": 1.5}
