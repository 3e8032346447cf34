"""An ingest route with the gate in front of it."""

from contextlib import asynccontextmanager

from fastapi import Body, Depends, FastAPI, HTTPException, Request
from sluice import AsyncSluice, SluiceError


@asynccontextmanager
async def connected(app: FastAPI):
    # The sender waits for the answer: fail at once, and let it try again.
    async with AsyncSluice(timeout=5, max_retries=0) as gate:
        app.state.gate = gate
        yield


app = FastAPI(lifespan=connected)


# What must hold for each row. A request of a few rows says little else.
OPTIONS = {"row_verdicts": True, "rules": {"fields": {"amount": {"type": "number"}}}}


async def gated_orders(request: Request, rows: list[dict] = Body()) -> list[dict]:
    """The rows of the request that may be stored."""
    # A sender that tries again sends the same key: the source learns no batch twice.
    key = request.headers.get("Idempotency-Key")
    try:
        report = await request.app.state.gate.screen(rows, source="orders-api", options=OPTIONS, idempotency_key=key)
    except SluiceError as error:
        # What the sender can correct is said. Else nothing is stored unseen, and the sender tries again.
        if error.status in (400, 409, 413):
            raise HTTPException(error.status, error.message) from error
        raise HTTPException(503, "The gate is not reachable", {"Retry-After": "5"}) from error
    if report.blocked:
        raise HTTPException(422, {"reason": report.reason, "report": report.url})
    return report.good_rows(rows)


@app.post("/orders", status_code=202)
async def ingest(rows: list[dict] = Depends(gated_orders)) -> dict:
    return {"stored": len(rows)}
