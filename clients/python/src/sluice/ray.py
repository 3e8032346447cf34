"""
Gates a Dataset of Ray. Each worker sends the blocks that it has, as parts of one batch; no row comes to the driver::

    import sluice.ray

    report = sluice.ray.gate(dataset, source="orders")  # raises Blocked
    report.good_rows().write_parquet("orders")
    report.held_rows().write_parquet("orders-held")

The dataset is computed once, into the object store: its blocks are the parts, and what `good_rows` and `held_rows` take rows from. A task that runs
again sends the same bytes, which count once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional, Union

import ray
import ray.data

from ._client import Sluice
from ._errors import SluiceError
from ._flows import checked, holding, with_rows
from ._frames import Slice, slices_of
from ._input import Options
from ._parts import MAX_PARTS, HeldPart, PartsReport, Target, are_all, screened, taken_batches


def screen(
    dataset: Any,
    source: str,
    *,
    options: Optional[Options] = None,
    idempotency_key: Optional[str] = None,
    format: str = "json",
    client: Optional[Sluice] = None,
) -> PartsReport:
    """
    Screens a Dataset of any length as one batch. With `options={"row_verdicts": True}` the report takes rows from it.

    `idempotency_key`: a batch with this key that is finished has its report, and is not counted again; an unfinished one is given up.
    `format`: "csv" sends the values as cells of a CSV, whose types the service finds: for texts that were read from a file. `client`: its
    address, key, timeout and retries are those of the workers; default: `Sluice()`. The key travels in the task, and is in no log.

    Raises `SluiceError`; PART_CONFLICT if a lost block was computed again with other rows, or in another order.
    """
    blocks = dataset.to_arrow_refs()
    # Consecutive blocks become one part where there are more of them than a batch may have parts.
    size = max(1, -(-len(blocks) // MAX_PARTS))
    groups = [blocks[at : at + size] for at in range(0, len(blocks), size)]

    def sent(target: Target) -> list[dict[str, Any]]:
        send, where = ray.remote(_send), ray.put(target)
        answers = ray.get([send.remote(where, part, *group) for part, group in enumerate(groups)])
        for answer in answers:
            if isinstance(answer, SluiceError):
                raise answer
        return list(answers)

    def taken(parts: Mapping[int, HeldPart], is_held: bool) -> Any:
        if are_all(parts, is_held):
            return ray.data.from_arrow_refs(blocks)
        take = ray.remote(_take)
        tables = [
            take.remote(part, parts[part], format, is_held, *group) for part, group in enumerate(groups)
        ]
        return ray.data.from_arrow_refs(tables)

    report, answers = screened(client, source, options, idempotency_key, format, sent)
    return PartsReport(report, dataset, answers, taken)


def gate(
    dataset: Any,
    source: str,
    *,
    block_on: str = "block",
    options: Optional[Options] = None,
    **settings: Any,
) -> PartsReport:
    """
    `screen` with row verdicts that raises `Blocked` with the report on BLOCK, with `block_on="warn"` on WARN too. Both reports have `good_rows` and
    `held_rows`: Datasets of the blocks that were screened.
    """
    verdicts = holding(block_on)
    report = screen(dataset, source, options=with_rows(options), **settings)
    checked(report, verdicts)
    return report


def _send(target: Target, part: int, *tables: Any) -> Union[dict[str, Any], SluiceError]:
    try:
        return target.send(part, _slices(tables))
    except SluiceError as error:
        # Raised here, it would come as an error of Ray.
        return error


def _slices(tables: Iterable[Any]) -> Iterator[Slice]:
    """Raises `TypeError` for columns that Ray keeps as pickled Python objects."""
    for table in tables:
        for field in table.schema:
            if type(field.type).__name__ == "ArrowPythonObjectType":
                raise TypeError(
                    f"Column {field.name!r} holds Python objects, which cannot be sent: make them values of Arrow"
                )
        yield from slices_of(table) or ()


def _take(part: int, held: HeldPart, format: str, is_held: bool, *tables: Any) -> Any:
    import pyarrow as pa

    return pa.concat_tables(taken_batches(tables, part, held, format, is_held))
