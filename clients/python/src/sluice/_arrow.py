"""
Columns of a frame as arrays of Arrow, wherever the service reports the same for them as for their JSON. Texts that JSON has (times, UUIDs)
stay texts, and nested values go as their JSON texts with the extension type `arrow.json`. Equal values give equal bytes, whatever lies
under nulls and behind the last row: a repeated call must send the same bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, Callable, Optional

from ._values import DAY, UNITS

#: Column → its JSON texts.
Write = Callable[[], list[str]]

#: Integers below it are doubles without loss.
_EXACT = 2**53
#: Days from 1970 of the years 1 to 9999, which ISO 8601 writes with four digits.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_JSON = {"ARROW:extension:name": "arrow.json", "ARROW:extension:metadata": ""}
_JSON_KINDS = frozenset("{[")


def pyarrow_if_there() -> Any:
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow


def batch_of(names: Sequence[str], columns: Sequence[Any], array: Callable[[Any], Any]) -> Any:
    """A record batch; None where the columns have to go as JSON. `array` is called with each column."""
    pa = pyarrow_if_there()
    if pa is None or not names:
        return None
    # JSON keeps the last of two members with the same name. The service gives a name to a column of Arrow that has none.
    are_kept = "" not in names and len(set(names)) == len(names)
    if not are_kept:
        return None
    arrays, fields = [], []
    try:
        for name, column in zip(names, columns):
            made = array(column)
            if made is None:
                return None
            is_json = isinstance(made, NestedTexts)
            values = made.array if is_json else made
            arrays.append(values)
            fields.append(pa.field(name, values.type, metadata=_JSON if is_json else None))
        return pa.record_batch(arrays, schema=pa.schema(fields))
    except (pa.ArrowException, ImportError, OverflowError, TypeError, ValueError):
        # JSON either can say it, or says which column nothing can.
        return None


def stream_of(batch: Any) -> bytes:
    """As an Arrow IPC stream."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    content: bytes = sink.getvalue().to_pybytes()
    return content


class NestedTexts:
    """JSON texts of nested values."""

    def __init__(self, array: Any) -> None:
        self.array = array


# ---- by the JSON texts ----


def array_of_texts(texts: list[str]) -> Any:
    """None for values of several kinds, and for integers that are no doubles."""
    import pyarrow as pa

    kinds = {text[0] for text in texts if text != "null"}
    given = [None if text == "null" else text for text in texts]
    if not kinds:
        return pa.nulls(len(texts))
    if kinds == {'"'}:
        return pa.array([text if text is None else json.loads(text) for text in given], pa.string())
    if kinds <= _JSON_KINDS:
        return NestedTexts(pa.array(given, pa.string()))
    if kinds <= {"t", "f"}:
        return pa.array([text if text is None else text == "true" for text in given], pa.bool_())
    if kinds & {'"', "{", "[", "t", "f"}:
        return None
    numbers = [text if text is None else float(text) for text in given]
    return None if any(map(_loses, given, numbers)) else pa.array(numbers, pa.float64())


def _loses(text: Optional[str], number: Optional[float]) -> bool:
    """Whether the service could tell a number from its double."""
    if text is None or number is None:
        return False
    return not math.isfinite(number) or (abs(number) >= _EXACT and text.lstrip("-").isdigit())


# ---- pandas ----


def pandas_array(series: Any, write: Callable[[Any], list[str]]) -> Any:
    import pyarrow as pa

    dtype, kind = series.dtype, type(series.dtype).__name__
    if kind == "CategoricalDtype":
        known = pandas_array(series.cat.categories.to_series(), write)
        if known is None or isinstance(known, NestedTexts):
            return None
        codes = series.cat.codes.to_numpy()
        return known.take(pa.array(codes, mask=codes < 0))
    if kind == "SparseDtype":
        return arrow_array(pa.array(series.sparse.to_dense().to_numpy()), lambda: write(series))
    if dtype.name == "object":
        return _object_array(series, write)
    if kind in ("PeriodDtype", "IntervalDtype"):
        return array_of_texts(write(series))
    return arrow_array(pa.array(series, from_pandas=True), lambda: write(series))


def _object_array(series: Any, write: Callable[[Any], list[str]]) -> Any:
    import pyarrow as pa

    values = series.tolist()
    if set(map(type, values)) <= {str, float, type(None)}:
        try:
            return arrow_array(pa.array(values, pa.string(), from_pandas=True), list)
        except pa.ArrowException:
            pass
    return array_of_texts(write(series))


