"""The kinds of `act`: what a person would do with mouse and keyboard."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from agents.core.errors import ToolError
from tools.browser.arguments import MOST_TIMEOUT_MS, Arguments
from tools.browser.elements import element_find
from tools.browser.tab import Tab

if TYPE_CHECKING:
    from playwright.async_api import Locator

_SLOW_MS = 60
_MOST_DELAY_MS = 2_000
_MOST_FIELDS = 100
_TICKED = frozenset({"true", "1", "yes", "on"})
_SIDES = (200, 3_000)

Act = Callable[[Tab, Arguments], Awaitable[str]]


async def _element(tab: Tab, arguments: Arguments) -> Locator:
    return await element_find(tab.page, arguments.text("ref"), arguments.text("selector"))


def _delay(arguments: Arguments, default: int = 0) -> float:
    return min(arguments.number("delayMs", default, low=0), _MOST_DELAY_MS)


async def _click(tab: Tab, arguments: Arguments) -> str:
    found = await _element(tab, arguments)
    options: dict[str, Any] = {
        "button": arguments.text("button", "left"),
        "modifiers": arguments.texts("modifiers"),
        "delay": _delay(arguments),
        "timeout": arguments.timeout,
    }
    if arguments.flag("doubleClick"):
        await found.dblclick(**options)
    else:
        await found.click(**options)
    return "clicked"


async def _click_coordinates(tab: Tab, arguments: Arguments) -> str:
    x, y = arguments.coordinate("x"), arguments.coordinate("y")
    options: dict[str, Any] = {
        "button": arguments.text("button", "left"),
        "delay": _delay(arguments),
        "click_count": 2 if arguments.flag("doubleClick") else 1,
    }
    await tab.page.mouse.click(x, y, **options)
    return f"clicked at {x:g}, {y:g}"


async def _type(tab: Tab, arguments: Arguments) -> str:
    found = await _element(tab, arguments)
    if "text" not in arguments.given:
        raise ToolError("text: is needed for act type.")
    text = arguments.text("text")
    if arguments.flag("slowly"):
        await found.press_sequentially(
            text, delay=_delay(arguments, _SLOW_MS), timeout=arguments.timeout
        )
    else:
        await found.fill(text, timeout=arguments.timeout)
    if arguments.flag("submit"):
        await found.press("Enter", timeout=arguments.timeout)
        return "typed and submitted"
    return "typed"


async def _press(tab: Tab, arguments: Arguments) -> str:
    key = arguments.needed("key")
    if arguments.text("ref") or arguments.text("selector"):
        found = await _element(tab, arguments)
        await found.press(key, delay=_delay(arguments), timeout=arguments.timeout)
    else:
        await tab.page.keyboard.press(key, delay=_delay(arguments))
    return f"pressed {key}"


async def _hover(tab: Tab, arguments: Arguments) -> str:
    await (await _element(tab, arguments)).hover(timeout=arguments.timeout)
    return "hovered"


async def _drag(tab: Tab, arguments: Arguments) -> str:
    start = await element_find(tab.page, arguments.needed("startRef"), name="startRef")
    end = await element_find(tab.page, arguments.needed("endRef"), name="endRef")
    await start.drag_to(end, timeout=arguments.timeout)
    return "dragged"


async def _select(tab: Tab, arguments: Arguments) -> str:
    values = arguments.texts("values")
    if not values:
        raise ToolError("values: is needed for act select.")
    found = await _element(tab, arguments)
    chosen = await found.select_option(values, timeout=arguments.timeout)
    return f"selected {len(chosen)}"


async def _fill(tab: Tab, arguments: Arguments) -> str:
    fields = arguments.given.get("fields")
    if not isinstance(fields, list) or not 0 < len(fields) <= _MOST_FIELDS:
        raise ToolError(f"fields: needs 1 to {_MOST_FIELDS} objects with ref and value.")
    for number, field in enumerate(fields):
        if not isinstance(field, Mapping) or "value" not in field:
            raise ToolError(f"fields[{number}]: needs ref and value.")
        name = f"fields[{number}].ref"
        found = await element_find(tab.page, str(field.get("ref") or ""), name=name)
        value = "" if field["value"] is None else str(field["value"])
        if await _is_box(found):
            await found.set_checked(value.lower() in _TICKED, timeout=arguments.timeout)
        else:
            await found.fill(value, timeout=arguments.timeout)
    return f"filled {len(fields)}"


async def _is_box(found: Locator) -> bool:
    """Whether it is ticked instead of filled in."""
    kinds = (await found.get_attribute("type"), await found.get_attribute("role"))
    return any(kind in ("checkbox", "radio", "switch") for kind in kinds)


async def _resize(tab: Tab, arguments: Arguments) -> str:
    low, high = _SIDES
    given = [int(arguments.coordinate(name)) for name in ("width", "height")]
    sides = [min(high, max(low, side)) for side in given]
    await tab.page.set_viewport_size({"width": sides[0], "height": sides[1]})
    return f"resized to {sides[0]} x {sides[1]}"


async def _wait(tab: Tab, arguments: Arguments) -> str:
    page, timeout = tab.page, arguments.timeout
    steps: list[str] = []
    if state := arguments.text("loadState"):
        await page.wait_for_load_state(state, timeout=timeout)  # type: ignore[arg-type]
        steps.append("loaded")
    if pattern := arguments.text("url"):
        await page.wait_for_url(pattern, timeout=timeout)
        steps.append("at the address")
    if selector := arguments.text("selector"):
        await page.locator(f"css={selector}").first.wait_for(timeout=timeout)
        steps.append("there is the element")
    if text := arguments.text("text"):
        await page.get_by_text(text).first.wait_for(timeout=timeout)
        steps.append("there is the text")
    if gone := arguments.text("textGone"):
        await page.get_by_text(gone).first.wait_for(state="hidden", timeout=timeout)
        steps.append("the text is gone")
    if milliseconds := min(arguments.number("timeMs", 0, low=0), MOST_TIMEOUT_MS):
        await page.wait_for_timeout(milliseconds)
        steps.append(f"waited {milliseconds} ms")
    if not steps:
        raise ToolError("act wait needs timeMs, text, textGone, selector, url or loadState.")
    return ", ".join(steps)


async def _evaluate(tab: Tab, arguments: Arguments) -> str:
    function = arguments.needed("fn")
    if arguments.text("ref") or arguments.text("selector"):
        answer = await (await _element(tab, arguments)).evaluate(function)
    else:
        answer = await tab.page.evaluate(function)
    return json.dumps(answer, ensure_ascii=False, default=str)


ACTS: Mapping[str, Act] = {
    "click": _click,
    "clickCoords": _click_coordinates,
    "type": _type,
    "press": _press,
    "hover": _hover,
    "drag": _drag,
    "select": _select,
    "fill": _fill,
    "resize": _resize,
    "wait": _wait,
    "evaluate": _evaluate,
}
