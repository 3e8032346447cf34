"""Calls every method of the public client `datascreeniq` and prints what came back as one JSON object.

Arguments: the base URL of a server with a large plan, its key, the base URL of a server whose plan has one row left, a folder.
"""

import json
import pathlib
import sys
import time

import datascreeniq as dsiq
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


class Frame:
    """The three methods of a pandas DataFrame that the client uses."""

    def __init__(self, rows):
        self.rows = rows

    def notna(self):
        return None

    def where(self, _, __):
        return self

    def to_dict(self, orient):
        assert orient == "records"
        return self.rows


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
    seen["dataframe"] = facts(client.screen_dataframe(Frame(rows), source="frame"))

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

stranger = dsiq.Client("nobody", base_url=url)
seen["stranger"] = error_of(lambda: stranger.screen(rows, source="orders"))
seen["stranger_reset"] = error_of(lambda: stranger.reset_baseline("orders"))

small = dsiq.Client(key, base_url=small_url)
seen["plan"] = error_of(lambda: small.screen(rows, source="orders"))
# More than the plan's burst: the client waits for Retry-After, and every call succeeds or meets the plan's limit.
seen["burst"] = [error_of(lambda: small.screen(rows, source="orders"))["type"] for _ in range(40)]

print(json.dumps(seen))
