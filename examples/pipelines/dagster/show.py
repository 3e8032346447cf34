"""Materializes the assets from a clean file and from a broken one."""

import logging

from dagster import DagsterInstance, Definitions, RunConfig
from gated_orders import Orders, orders_table, raw_orders, sluice

logging.disable(logging.CRITICAL)
job = Definitions(assets=[raw_orders, orders_table], asset_checks=[sluice]).get_implicit_global_asset_job_def()
for path in ("data/orders-clean.csv", "data/orders-broken.csv"):
    config = RunConfig(ops={"raw_orders": Orders(path=path)})
    result = job.execute_in_process(config.to_config_dict(), raise_on_error=False, instance=DagsterInstance.ephemeral())
    check = result.get_asset_check_evaluations()[0]
    built = [event.asset_key.to_user_string() for event in result.get_asset_materialization_events()]
    print(f"{path}: check {'passed' if check.passed else 'failed'}, {check.metadata['status'].value}, materialized {', '.join(built)}")
