"""Finds an Ollama on this machine, quickly and seldom."""

from __future__ import annotations

import http.client
import os
import threading
import time
from urllib.parse import urlsplit

import orjson

NAME = "ollama"
# Its own API: the other one that it offers loses tool calls and cannot be told the window.
API = "ollama"
# Tokens of context to ask for: what an agent needs at least, on machines that may have little.
WINDOW = 32_768
_ADDRESS = "http://127.0.0.1:11434"
# Seconds: a local service answers in a few milliseconds or not at all.
_TIMEOUT = 0.3
# Seconds between two looks, so that a machine without Ollama does not pay on every message.
_INTERVAL = 60.0
_MAX_ANSWER = 1_000_000

_lock = threading.Lock()
_found: dict[str, tuple[str, ...]] = {}
_looked_at: dict[str, float] = {}


def ollama_address() -> str:
    """Where Ollama is: OLLAMA_HOST in any form that Ollama takes, or its usual address."""
    host = os.environ.get("OLLAMA_HOST", "").strip()
    if not host:
        return _ADDRESS
    url = urlsplit(host if "://" in host else f"http://{host}")
    try:
        port = url.port or 11434
    except ValueError:
        return _ADDRESS
    name = url.hostname or "127.0.0.1"
    # A server that listens everywhere is reached on loopback.
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)  # noqa: S104
    return f"{url.scheme}://[{name}]:{port}" if ":" in name else f"{url.scheme}://{name}:{port}"


def ollama_models() -> tuple[str, ...]:
    """The ids of Ollama's models, the most recently changed first; () when there is none.

    Asks at most once a minute, for at most 0.3 s, and remembers what it found while Ollama does
    not answer: an agent must not end up with another model because a service restarts.
    """
    address = ollama_address()
    with _lock:
        last = _looked_at.get(address)
        if last is None or time.monotonic() - last > _INTERVAL:
            _looked_at[address] = time.monotonic()
            _found[address] = _ask(address) or _found.get(address, ())
        return _found[address]


def ollama_forget() -> None:
    """Forgets what was found, so that the next question is asked."""
    with _lock:
        _found.clear()
        _looked_at.clear()


def _ask(address: str) -> tuple[str, ...]:
    url = urlsplit(address)
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.hostname or "", url.port, timeout=_TIMEOUT)
    try:
        connection.request("GET", "/api/tags")
        answer = orjson.loads(connection.getresponse().read(_MAX_ANSWER))
        return tuple(str(model["name"]) for model in answer["models"])
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return ()
    finally:
        connection.close()
