"""Makes the registry of tools agree with what is configured and known of servers.

Done whenever the rules of tools are read anew, in every process that reads them: workers, and
those that only explain. What a turn has already is not touched.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import structlog

from tools.mcp.hub import hub, hub_running, hub_stop
from tools.mcp.names import plugin_of
from tools.mcp.settings import Configured, McpSettings, mcp_settings
from tools.mcp.store import Known, catalogues_known
from tools.mcp.tool import McpTool
from tools.registry import TOOL_PLUGINS, TOOLS

# Seconds that a turn waits for servers that were never asked before.
FIRST_WAIT = 2.0

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _State:
    """What this process made of the rows. `unasked` were never tried, `unusable` were in vain;
    `waited` are marks of servers that a turn has waited for.
    """

    tools: dict[str, McpTool] = field(default_factory=dict)
    unasked: tuple[Configured, ...] = ()
    unusable: tuple[Configured, ...] = ()
    waited: set[str] = field(default_factory=set)
    connects: bool = False


_state = _State()
_lock = threading.Lock()


def mcp_begin() -> None:
    """From now on this process asks servers for their tools; called by workers."""
    _state.connects = True


def mcp_end() -> None:
    """Ends all connections and children of this process."""
    _state.connects = False
    _state.waited.clear()
    hub_stop()


def mcp_sync() -> None:
    """Registers the tools that are known and takes out the others. Queries nothing when the
    configuration was read a moment ago; must not be called on an event loop.
    """
    settings = mcp_settings()
    if not settings.servers and not _state.tools:
        _state.unasked = _state.unusable = ()
        return
    known = catalogues_known()
    with _lock:
        _sort(settings, known)
        _register(dict(_wanted(settings, known)))
    running = hub_running()
    if running is not None:
        running.idle_seconds = settings.idle_seconds
        running.retain(one.mark for one in settings.servers.values())


async def mcp_prepare() -> bool:
    """Asks the servers that have to be asked, and waits a little for those that nobody knows yet.

    Returns whether it waited, so that the rules must be read again. A turn waits for a server once
    at most; where all are known it costs two comparisons.
    """
    if not _state.connects or not (_state.unasked or _state.unusable):
        return False
    for configured in _state.unusable:
        hub().discover(configured)
    asked = {one.mark: hub().discover(one) for one in _state.unasked}
    waiting = [
        asyncio.wrap_future(future)
        for mark, future in asked.items()
        if mark not in _state.waited and not future.done()
    ]
    _state.waited.update(asked)
    if waiting:
        await asyncio.wait(waiting, timeout=FIRST_WAIT)
    return bool(waiting)


def _sort(settings: McpSettings, known: Mapping[str, Known]) -> None:
    said = {name: one for name, one in known.items() if _is_current(settings, name, one)}
    servers = settings.servers
    _state.unasked = tuple(one for name, one in servers.items() if name not in said)
    _state.unusable = tuple(servers[name] for name, one in said.items() if one.problem)


def _is_current(settings: McpSettings, name: str, known: Known) -> bool:
    configured = settings.servers.get(name)
    return configured is not None and configured.mark == known.mark


def _wanted(settings: McpSettings, known: Mapping[str, Known]) -> Iterator[tuple[str, McpTool]]:
    for name, configured in settings.servers.items():
        found = known.get(name)
        if found is None or found.mark != configured.mark or found.problem:
            continue
        for spec in found.catalogue.tools:
            tool = _state.tools.get(spec.name)
            keeps = tool is not None and tool.is_of(configured, spec)
            yield spec.name, tool if tool is not None and keeps else McpTool(configured, spec)


def _register(wanted: dict[str, McpTool]) -> None:
    # Other tools cannot have these names: nobody else may begin one with the prefix.
    if list(wanted.items()) == list(_state.tools.items()):
        return
    TOOL_PLUGINS.update({name: plugin_of(tool.configured.name) for name, tool in wanted.items()})
    TOOLS.exchange(_state.tools, wanted)
    for name in _state.tools:
        if name not in wanted:
            TOOL_PLUGINS.pop(name, None)
    _state.tools = wanted
    log.info("mcp_tools_registered", count=len(wanted))
