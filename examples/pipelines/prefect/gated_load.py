"""A task that gates a file. A held file fails the flow before anything is loaded, and is not tried again."""

import sys

from prefect import flow, task
from sluice import Blocked, Sluice, Unavailable


def is_worth_a_retry(task, run, state) -> bool:
    """The service may be back soon. The same file stays held."""
    try:
        state.result()
    except Unavailable:
        return True
    except Exception:
        return False


@task(retries=3, retry_delay_seconds=10, retry_condition_fn=is_worth_a_retry)
def gate(path: str, source: str) -> str:
    with Sluice() as sluice:
        return sluice.gate(path, source=source).status


@task
def load(path: str) -> None:
    print(f"loaded {path}")


@flow
def load_orders(path: str) -> None:
    status = gate(path, source="orders")
    print(f"{status} {path}")
    load(path)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        try:
            load_orders(path)
        except Blocked as held:
            print(f"held {path}: {held.report.reason}")
