"""An ingest route with the gate in front of it."""

from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI, HTTPException, Request
from sluice import AsyncSluice, Unavailable


@asynccontextmanager
async def connected(app: FastAPI):
    async with AsyncSluice() as gate:
        app.state.gate = gate
        yield


app = FastAPI(lifespan=connected)


async def gated_orders(request: Request) -> list[dict]:
    """The rows of the request that may be stored."""
    rows = await request.json()
    try:
        report = await request.app.state.gate.screen(rows, source="orders-api", options={"row_verdicts": True})
    except Unavailable as gone:
        # Nothing is stored unseen: the sender tries again.
        raise HTTPException(503, "The gate is not reachable", {"Retry-After": "5"}) from gone
    if report.blocked:
        raise HTTPException(422, {"reason": report.reason, "request_id": report.request_id})
    return report.good_rows(rows)


@app.post("/orders", status_code=202)
async def ingest(rows: list[dict] = Depends(gated_orders)) -> dict:
    return {"stored": len(rows)}
