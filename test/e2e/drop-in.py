"""Calls every method of the public client `datascreeniq` and prints what came back as one JSON object.

Arguments: the base URL of a server with a large plan, its key, the base URL of a server whose plan has one row left, a folder.
"""

import json
import os
import pathlib
import sys
import time

import datascreeniq as dsiq
import pandas
from datascreeniq import exceptions

url, key, small_url, folder = sys.argv[1:]
folder = pathlib.Path(folder)
seen = {}
slept = []
sleep = time.sleep


def noted(seconds):
    slept.append(seconds)
    sleep(seconds)


# The client, and what it rests on, sleep by this name before they ask again.
time.sleep = noted


def facts(report):
    return {
        "status": report.status,
        "rows": report.rows_received,
        "request_id": report.request_id,
        "batch_id": report.batch_id,
        "fingerprint": report.schema_fingerprint,
        "null_rates": report.null_rates,
        "type_mismatches": report.type_mismatches,
        "drift": report.drift_count,
        "summary": report.summary(),
    }


def error_of(call):
    slept.clear()
    try:
        call()
    except Exception as error:
        return {
            "type": type(error).__name__,
            "message": str(error),
            "slept": sum(slept),
        }
    return None


def members(report):
    """Every member of a report."""
    return {
        "is": [report.is_pass, report.is_warn, report.is_blocked],
        "health_pct": report.health_pct,
        "rows": [report.rows_received, report.rows_sampled],
        "null_rate_details": report.null_rate_details,
        "type_mismatch_details": report.type_mismatch_details,
        "outlier_fields": report.outlier_fields,
        "has_drift": report.has_drift,
        "status_of_dict": report.to_dict()["status"],
        "repr": repr(report),
    }


rows = [{"id": i, "city": "Oslo"} for i in range(20)]
bad = [{"id": i, "email": None if i % 2 else "a@b.c", "amount": "x" if i % 3 else 1} for i in range(20)]

with dsiq.Client(key, base_url=url) as client:
    seen["health"] = client.health()
    seen["screen"] = facts(client.screen(rows, source="orders"))
    seen["options"] = facts(
        client.screen(rows, source="orders", options={"thresholds": {"null_rate_warn": 0.1}})
    )
    blocked = client.screen(bad, source="blocked")
    seen["blocked"] = facts(blocked)
    seen["raise_on_block"] = error_of(blocked.raise_on_block)
    many = [{"id": i} for i in range(25_000)]
    seen["chunked"] = facts(client.screen(many, source="chunked"))
    (folder / "orders.csv").write_text("id,city\n1,Oslo\n2,Rome\n")
    (folder / "orders.json").write_text(json.dumps({"rows": rows}))
    (folder / "orders.xml").write_text("<all><row><id>1</id></row><row><id>2</id></row></all>")
    for name in ("csv", "json", "xml"):
        seen[name] = facts(client.screen_file(folder / f"orders.{name}", source=f"file-{name}"))
    frame = pandas.DataFrame(rows)
    seen["dataframe"] = facts(client.screen_dataframe(frame, source="frame"))
    frame.to_excel(folder / "orders.xlsx", index=False)
    seen["excel"] = facts(client.screen_file(folder / "orders.xlsx", source="file-excel"))
    seen["members"] = members(blocked)
    spread = [{"id": i, "amount": 1e9 if i == 3 else i % 7 + 0.5} for i in range(60)]
    seen["outliers"] = client.screen(spread, source="spread", options={"full_scan": True}).outlier_fields
    drifted = [{**row, "extra": True} for row in rows]
    client.screen(rows, source="drifting")
    report = client.screen(drifted, source="drifting")
    seen["drift"] = {"has": report.has_drift, "count": report.drift_count, "kinds": [d["kind"] for d in report.to_dict()["drift"]]}
    merged = dsiq.ScreenReport.merge([client.screen(rows, source="merged") for _ in range(2)])
    seen["merged"] = [merged.status, merged.rows_received]
    seen["passed_on"] = merged.raise_on_block() is merged
    seen["no_file"] = error_of(lambda: client.screen_file(folder / "none.csv"))
    seen["odd_file"] = error_of(lambda: client.screen_file(pathlib.Path(__file__)))
    seen["no_rows"] = error_of(lambda: client.screen([], source="orders"))
    seen["no_frame"] = error_of(lambda: client.screen_dataframe(rows, source="orders"))

    for source in ("raw/orders", "raw", "a", "a?b"):
        client.screen(rows, source=source)
    seen["reset"] = client.reset_baseline("raw/orders")
    seen["reset_odd"] = error_of(lambda: client.reset_baseline("a?b"))
    listing = client._session.get(f"{url}/v1/schema?limit=200").json()
    seen["sources_before"] = [each["source"] for each in listing["sources"]]
    seen["reset_all"] = client.reset_baseline()
    listing = client._session.get(f"{url}/v1/schema").json()
    seen["sources_after"] = listing["sources"]

    seen["no_source"] = error_of(lambda: client._post_screen(rows, source=""))
    seen["bad_options"] = error_of(
        lambda: client.screen(rows, source="orders", options={"thresholds": {"null_rate_warn": 30}})
    )
    seen["too_many"] = error_of(
        lambda: client._post_screen([{"id": i} for i in range(10_001)], source="orders")
    )

os.environ["DATASCREENIQ_API_KEY"] = key
seen["environment"] = facts(dsiq.Client(base_url=url).screen(rows, source="environment"))
del os.environ["DATASCREENIQ_API_KEY"]
seen["no_key"] = error_of(lambda: dsiq.Client(base_url=url).screen(rows, source="orders"))
seen["no_server"] = error_of(lambda: dsiq.Client(key, base_url="http://127.0.0.1:1").screen(rows, source="orders"))

stranger = dsiq.Client("nobody", base_url=url)
seen["stranger"] = error_of(lambda: stranger.screen(rows, source="orders"))
seen["stranger_reset"] = error_of(lambda: stranger.reset_baseline("orders"))

small = dsiq.Client(key, base_url=small_url)
seen["plan"] = error_of(lambda: small.screen(rows, source="orders"))
# More than the plan's burst: the client waits for Retry-After, and every call succeeds or meets the plan's limit.
seen["burst"] = [error_of(lambda: small.screen(rows, source="orders"))["type"] for _ in range(40)]

print(json.dumps(seen))
