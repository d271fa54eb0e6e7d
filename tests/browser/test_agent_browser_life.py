"""The browser begins when it is needed and is gone when its worker is, however that ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from agents.core.errors import ToolError
from tests.browser.agent_browser import AgentBrowser, agent_browser
from tests.browser.conftest import CHROMIUM
from tools.browser.engine import BrowserEngine, _engines
from tools.browser.launch import ARGUMENTS

pytestmark = pytest.mark.browser

PIPE = "--remote-debugging-pipe"
WORKER = """
import asyncio, sys
import django
django.setup()
from tools.browser.engine import BrowserEngine
from tools.browser.settings import BrowserDocument

async def main():
    engine = BrowserEngine()
    stated = BrowserDocument.model_validate({"noSandbox": True, "executablePath": sys.argv[1]})
    session = await engine.session("key", stated)
    await session.tab_new()
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def until(check: Callable[[], object]) -> None:
    """Polls until `check` is true."""
    deadline = time.monotonic() + 60
    while not check():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def chromiums(pid: int) -> list[psutil.Process]:
    """The browsers of agents below a process, without the processes of their pages."""
    found = psutil.Process(pid).children(recursive=True)
    return [child for child in found if {PIPE, ARGUMENTS[0]} <= set(arguments(child))]


def arguments(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


def is_gone(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[AgentBrowser]:
    """A browser of this process."""
    with agent_browser(tmp_path) as running:
        yield running


def test_it_works(browser: AgentBrowser) -> None:
    """One that crashed is started anew; whatever was open is gone."""
    browser("open", url=browser.pages.url("/"))
    (first, *_others) = chromiums(os.getpid())
    first.kill()
    until(lambda: not browser.engine.running)
    with pytest.raises(ToolError, match="No tab is open"):
        browser("snapshot")
    browser("open", url=browser.pages.url("/"))
    assert "hello" in browser("snapshot")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_survives_the_worker(how: signal.Signals) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, CHROMIUM],
        stdout=subprocess.PIPE,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
    )
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"ready\n"
    found = chromiums(worker.pid)
    everything = psutil.Process(worker.pid).children(recursive=True)
    assert found
    worker.send_signal(how)
    worker.wait(60)
    worker.stdout.close()
    until(lambda: all(map(is_gone, everything)))


def test_it_ends_when_nobody_uses_it(browser: AgentBrowser) -> None:
    async def short() -> BrowserEngine:
        engine = _engines[asyncio.get_running_loop()] = BrowserEngine(idle_seconds=0.2)
        return engine

    engine = browser.run(short())
    assert browser("start").startswith("The browser runs (")
    until(lambda: not engine.running)
    assert '"running": false' in browser("status")


def test_the_environment_of_the_gateway_stays_outside(
    browser: AgentBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    browser("start")
    (process, *_others) = chromiums(os.getpid())
    assert "ANTHROPIC_API_KEY" not in process.environ()


def test_what_is_missing_is_told(browser: AgentBrowser) -> None:
    browser.settings(executablePath="/nowhere/chromium")
    with pytest.raises(ToolError, match="executablePath names no program"):
        browser("open", url=browser.pages.url("/"))
    assert '"ok": false' in browser("doctor")
    browser.settings(executablePath="/bin/true")
    with pytest.raises(ToolError, match="could not be started"):
        browser("open", url=browser.pages.url("/"))
    browser.settings()
    assert '"ok": true' in browser("doctor")
