"""An asset check that blocks what is downstream: the table is built only from orders that passed the gate."""

from pathlib import Path

from dagster import AssetCheckExecutionContext, AssetCheckResult, AssetCheckSeverity, Config, MetadataValue, asset, asset_check
from sluice import Sluice

class Orders(Config):
    path: str = "data/orders-clean.csv"


@asset
def raw_orders(config: Orders) -> str:
    Path("raw_orders.csv").write_bytes(Path(config.path).read_bytes())
    return "raw_orders.csv"


@asset_check(asset=raw_orders, blocking=True)
def sluice(context: AssetCheckExecutionContext, raw_orders: str) -> AssetCheckResult:
    """Screens the whole file. A retry has the same key: the source learns no batch twice."""
    with Sluice() as gate:
        report = gate.screen(raw_orders, source="orders", idempotency_key=context.run.run_id)
    return AssetCheckResult(
        passed=not report.blocked,
        severity=AssetCheckSeverity.ERROR,
        metadata={
            "status": report.status,
            "health": report.health_score,
            "reason": report.reason,
            "report": MetadataValue.url(report.url),
        },
    )


@asset
def orders_table(raw_orders: str) -> int:
    return len(Path(raw_orders).read_text().splitlines()) - 1
