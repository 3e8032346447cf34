"""Gates each day's file before it is loaded. The workers screen the partitions that they have, and no row comes to the driver."""

import logging
import os
import signal

import dask.dataframe
import sluice.dask
from dask.distributed import Client, LocalCluster
from sluice import Blocked


def load(day: str) -> None:
    orders = dask.dataframe.read_csv(f"landing/{day}.csv", dtype=str, keep_default_na=False, blocksize="512k")
    try:
        # All columns are texts, as in the file: the service finds their types. A run that is repeated for a day counts once.
        report = sluice.dask.gate(orders, source="orders", format="csv", idempotency_key=f"load_orders-{day}")
    except Blocked as blocked:
        print(f"{day}: BLOCK, nothing is loaded: {blocked.report.reason}")
        return
    report.good_rows().to_parquet(f"orders/{day}")
    report.held_rows().to_parquet(f"orders-held/{day}")
    print(f"{day}: {report.status}, {report.stats['rows_received']} rows screened, {report.quarantine['count']} held")


def killed_once(partition):
    """The first worker that computes a partition of these is lost."""
    try:
        os.close(os.open("killed", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return partition
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    with LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL) as cluster, Client(cluster):
        for day in ("clean", "some-wrong", "half-wrong"):
            load(day)
        loaded, held = (dask.dataframe.read_parquet(f"{folder}/*/*.parquet") for folder in ("orders", "orders-held"))
        wrong = int((loaded.amount == "unknown").sum().compute())
        print(f"loaded: {len(loaded)} rows, {wrong} of them wrong; held: {len(held)} rows, all {held.amount.unique().compute().tolist()}")
        orders = dask.dataframe.read_csv("landing/clean.csv", dtype=str, blocksize="512k")
        report = sluice.dask.screen(orders.map_partitions(killed_once, meta=orders._meta), source="retried", format="csv")
        print(f"a killed worker, and lost answers: {len(orders)} rows in the table, {report.stats['rows_received']} screened")
