"""Gates each day's file before it is loaded. The workers screen the blocks that they have, and no row comes to the driver."""

import os
import signal

import pyarrow
import ray
import sluice.ray
from pyarrow import csv
from sluice import Blocked

ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, _temp_dir=os.path.abspath("ray"))

COLUMNS = ("order_id", "amount", "status", "email")
AS_TEXT = csv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, pyarrow.string()), strings_can_be_null=False)


def orders_of(day: str) -> ray.data.Dataset:
    return ray.data.read_csv(f"landing/{day}.csv", convert_options=AS_TEXT).repartition(12)


def load(day: str) -> None:
    try:
        # All columns are texts, as in the file: the service finds their types. A run that is repeated for a day counts once.
        report = sluice.ray.gate(orders_of(day), source="orders", format="csv", idempotency_key=f"load_orders-{day}")
    except Blocked as blocked:
        print(f"{day}: BLOCK, nothing is loaded: {blocked.report.reason}")
        return
    report.good_rows().write_parquet(f"orders/{day}")
    report.held_rows().write_parquet(f"orders-held/{day}")
    print(f"{day}: {report.status}, {report.stats['rows_received']} rows screened, {report.quarantine['count']} held")


def killed_once(block: pyarrow.Table) -> pyarrow.Table:
    """The first worker that computes a block of these is lost."""
    try:
        os.close(os.open(FLAG, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return block
    os.kill(os.getpid(), signal.SIGKILL)


FLAG = os.path.abspath("killed")
for day in ("clean", "some-wrong", "half-wrong"):
    load(day)
loaded, held = ray.data.read_parquet("orders"), ray.data.read_parquet("orders-held")
wrong = loaded.filter(expr="amount == 'unknown'").count()
print(f"loaded: {loaded.count()} rows, {wrong} of them wrong; held: {held.count()} rows, all {held.unique('amount')}")
orders = orders_of("clean")
report = sluice.ray.screen(orders.map_batches(killed_once, batch_format="pyarrow", batch_size=None), source="retried", format="csv")
print(f"a killed worker, and lost answers: {orders.count()} rows in the table, {report.stats['rows_received']} screened")
