"""Batches of any length: `batch`, frames, and a real server that refuses before the end."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
import pandas
import polars
import pyarrow
import pytest
from conftest import KEY, Server

from sluice import AsyncSluice, AuthError, Blocked, Sluice

COUNT = 25_000
FRAME = pandas.DataFrame({"id": range(COUNT), "tags": [["a", "b"]] * COUNT, "price": [9.5] * COUNT})


def test_a_batch_is_finished(gate: Sluice) -> None:
    with gate.batch(source="orders") as batch:
        assert batch.add(FRAME)["part"] == 0
        assert batch.add(FRAME.iloc[:10], part=1)["rows"] == 10
        report = batch.finish(block_on="warn")
    assert report.stats["rows_received"] == COUNT + 10
    assert gate.find_batch(batch.id)["status"] == "finished"


def test_rows_that_a_report_does_not_list_are_not_good(gate: Sluice) -> None:
    rows = [{"id": i, "amount": None if i == 5 else i * 1.5} for i in range(200)]
    rules = {"fields": {"amount": {"nullable": False}}}
    with gate.batch("unlisted", options={"row_verdicts": True, "rules": rules}) as batch:
        assert [row for row, _ in batch.add(rows)["quarantine"]["rows"]] == [5]
        report = batch.finish()
    with pytest.raises(ValueError, match="1 rows are to be held back, and 0 of them are listed"):
        report.good_rows(rows)


def test_a_block_that_raises_gives_the_batch_up(gate: Sluice) -> None:
    batch = gate.batch("orders")

    def load() -> None:
        with batch:
            batch.add([{"id": 1}])
            raise KeyError

    with pytest.raises(KeyError):
        load()
    assert gate.find_batch(batch.id)["status"] == "aborted"
    with gate.batch("orders") as forgotten:
        forgotten.add([{"id": 1}])
    assert gate.find_batch(forgotten.id)["status"] == "aborted"


def test_finish_holds_a_batch(gate: Sluice) -> None:
    rows = [{"id": i, "amount": "x" if i % 2 else 1.5} for i in range(100)]
    with gate.batch("held", options={"dry_run": True}) as batch:
        batch.add(rows)
        with pytest.raises(Blocked) as held:
            batch.finish(block_on="block")
    assert held.value.report.status == "BLOCK"


def test_a_frame_of_any_length_has_the_report_of_its_rows(gate: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "orders.parquet"
    FRAME.to_parquet(path)
    table = pyarrow.Table.from_pandas(FRAME)
    inputs: list[Any] = [
        FRAME,
        polars.from_pandas(FRAME),
        polars.from_pandas(FRAME).lazy(),
        table,
        table.to_reader(),
        path,
        FRAME.to_dict("records"),
    ]
    shown = []
    for data in inputs:
        report = gate.screen(data, source="frames", options={"dry_run": True})
        assert report.stats["rows_received"] == COUNT
        shown.append([report.status, report.health_score, report.schema, report.issues])
    assert shown == [shown[0]] * len(inputs)


def test_the_async_client_does_the_same(server: Server, gate: Sluice) -> None:
    async def rows() -> AsyncIterator[Any]:
        for i in range(COUNT):
            yield {"id": i}

    async def main() -> None:
        async with AsyncSluice(server.url, KEY) as client:
            for data in (rows(), rows, FRAME):
                report = await client.screen(data, source="long-async")
                assert report.stats["rows_received"] == COUNT
                report = await client.screen_whole(
                    rows() if data is not FRAME else FRAME, source="long-async", compress=True
                )
                assert report.stats["rows_received"] == COUNT
            async with client.batch("long-async") as batch:
                await batch.add(rows)
                await batch.add(FRAME)
                report = await batch.finish()
            assert report.stats["rows_received"] == 2 * COUNT

    anyio.run(main)


def test_a_body_that_never_ends_is_refused(server: Server) -> None:
    endless = ({"id": i, "city": "Wien"} for i in itertools.count())
    with Sluice(server.url, "sluice_live_" + "0" * 32) as client, pytest.raises(AuthError):
        client.screen_whole(endless, source="endless")


def test_a_refusal_before_the_end_reaches_the_async_client(server: Server) -> None:
    async def main() -> None:
        async with AsyncSluice(server.url, "sluice_live_" + "0" * 32, max_retries=0) as client:
            for compress in (False, True):
                with pytest.raises(AuthError):
                    await client.screen_whole(
                        lambda: ({"id": i, "city": "Wien"} for i in itertools.count()),
                        source="endless",
                        compress=compress,
                    )
            with pytest.raises(AuthError):
                await client.screen_whole(b"a\n" + b"1\n" * 20_000_000, source="long", format="csv")

    anyio.run(main)
