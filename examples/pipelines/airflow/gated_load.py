"""Gates a file before it is loaded: an operator that fails its task, and a short circuit that skips what follows."""

from airflow.sdk import DAG, BaseOperator, task
from airflow.sdk.exceptions import AirflowFailException
from airflow.providers.standard.operators.python import ShortCircuitOperator
from sluice import Blocked, Sluice


class SluiceOperator(BaseOperator):
    """Fails on BLOCK, or with block_on="warn" on WARN too. Reads SLUICE_URL and SLUICE_KEY."""

    template_fields = ("path", "source")

    def __init__(self, *, path: str, source: str, block_on: str = "block", **settings):
        super().__init__(**settings)
        self.path, self.source, self.block_on = path, source, block_on

    def execute(self, context):
        try:
            with Sluice() as gate:
                return gate.gate(self.path, source=self.source, block_on=self.block_on).status
        except Blocked as held:
            # Without a retry: the same file would be held again.
            raise AirflowFailException(held.report.reason) from held


def may_load(path: str, source: str) -> bool:
    with Sluice() as gate:
        return not gate.screen(path, source=source).blocked


with DAG("load_orders", params={"path": "data/orders-clean.csv"}, schedule=None) as load_orders:
    gate = SluiceOperator(task_id="gate", path="{{ params.path }}", source="orders")

    @task
    def load(params):
        return f"loaded {params['path']}"

    gate >> load()

with DAG("load_sensors", params={"path": "data/sensors-clean.csv"}, schedule=None) as load_sensors:
    gate = ShortCircuitOperator(
        task_id="gate",
        python_callable=may_load,
        op_kwargs={"path": "{{ params.path }}", "source": "sensors"},
    )
    gate >> task(lambda params: f"loaded {params['path']}", task_id="load")()
