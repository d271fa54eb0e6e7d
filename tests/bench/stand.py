"""What is measured: a scripted model server and a gateway that knows no other model."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.bench.client import BenchClient
from tests.model_server.fixture import ModelServer
from tests.platform.gateway import ROOT, Gateway, free_port

_MODEL = {"id": "fake-1", "contextWindow": 2_000_000, "maxTokens": 8192}
# Models that a measure may spoil one by one.
SPARE_MODELS = 40
_SPARE = [{**_MODEL, "id": f"spare-{number}"} for number in range(SPARE_MODELS)]
_BODY = {"model": "fake-1", "stream": True}


@dataclass
class Stand:
    """A running gateway and its model. `started_at` is the monotonic time of its readiness."""

    gateway: Gateway
    model: ModelServer
    started_at: float

    @asynccontextmanager
    async def client(self) -> AsyncIterator[BenchClient]:
        """A connected client."""
        async with BenchClient(self.gateway.ws_url, self.gateway.token) as client:
            yield client

    def model_seconds(self, message: str, count: int) -> tuple[list[float], list[float]]:
        """The model without a gateway: seconds to the first piece and to the end of each answer."""
        first: list[float] = []
        whole: list[float] = []
        with httpx.Client(trust_env=False) as http:
            for _ in range(count):
                start = time.perf_counter()
                body = {**_BODY, "messages": [{"role": "user", "content": message}]}
                address = f"{self.model.openai_url}/chat/completions"
                with http.stream("POST", address, json=body) as answer:
                    pieces = answer.iter_raw()
                    next(pieces)
                    first.append(time.perf_counter() - start)
                    for _piece in pieces:
                        continue
                whole.append(time.perf_counter() - start)
        return first, whole


@contextmanager
def stand_make(**model_options: int) -> Iterator[Stand]:
    """Starts model and gateway with a home of their own; everything is gone afterwards."""
    # Short, because a Unix socket's path must fit into it.
    home = Path(tempfile.mkdtemp(prefix="oc-"))
    with model_run(**model_options) as model:
        gateway = Gateway(home, free_port())
        try:
            _configure(gateway, model)
            gateway.start()
            yield Stand(gateway, model, time.monotonic())
        finally:
            gateway.kill()
            shutil.rmtree(home, ignore_errors=True)


def _configure(gateway: Gateway, model: ModelServer) -> None:
    gateway.manage("migrate", "--noinput", "-v", "0")
    document = gateway.home / "bench.json"
    document.write_text(json.dumps(document_make(model.openai_url)))
    gateway.manage("config", "apply", str(document))


def document_make(base_url: str) -> dict[str, Any]:
    """A configuration whose only model is at `base_url`, with room for thousands of turns."""
    provider = {
        "baseUrl": base_url,
        "apiKey": "sk-bench",
        "api": "openai-completions",
        "timeoutSeconds": 3600,
        "models": [_MODEL, *_SPARE],
    }
    defaults = {"model": "bench/fake-1", "maxConcurrent": 10_000, "timeoutSeconds": 3600}
    return {"agents": {"defaults": defaults}, "models": {"providers": {"bench": provider}}}


@contextmanager
def model_run(**options: int) -> Iterator[ModelServer]:
    """A model server of its own. Options are those of its command line."""
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.model_server", "--port", "0", *words],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        yield ModelServer(line.removeprefix("listening on ").strip())
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()
