"""
Frames of pandas, polars and pyarrow → slices of rows, as record batches of Arrow or as JSON, column by column. pandas and polars are not
imported: a frame brings its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ._arrow import array_of_texts, arrow_array, batch_of, decoded, pandas_array
from ._values import (
    DAY,
    UNITS,
    clock_text,
    day_text,
    duration_text,
    encoded,
    instant_text,
    name_of,
    numpy_texts,
    quoted,
    text_of,
)

Texts = list[str]

#: Rows that are written at once.
SLICE_ROWS = 10_000


@dataclass(frozen=True)
class Slice:
    """Rows of a frame."""

    names: list[str]
    columns: list[Any]
    count: int
    #: Column → JSON texts.
    texts: Callable[[Any], Texts]
    #: Column → an array of Arrow; None: it must go as JSON.
    array: Callable[[Any], Any]

    def batch(self) -> Any:
        """A record batch; None where JSON says more than Arrow, or pyarrow is missing."""
        return batch_of(self.names, self.columns, self.array)

    def rows(self) -> list[bytes]:
        """As JSON. Raises `TypeError` that names the column."""
        return rows_of(self.names, self.written(), self.count)

    def written(self) -> list[Texts]:
        """The JSON texts of each column. Raises `TypeError` that names the column."""
        return [_texts(name, self.texts, column) for name, column in zip(self.names, self.columns)]


def slices_of(data: Any) -> Optional[Iterator[Slice]]:
    """The rows of a frame, 10,000 at once; None if it is no frame."""
    for is_one, slices in _KINDS:
        if is_one(data):
            return slices(data)
    return None


def _of(module: str, *names: str) -> Callable[[Any], bool]:
    """Whether a value is of a class, or of one below it, without importing its module: whoever has a value has it imported."""

    def is_one(data: Any) -> bool:
        loaded = sys.modules.get(module)
        classes = tuple(getattr(loaded, name) for name in names if hasattr(loaded, name))
        return isinstance(data, classes)

    return is_one


is_pandas = _of("pandas", "DataFrame")
is_polars = _of("polars", "DataFrame")
is_arrow = _of("pyarrow", "Table", "RecordBatch")
_is_lazy = _of("polars", "LazyFrame")


def is_frame_in_memory(data: Any) -> bool:
    return is_pandas(data) or is_polars(data) or is_arrow(data) or _is_lazy(data)


def rows_of(names: list[str], columns: list[Texts], count: int) -> list[bytes]:
    if not columns:
        return [b"{}"] * count
    members = ",".join(f"{quoted(name)}:".replace("%", "%%") + "%s" for name in names)
    template = "{" + members + "}"
    return [encoded(template % row) for row in zip(*columns)]


def _texts(name: str, write: Callable[[Any], Texts], column: Any) -> Texts:
    try:
        return write(column)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise TypeError(f"Column {name!r} cannot be written as JSON: {error}") from error


# ---- pandas ----


def _pandas_texts(series: Any) -> Texts:
    dtype = series.dtype
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        known = _pandas_texts(series.cat.categories.to_series())
        return ["null" if code < 0 else known[code] for code in series.cat.codes.tolist()]
    if kind == "DatetimeTZDtype":
        plain = numpy_texts(series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
        return [text if text == "null" else f'{text[:-1]}Z"' for text in plain]
    if kind == "SparseDtype":
        return numpy_texts(series.sparse.to_dense().to_numpy())
    if kind == "ArrowDtype":
        import pyarrow

        return _arrow_texts(pyarrow.chunked_array([pyarrow.array(series.array)]))
    if (
        hasattr(dtype, "kind")
        and hasattr(dtype, "itemsize")
        and dtype.__class__.__module__.startswith("numpy")
    ):
        return numpy_texts(series.to_numpy())
    return list(map(text_of, series.tolist()))


def _pandas_slices(frame: Any) -> Iterator[Slice]:
    names = list(map(name_of, frame.columns))
    for at in range(0, len(frame), SLICE_ROWS):
        part = frame.iloc[at : at + SLICE_ROWS]
        # By position: two columns may have one name.
        columns = [part.iloc[:, i] for i in range(len(names))]
        yield Slice(
            names, columns, len(part), _pandas_texts, lambda column: pandas_array(column, _pandas_texts)
        )


# ---- polars ----


def _polars_texts(series: Any) -> Texts:
    dtype = series.dtype
    kind = str(dtype.base_type())
    if kind in ("Datetime", "Duration"):
        size = UNITS[dtype.time_unit]
        zoned = kind == "Datetime" and dtype.time_zone is not None
        return _timed(
            series.to_physical().to_list(), size, "duration" if kind == "Duration" else "timestamp", zoned
        )
    if kind in ("Date", "Time"):
        return _timed(series.to_physical().to_list(), DAY if kind == "Date" else 1, kind.lower(), False)
    return list(map(text_of, series.to_list()))


def _timed(values: list[Optional[int]], size: int, kind: str, zoned: bool) -> Texts:
    writers: dict[str, Callable[[int], str]] = {
        "date": lambda value: f'"{day_text(value * size // DAY)}"',
        "time": lambda value: f'"{clock_text(value * size)}"',
        "duration": lambda value: duration_text(value * size),
        "timestamp": lambda value: instant_text(value * size, zoned),
    }
    write = writers[kind]
    return ["null" if value is None else write(value) for value in values]


def _polars_array(series: Any) -> Any:
    if str(series.dtype) == "Object":
        # As Arrow these are addresses in memory.
        return array_of_texts(_polars_texts(series))
    return arrow_array(series.to_arrow(), lambda: _polars_texts(series))


def _polars_slices(frame: Any) -> Iterator[Slice]:
    for part in frame.iter_slices(SLICE_ROWS):
        yield Slice(part.columns, part.get_columns(), part.height, _polars_texts, _polars_array)


def _lazy_slices(frame: Any) -> Iterator[Slice]:
    yield from _polars_slices(frame.collect())


# ---- pyarrow ----


def _arrow_texts(column: Any) -> Texts:
    import pyarrow as pa

    types, kind = pa.types, column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _arrow_texts(pa.chunked_array([each.storage for each in column.chunks], kind.storage_type))
    if types.is_dictionary(kind):
        return [text for chunk in column.chunks for text in _arrow_texts(pa.chunked_array([decoded(chunk)]))]
    if types.is_timestamp(kind) or types.is_duration(kind) or types.is_time(kind):
        what = "timestamp" if types.is_timestamp(kind) else "duration" if types.is_duration(kind) else "time"
        integers = column.cast(pa.int32() if types.is_time32(kind) else pa.int64())
        return _timed(
            integers.to_pylist(), UNITS[kind.unit], what, what == "timestamp" and kind.tz is not None
        )
    if types.is_date(kind):
        days = types.is_date32(kind)
        integers = column.cast(pa.int32() if days else pa.int64())
        return _timed(integers.to_pylist(), DAY if days else UNITS["ms"], "date", False)
    return list(map(text_of, column.to_pylist()))


def _arrow_slices(data: Any) -> Iterator[Slice]:
    import pyarrow as pa

    table = data if isinstance(data, pa.Table) else pa.Table.from_batches([data])
    for at in range(0, table.num_rows, SLICE_ROWS):
        part = table.slice(at, SLICE_ROWS)
        yield Slice(
            part.column_names,
            part.columns,
            part.num_rows,
            _arrow_texts,
            lambda column: arrow_array(column, lambda: _arrow_texts(column)),
        )


def reader_slices(batches: Iterable[Any]) -> Iterator[Slice]:
    """The rows of record batches of any size, as a RecordBatchReader gives them."""
    import pyarrow as pa

    held: list[Any] = []
    count = 0
    for batch in batches:
        rest = batch
        while rest.num_rows > 0:
            some = rest.slice(0, SLICE_ROWS - count)
            held.append(some)
            count += some.num_rows
            rest = rest.slice(some.num_rows)
            if count == SLICE_ROWS:
                yield from _arrow_slices(pa.Table.from_batches(held))
                held, count = [], 0
    if held:
        yield from _arrow_slices(pa.Table.from_batches(held))


def pyarrow_for(what: str) -> Any:
    """Raises `ImportError` that says what to install."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(f"{what} needs pyarrow: pip install 'sluice-client[arrow]'") from error
    return pyarrow


