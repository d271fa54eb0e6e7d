"""A model of every wire format, reached over HTTP."""

from __future__ import annotations

import pytest

from agents.providers.registry import ClientPool
from tests.agents.providers.conformance.vendors import APIS, vendor_model
from tests.agents.providers.harness import Harness
from tests.model_server.fixture import ModelServer


@pytest.fixture(params=APIS)
def llm(request: pytest.FixtureRequest, pool: ClientPool, model_server: ModelServer) -> Harness:
    """Each wire format in turn."""
    model_server.reset()
    return Harness(vendor_model(model_server, request.param), pool, model_server)
