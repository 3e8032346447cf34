"""
Gates a DataFrame of Spark. Each executor sends the partitions that it has, as parts of one batch; no row comes to the driver::

    import sluice.spark

    report = sluice.spark.gate(df, source="orders")  # raises Blocked
    report.good_rows().write.mode("append").saveAsTable("orders")
    report.held_rows().write.mode("append").saveAsTable("orders_held")

A partition is a part, with its number. A task that Spark runs again sends the same bytes, which count once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Callable, Optional

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, Row, types
from pyspark.sql import functions as sql

from ._client import Sluice
from ._errors import SluiceError, error_of
from ._flows import checked, holding, with_rows
from ._frames import Slice, slices_of
from ._input import Options
from ._parts import MAX_PARTS, HeldPart, PartsReport, Target, are_all, screened, taken_batches
from ._retry import is_temporary

#: What a task gives. Without answer and error, there are more partitions than a batch may have parts.
_OUTCOME = "part int, answer string, error string"
#: Types whose values Arrow does not carry, or not as values.
_WRITTEN_BY_SPARK = ("YearMonthIntervalType", "CalendarIntervalType", "VariantType")
_JSON = {
    "ignoreNullFields": "false",
    "timeZone": "UTC",
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def screen(
    df: DataFrame,
    source: str,
    *,
    options: Optional[Options] = None,
    idempotency_key: Optional[str] = None,
    format: str = "json",
    client: Optional[Sluice] = None,
) -> PartsReport:
    """
    Screens a DataFrame of any length as one batch. With `options={"row_verdicts": True}` the report takes rows from it.

    `idempotency_key`: a batch with this key that is finished has its report, and is not counted again; an unfinished one is given up.
    `format`: "csv" sends the values as cells of a CSV, whose types the service finds: for texts that were read from a file. `client`: its
    address, key, timeout and retries are those of the executors; default: `Sluice()`. The key travels in the task, and is in no log.

    Raises `SluiceError`; PART_CONFLICT if the plan gave other rows, or another order of rows, when a task was run again.
    """
    try:
        report, answers = screened(
            client, source, options, idempotency_key, format, lambda target: _sent(df, target)
        )
    except _TooManyPartitionsError:
        # Consecutive partitions become one part. Spark does not say before how many there are.
        fewer = df.coalesce(MAX_PARTS)
        return screen(
            fewer,
            source,
            options=options,
            idempotency_key=idempotency_key,
            format=format,
            client=client,
        )
    return PartsReport(report, df, answers, lambda parts, is_held: _taken(df, parts, format, is_held))


def gate(
    df: DataFrame,
    source: str,
    *,
    block_on: str = "block",
    options: Optional[Options] = None,
    **settings: Any,
) -> PartsReport:
    """
    `screen` with row verdicts that raises `Blocked` with the report on BLOCK, with `block_on="warn"` on WARN too. Both reports have `good_rows` and
    `held_rows`: lazy DataFrames. They compute `df` again, and fail if that gives other rows: then gate `df.localCheckpoint()`.
    """
    verdicts = holding(block_on)
    report = screen(df, source, options=with_rows(options), **settings)
    checked(report, verdicts)
    return report


class _TooManyPartitionsError(Exception):
    pass


def _sent(df: DataFrame, target: Target) -> list[dict[str, Any]]:
    frame, written = _carried(df)
    outcomes = frame.mapInArrow(_sending(target, df.columns, written), _OUTCOME).collect()
    for outcome in outcomes:
        if outcome.error is not None:
            raise _error_in(outcome)
    if any(outcome.answer is None for outcome in outcomes):
        raise _TooManyPartitionsError
    return [json.loads(outcome.answer) for outcome in outcomes]


Task = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def _part() -> int:
    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _sending(target: Target, names: list[str], written: frozenset[int]) -> Task:
    def send(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part, answer, error = _part(), None, None
        if part < MAX_PARTS:
            try:
                answer = json.dumps(target.send(part, _slices(batches, names, written)))
            except SluiceError as failed:
                if is_temporary(failed, repeatable=True):
                    raise
                # Another try of the task would end in the same way.
                error = _error_text(failed)
        columns = {"part": [part], "answer": [answer], "error": [error]}
        kinds = pa.schema([("part", pa.int32()), ("answer", pa.string()), ("error", pa.string())])
        yield pa.RecordBatch.from_pydict(columns, schema=kinds)

    return send


def _error_text(error: SluiceError) -> str:
    return json.dumps([error.message, error.code, error.status, error.request_id])


def _error_in(outcome: Row) -> SluiceError:
    message, code, status, request_id = json.loads(outcome.error)
    return error_of(message, code=code, status=status, request_id=request_id)


def _slices(batches: Iterable[pa.RecordBatch], names: list[str], written: frozenset[int]) -> Iterator[Slice]:
    for batch in batches:
        for each in slices_of(batch.rename_columns(names)) or ():
            yield _as_written(each, written) if written else each


def _as_written(each: Slice, written: frozenset[int]) -> Slice:
    """Columns that are JSON already stay as they are."""

    def texts(column: tuple[int, Any]) -> list[str]:
        place, values = column
        if place not in written:
            return each.texts(values)
        return ["null" if text is None else text for text in values.to_pylist()]

    return replace(each, columns=list(enumerate(each.columns)), texts=texts)


def _placed(df: DataFrame) -> DataFrame:
    """With columns named by their places: `mapInArrow` finds none whose name has a dot, or is there twice."""
    return df.toDF(*(f"c{place}" for place in range(len(df.columns))))


def _carried(df: DataFrame) -> tuple[DataFrame, frozenset[int]]:
    """The frame with columns that Arrow carries, and the places of those that are JSON now."""
    placed = _placed(df)
    written = {place for place, field in enumerate(df.schema.fields) if _is_written(field.dataType)}
    intervals = {
        place for place in written if isinstance(df.schema.fields[place].dataType, _interval_types())
    }
    columns = [
        placed[name].cast("string").alias(name)
        if place in intervals
        else sql.to_json(placed[name], _JSON).alias(name)
        if place in written
        else placed[name]
        for place, name in enumerate(placed.columns)
    ]
    return placed.select(*columns), frozenset(written - intervals)


def _interval_types() -> tuple[type, ...]:
    names = ("YearMonthIntervalType", "CalendarIntervalType")
    return tuple(getattr(types, name) for name in names if hasattr(types, name))


def _is_written(kind: types.DataType) -> bool:
    """Whether Spark writes it, or something within it."""
    if isinstance(kind, types.StructType):
        return any(_is_written(field.dataType) for field in kind.fields)
    if isinstance(kind, types.ArrayType):
        return _is_written(kind.elementType)
    if isinstance(kind, types.MapType):
        return _is_written(kind.keyType) or _is_written(kind.valueType)
    return type(kind).__name__ in _WRITTEN_BY_SPARK


def _taken(df: DataFrame, parts: Mapping[int, HeldPart], format: str, is_held: bool) -> DataFrame:
    if are_all(parts, is_held):
        return df
    odd = [field.name for field in df.schema.fields if _is_written(field.dataType)]
    if odd:
        raise TypeError(
            f"Rows cannot be taken from a frame with {', '.join(map(repr, odd))}: Arrow does not carry its type. Cast it before you screen"
        )

    def take(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part = _part()
        if part not in parts:
            raise ValueError(f"The frame has a part {part} that was not screened; keep the rows first")
        named = (batch.rename_columns(names) for batch in batches)
        for batch in taken_batches(named, part, parts[part], format, is_held):
            yield batch.rename_columns(places)

    placed = _placed(df)
    names, places = df.columns, placed.columns
    return placed.mapInArrow(take, placed.schema).toDF(*names)
