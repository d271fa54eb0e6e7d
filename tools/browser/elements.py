"""Finds what a call means on a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from agents.core.errors import ToolError
from tools.browser.failures import explained

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

_REF = re.compile(r"(?:f\d{1,6})?e\d{1,9}\Z")


async def element_find(page: Page, ref: str, selector: str = "", *, name: str = "ref") -> Locator:
    """The element of the newest snapshot with this ref, or the only one that a selector means.

    Raises ToolError when there is none, or more than one.
    """
    plain = ref.strip().removeprefix("@").removeprefix("ref=").strip("[]")
    if not plain and not selector:
        raise ToolError(f"{name}: is needed (an element of the newest snapshot, as e12).")
    if plain and not _REF.match(plain):
        raise ToolError(f"{name}: must be as in the snapshot (e12), got {ref[:40]!r}.")
    with explained("The element"):
        found = page.locator(f"aria-ref={plain}" if plain else f"css={selector}")
        count = await found.count()
    if not count:
        shown = plain or selector[:80]
        raise ToolError(f"{name}: {shown!r} is not on the page now. Take a new snapshot.")
    if count > 1:
        raise ToolError(f"selector: {selector[:80]!r} means {count} elements; name one.")
    return found
