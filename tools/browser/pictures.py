"""Pictures of pages in sizes that models take."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from agents.core.errors import ToolError
from agents.core.messages import Image

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

# runtime.md 4.5
MOST_PIXELS = 2_000
MOST_BYTES = 5 * 1024 * 1024
# How much of a very long page is on one picture; smaller letters cannot be read.
_LONGEST_PAGE = 6_000
_QUALITIES = (85, 60, 35)

Format = Literal["png", "jpeg"]


@dataclass(frozen=True, slots=True)
class Area:
    """A part of a page in CSS pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def scale(self) -> float:
        """By what it is made smaller so that no side is too long."""
        return min(1.0, MOST_PIXELS / max(self.width, self.height, 1.0))


async def screenshot(
    page: Page, *, format: Format, full: bool = False, element: Locator | None = None
) -> tuple[Image, Area]:
    """A picture of what is visible, of the whole page or of one element, and what is on it.

    A PNG that is too large becomes a JPEG. Raises ToolError.
    """
    session = await page.context.new_cdp_session(page)
    try:
        area = await _area(session, full, element)
        for kind, quality in _attempts(format):
            data = await _capture(session, area, kind, quality, beyond=full or element is not None)
            if len(data) * 3 // 4 <= MOST_BYTES:
                return Image(data, f"image/{kind}"), area
    finally:
        await session.detach()
    raise ToolError("The picture is too large; take one of an element (ref).")


def _attempts(format: Format) -> list[tuple[Format, int]]:
    jpegs: list[tuple[Format, int]] = [("jpeg", quality) for quality in _QUALITIES]
    return [("png", 0), *jpegs] if format == "png" else jpegs


async def _area(session: Any, full: bool, element: Locator | None) -> Area:
    metrics = await session.send("Page.getLayoutMetrics")
    seen, whole = metrics["cssVisualViewport"], metrics["cssContentSize"]
    left, top = float(seen["pageX"]), float(seen["pageY"])
    if element is not None:
        await element.scroll_into_view_if_needed()
        metrics = await session.send("Page.getLayoutMetrics")
        seen = metrics["cssVisualViewport"]
        box = await element.bounding_box()
        if box is None or box["width"] < 1 or box["height"] < 1:
            raise ToolError("The element is not visible.")
        x, y = box["x"] + seen["pageX"], box["y"] + seen["pageY"]
        return Area(x, y, box["width"], min(box["height"], _LONGEST_PAGE))
    if full:
        height = min(float(whole["height"]), _LONGEST_PAGE)
        return Area(0, 0, min(float(whole["width"]), _LONGEST_PAGE), height)
    return Area(left, top, float(seen["clientWidth"]), float(seen["clientHeight"]))


async def _capture(session: Any, area: Area, format: Format, quality: int, *, beyond: bool) -> str:
    clip = {
        "x": area.x, "y": area.y, "width": area.width, "height": area.height, "scale": area.scale,
    }  # fmt: skip
    options: dict[str, Any] = {"format": format, "clip": clip, "captureBeyondViewport": beyond}
    if quality:
        options["quality"] = quality
    data: str = (await session.send("Page.captureScreenshot", options))["data"]
    return data


def picture_bytes(image: Image) -> bytes:
    """The picture itself."""
    return base64.b64decode(image.data)
