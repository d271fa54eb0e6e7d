"""The tool `browser`: pages of the web in a real Chromium."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from agents.core.abort import AbortSignal
from agents.core.errors import PolicyDenied, ToolError
from agents.core.tools import ToolContext, ToolResult, UpdateFn
from agents.database import run_db
from tools.browser.actions import Work, action_run
from tools.browser.arguments import Arguments, arguments_read
from tools.browser.availability import executable_find, settings_problem
from tools.browser.engine import BrowserEngine, engine_here
from tools.browser.results import plain_result
from tools.browser.schema import DESCRIPTION, PARAMETERS, PROFILE
from tools.browser.settings import BrowserDocument, browser_settings
from tools.web.abortable import abortable

# What a call may take beyond the time of its step: starting the browser on a slow machine.
_MORE_SECONDS = 60.0


class BrowserTool:
    """Drives the tabs of the session that calls; changes pages, so it is never repeated.

    `settings` reads what is configured; it is called in a thread.
    """

    name = "browser"
    label = "Browser"
    description = DESCRIPTION
    parameters: Mapping[str, Any] = PARAMETERS
    repeatable = False
    # Calls of one answer are about the same tab, one after the other.
    execution: Literal["parallel", "sequential"] = "sequential"

    def __init__(self, settings: Callable[[], BrowserDocument] = browser_settings) -> None:
        self._settings = settings

    async def execute(
        self,
        call_id: str,
        arguments: Mapping[str, Any],
        context: ToolContext,
        signal: AbortSignal,
        on_update: UpdateFn,
    ) -> ToolResult:
        """What was done, and what the page says as outside content. Raises ToolError."""
        asked = arguments_read(arguments)
        settings = await run_db(self._settings)
        work = _work(asked, settings, context, engine_here())
        try:
            return await abortable(_in_time(work, asked), signal)
        except PolicyDenied as denied:
            raise ToolError(denied.message, details={"code": denied.code}) from denied


BROWSER = BrowserTool()


async def _in_time(work: Any, asked: Arguments) -> ToolResult:
    try:
        async with asyncio.timeout(asked.timeout / 1000 + _MORE_SECONDS):
            result: ToolResult = await work
            return result
    except TimeoutError as error:
        raise ToolError(
            "The page did not answer in time; close its tab if it does not recover."
        ) from error


async def _work(
    asked: Arguments, settings: BrowserDocument, context: ToolContext, engine: BrowserEngine
) -> ToolResult:
    if asked.action in ("doctor", "status", "profiles"):
        return plain_result(
            json.dumps(_state(asked.action, settings, context, engine)), action=asked.action
        )
    if asked.action == "stop":
        was_open = await engine.session_close(context.session_key)
        said = "Closed all tabs of this session." if was_open else "No browser was open."
        return plain_result(said, action="stop")
    session = await engine.session(context.session_key, settings)
    if asked.action == "start":
        return plain_result(f"The browser runs ({engine.version}).", action="start")
    async with session.lock:
        session.uses(context.workspace)
        try:
            return await action_run(Work(session, asked, settings, context.workspace))
        finally:
            session.uses(context.workspace)


def _state(
    action: str, settings: BrowserDocument, context: ToolContext, engine: BrowserEngine
) -> dict[str, Any]:
    session = engine.session_find(context.session_key)
    running = session is not None
    if action == "profiles":
        return {"profiles": [{"name": PROFILE, "running": running, "default": True}]}
    state = {
        "enabled": settings.enabled,
        "profile": PROFILE,
        "running": running,
        "tabs": len(session.tabs) if session is not None else 0,
        "headless": settings.headless,
        "evaluateEnabled": settings.evaluate_enabled,
    }
    if action == "doctor":
        problem = settings_problem(settings)
        state |= {
            "ok": not problem,
            "problem": problem,
            "executablePath": executable_find(settings),
            "version": engine.version,
            "sandbox": not settings.no_sandbox,
        }
    return state
