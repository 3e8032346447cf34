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


async def gated_orders(request: Request, rows: list[dict] = Body()) -> list[dict]:
    """The rows of the request that may be stored, when all of them are screened."""
    # A sender that tries again sends the same key: the source learns no batch twice.
    settings = {"idempotency_key": request.headers.get("Idempotency-Key"), "options": {"row_verdicts": True}}
    good = []
    try:
        async for part in request.app.state.gate.screen_all(rows, source="orders-api", **settings):
            if part.report.blocked:
                raise HTTPException(422, {"reason": part.report.reason, "report": part.report.url})
            good += part.report.good_rows(part.rows_of(rows))
    except SluiceError as error:
        # What the sender can correct is said. Else nothing is stored unseen, and the sender tries again.
        if error.status in (400, 409, 413):
            raise HTTPException(error.status, error.message) from error
        raise HTTPException(503, "The gate is not reachable", {"Retry-After": "5"}) from error
    return good


@app.post("/orders", status_code=202)
async def ingest(rows: list[dict] = Depends(gated_orders)) -> dict:
    return {"stored": len(rows)}
