"""After a failed compaction the next turns of that conversation do not wait for another one.

Kept in the memory of the process: another worker may try once more, which does no harm.
"""

from __future__ import annotations

import time
from collections import OrderedDict

# Seconds in which no automatic compaction is tried; what a person or an overflow asks for is.
REST_SECONDS = 300.0
_REMEMBERED = 1_024

_until: OrderedDict[str, float] = OrderedDict()


def rest_begin(transcript_id: str) -> None:
    """A compaction of this transcript failed just now."""
    _until[transcript_id] = time.monotonic() + REST_SECONDS
    while len(_until) > _REMEMBERED:
        _until.popitem(last=False)


def rests(transcript_id: str) -> bool:
    """Whether the last failure is too fresh to try again by ourselves."""
    return _until.get(transcript_id, 0.0) > time.monotonic()


def rests_forget() -> None:
    """Forgets all failures."""
    _until.clear()
