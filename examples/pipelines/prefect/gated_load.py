"""A task that gates a file. A held file fails the flow before anything is loaded, and is not tried again."""

import sys

from prefect import flow, runtime, task
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
    """Screens the whole file, of any length. A retry has the same key: the source learns no batch twice."""
    with Sluice() as sluice:
        return sluice.gate(path, source=source, idempotency_key=runtime.flow_run.id).status


@task
def load(path: str) -> None:
    print(f"loaded {path}")


@flow
def load_orders(path: str) -> None:
    print(f"{path}: {gate(path, source='orders')}")
    load(path)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        try:
            load_orders(path)
        except Blocked as held:
            print(f"held {path}: {held}")
