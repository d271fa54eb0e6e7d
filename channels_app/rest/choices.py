"""Closed sets of words in the API. The schema names them (SPECTACULAR_SETTINGS)."""

from __future__ import annotations

from typing import get_args

from agents.core.messages import ThinkingLevel
from sessions.models import Run
from sessions.queueing import MODES
from sessions.run_selectors import HAPPENINGS
from sessions.showing import REASONING, TRACE, VERBOSE

THINKING_LEVELS = [(level, level) for level in get_args(ThinkingLevel)]
VERBOSE_LEVELS = [(level, level) for level in VERBOSE]
REASONING_LEVELS = [(level, level) for level in REASONING]
TRACE_LEVELS = [(level, level) for level in TRACE]
QUEUE_MODES = [(mode, mode) for mode in MODES]
# What can be asked for, and what is answered: a message may also wait for its run to begin.
_KNOWN = [str(Run.State.RUNNING), str(Run.State.PARKED), *map(str, Run.Outcome)]
RUN_FILTERS = [(state, state) for state in _KNOWN]
RUN_HAPPENINGS = [(name, name) for name in HAPPENINGS]
RUN_STATES = [("waiting", "waiting"), *RUN_FILTERS]