# ---- polars and pyarrow ----


def arrow_array(column: Any, write: Write) -> Any:
    """`column` is an Array or ChunkedArray; `write` gives its JSON texts."""
    import pyarrow as pa

    types, kind = pa.types, column.type
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks) if column.chunks else pa.nulls(0)
    if isinstance(kind, pa.BaseExtensionType):
        return arrow_array(column.storage, write)
    if types.is_dictionary(kind):
        return arrow_array(decoded(column), write)
    if types.is_null(kind):
        return pa.nulls(len(column))
    if types.is_floating(kind):
        return _finite(column.cast(pa.float32()) if types.is_float16(kind) else column)
    if types.is_integer(kind) or types.is_boolean(kind):
        return _clean(column)
    plain = _plain_type(kind)
    if plain is not None:
        return _clean(column.cast(plain))
    if types.is_decimal(kind) and kind.scale >= 0 and kind.precision - kind.scale <= 15:
        return _clean(column)
    if types.is_date(kind) or types.is_timestamp(kind) or types.is_time(kind):
        made = _time_array(column)
        if made is not None:
            return made
    return array_of_texts(write())


def decoded(column: Any) -> Any:
    """The values of a DictionaryArray. `cast` supports few types of dictionaries, and `take` no views."""
    values = column.dictionary
    if str(values.type) in ("string_view", "binary_view"):
        values = values.cast(_plain_type(values.type))
    return values.take(column.indices)


def _plain_type(kind: Any) -> Optional[Any]:
    """Of texts and bytes, whose layout may be any."""
    import pyarrow as pa

    name = str(kind)
    if name in ("string", "large_string", "string_view"):
        return pa.string()
    if name in ("binary", "large_binary", "binary_view") or pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    return None


def _clean(array: Any) -> Any:
    import pyarrow.compute as pc

    return _where(pc.is_valid(array), array)


def _finite(array: Any) -> Any:
    """NaN and infinities become null, as in JSON."""
    import pyarrow.compute as pc

    return _where(pc.fill_null(pc.is_finite(array), False), array)


def _where(keeps: Any, array: Any) -> Any:
    """Null elsewhere, with zeros below."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_text = pa.types.is_string(array.type) or pa.types.is_binary(array.type)
    zero = False if pa.types.is_boolean(array.type) else 0
    filled = array if is_text else pc.if_else(keeps, array, pa.scalar(zero, array.type))
    return pc.if_else(keeps, filled, pa.scalar(None, array.type))


# ---- times ----


def _time_array(column: Any) -> Any:
    """Dates as they are, times as their texts. None beyond the years 1 to 9999, and beyond a day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types, kind = pa.types, column.type
    step = DAY if types.is_date32(kind) else UNITS["ms"] if types.is_date64(kind) else UNITS[kind.unit]
    integers = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64())
    bounds = pc.min_max(integers).as_py()
    if bounds["min"] is None:
        return pa.nulls(len(column), pa.string())
    first, last = bounds["min"] * step, bounds["max"] * step
    if types.is_time(kind):
        return _clock_texts(column, _time_type) if first >= 0 and last < DAY else None
    if first < _FIRST_DAY * DAY or last >= (_LAST_DAY + 1) * DAY:
        return None
    if types.is_date(kind):
        return _clean(column)
    texts = _clock_texts(integers.cast(pa.timestamp(kind.unit)), pa.timestamp)
    texts = pc.utf8_replace_slice(texts, 10, 11, "T")
    return texts if kind.tz is None else pc.binary_join_element_wise(texts, "Z", "")


def _time_type(unit: str) -> Any:
    import pyarrow as pa

    return pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)


def _clock_texts(column: Any, type_of: Callable[[str], Any]) -> Any:
    """With as many of no, three, six or nine digits behind the second as each value needs."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts: Any = None
    exact: Any = None
    for unit in ("s", "ms", "us", "ns"):
        rough = column.cast(type_of(unit), safe=False)
        written = rough.cast(pa.string())
        texts = written if exact is None else pc.if_else(exact, texts, written)
        if unit == column.type.unit:
            break
        exact = pc.equal(rough.cast(column.type), column)
        if pc.all(exact).as_py() is not False:
            break
    return texts
