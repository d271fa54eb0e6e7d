"""The Python examples of the interfaces, run against a gateway as a reader would run them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.docs.pages import code_blocks, page
from tests.platform.gateway import Gateway

_TOKEN = """
from channels_app.tokens import api_token_create
from sessions.people import owner_ensure
print(api_token_create(person=owner_ensure(), name="docs", scopes=["operator.write"])[1])
"""


def run(code: str, gateway: Gateway, api_token: str = "") -> str:
    """The output of an example, with this gateway's address and secrets in place."""
    places = {
        "127.0.0.1:18789": f"127.0.0.1:{gateway.port}",
        "var/gateway.token": str(gateway.home / "gateway.token"),
        "the shared token": gateway.token,
        "oct_…": api_token,
    }
    for place, value in places.items():
        code = code.replace(place, value)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.exhaustive
def test_it_works(gateway: Gateway) -> None:
    (example,) = code_blocks(page("docs/websocket.md"), "python")
    assert "rehearsal" in run(example, gateway)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [0, 1])
def test_http(gateway: Gateway, number: int) -> None:
    examples = code_blocks(page("docs/http.md"), "python")
    token = gateway.manage("shell", "-v", "0", "-c", _TOKEN).split()[-1] if number else ""
    assert "rehearsal" in run(examples[number], gateway, token)


@pytest.mark.exhaustive
def test_a_refused_example_fails(gateway: Gateway) -> None:
    example = code_blocks(page("docs/http.md"), "python")[1]
    with pytest.raises(AssertionError, match="401"):
        run(example, gateway, "oct_wrong")
