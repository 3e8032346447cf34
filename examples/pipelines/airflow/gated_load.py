"""Gates a file of any length before it is loaded: an operator that fails its task, and a short circuit that skips what follows."""

from airflow.sdk import DAG, BaseOperator, task
from airflow.sdk.exceptions import AirflowFailException
from airflow.providers.standard.operators.python import ShortCircuitOperator
from sluice import Blocked, Sluice

# The same in each retry, so that the source learns no batch twice. A task that somebody clears has another max_tries: its file is screened again.
KEY = "{{ dag.dag_id }}/{{ run_id }}/{{ ti.max_tries }}"


def screen(path: str, source: str, key: str, block_on: str = "block") -> None:
    """Screens the whole file, so that nothing of it is loaded before. Raises `Blocked`."""
    with Sluice() as gate:
        report = gate.gate(path, source=source, block_on=block_on, idempotency_key=key)
    print(report.status, report.url)


class SluiceOperator(BaseOperator):
    """Fails on BLOCK, or with block_on="warn" on WARN too. Reads SLUICE_URL and SLUICE_KEY."""

    template_fields = ("path", "source", "key")

    def __init__(self, *, path: str, source: str, block_on: str = "block", **settings):
        super().__init__(**settings)
        self.path, self.source, self.block_on = path, source, block_on
        self.key = KEY

    def execute(self, context):
        try:
            screen(self.path, self.source, self.key, self.block_on)
        except Blocked as held:
            # Without a retry: the same file would be held again.
            raise AirflowFailException(str(held)) from held


def may_load(path: str, source: str, key: str) -> bool:
    try:
        screen(path, source, key)
    except Blocked as held:
        print(held)
        return False
    return True


with DAG("load_orders", params={"path": "data/orders-clean.csv"}, schedule=None) as load_orders:
    gate = SluiceOperator(task_id="gate", path="{{ params.path }}", source="orders", retries=3)

    @task
    def load(params):
        return f"loaded {params['path']}"

    gate >> load()

with DAG("load_sensors", params={"path": "data/sensors-clean.csv"}, schedule=None) as load_sensors:
    gate = ShortCircuitOperator(
        task_id="gate",
        python_callable=may_load,
        op_kwargs={"path": "{{ params.path }}", "source": "sensors", "key": KEY},
        retries=3,
    )
    gate >> task(lambda params: f"loaded {params['path']}", task_id="load")()