def _stream_slices(data: Any) -> Iterator[Slice]:
    """Relations of DuckDB, and other frames that speak Arrow's stream interface."""
    pa = pyarrow_for(type(data).__name__)
    yield from reader_slices(pa.RecordBatchReader.from_stream(data))


def _is_stream(data: Any) -> bool:
    return hasattr(data, "__arrow_c_stream__")


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any], Iterator[Slice]]], ...] = (
    (is_pandas, _pandas_slices),
    (is_polars, _polars_slices),
    (_is_lazy, _lazy_slices),
    (is_arrow, _arrow_slices),
    (_of("pyarrow", "RecordBatchReader"), reader_slices),
    (_is_stream, _stream_slices),
)


# ---- rows of a frame ----


def taken(data: Any, rows: list[int]) -> Any:
    """These rows of a frame or a list, as the same kind of thing."""
    if is_pandas(data):
        return data.iloc[rows]
    if is_polars(data):
        return data[rows]
    if is_arrow(data):
        import pyarrow as pa

        try:
            return data.take(pa.array(rows, pa.int64()))
        except pa.ArrowNotImplementedError:
            return _joined_runs(data, rows)
    if isinstance(data, (list, tuple)):
        return [data[row] for row in rows]
    raise TypeError(f"Rows can be taken from a frame or a list, not from {type(data).__name__}")


def _joined_runs(data: Any, rows: list[int]) -> Any:
    """As `take`, also for types that it does not support, such as views."""
    import pyarrow as pa

    begins = [i for i, row in enumerate(rows) if i == 0 or row != rows[i - 1] + 1]
    runs = [data.slice(rows[begin], end - begin) for begin, end in zip(begins, [*begins[1:], len(rows)])]
    join = pa.concat_tables if isinstance(data, pa.Table) else pa.concat_batches
    return join(runs or [data.slice(0, 0)])


def length_of(data: Any) -> int:
    return int(data.num_rows if is_arrow(data) else len(data))
