"""
Gates a DataFrame of Dask. Each worker sends the partitions that it has, as parts of one batch; no row comes to the driver::

    import sluice.dask

    report = sluice.dask.gate(ddf, source="orders")  # raises Blocked
    report.good_rows().to_parquet("orders")
    report.held_rows().to_parquet("orders-held")

A partition is a part, with its number. A task that runs again sends the same bytes, which count once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import dask
import dask.dataframe

from ._client import Sluice
from ._flows import checked, holding, with_rows
from ._frames import slices_of
from ._input import Options
from ._parts import MAX_PARTS, HeldPart, Lines, PartsReport, Target, are_all, screened


def screen(
    ddf: Any,
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
    address, key, timeout and retries are those of the workers; default: `Sluice()`. The key travels in the task, and is in no log.

    Raises `SluiceError`; PART_CONFLICT if a task gave other rows, or another order of rows, when it was run again.
    """
    frame = ddf if ddf.npartitions <= MAX_PARTS else ddf.repartition(npartitions=MAX_PARTS)

    def sent(target: Target) -> list[dict[str, Any]]:
        send = dask.delayed(_sent)
        tasks = [send(target, part, partition) for part, partition in enumerate(frame.to_delayed())]
        return list(dask.compute(*tasks))

    report, answers = screened(client, source, options, idempotency_key, format, sent)
    return PartsReport(report, ddf, answers, lambda parts, is_held: _frame_of(frame, parts, format, is_held))


def gate(
    ddf: Any,
    source: str,
    *,
    block_on: str = "block",
    options: Optional[Options] = None,
    **settings: Any,
) -> PartsReport:
    """
    `screen` with row verdicts that raises `Blocked` with the report on BLOCK, with `block_on="warn"` on WARN too. Both reports have `good_rows` and
    `held_rows`: lazy DataFrames. They compute `ddf` again, and fail if that gives other rows: then gate `ddf.persist()`.
    """
    verdicts = holding(block_on)
    report = screen(ddf, source, options=with_rows(options), **settings)
    checked(report, verdicts)
    return report


def _sent(target: Target, part: int, partition: Any) -> dict[str, Any]:
    return target.send(part, slices_of(partition) or ())


def _frame_of(frame: Any, parts: Mapping[int, HeldPart], format: str, is_held: bool) -> Any:
    if are_all(parts, is_held):
        return frame
    take = dask.delayed(_taken)
    partitions = [
        take(partition, part, parts[part], format, is_held)
        for part, partition in enumerate(frame.to_delayed())
    ]
    return dask.dataframe.from_delayed(partitions, meta=frame._meta, verify_meta=False)


def _taken(partition: Any, part: int, held: HeldPart, format: str, is_held: bool) -> Any:
    lines = Lines(format)
    for each in slices_of(partition) or ():
        lines.of(each)
    held.check(part, lines)
    return partition.iloc[held.taken(0, len(partition), is_held)]
