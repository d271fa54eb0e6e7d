"""Names for background commands: two words that are easy to type and to say."""

from __future__ import annotations

import re
import secrets

_FIRST_WORDS = """
    amber ample azure bold brave brief bright brisk broad calm clear clever cool crisp dawn deep
    eager early fair fast fine firm fond fresh gentle glad golden grand green happy honest jolly
    keen kind late light lively loud lucky mellow mild misty neat nimble noble plain polite proud
    quick quiet rapid ready rosy round royal rustic sharp shy silent silver simple sleek smooth
    snowy soft solid spry stable steady still sunny sweet swift tall tidy tiny vivid warm wide wild
    wise young
"""
_SECOND_WORDS = """
    acorn anchor aspen badger basil beacon bear birch bison breeze brook canyon cedar cliff cloud
    clover comet coral crane creek daisy delta dune eagle elm ember falcon fern finch fjord forest
    fox garden glade grove harbor hazel heron hill island ivy jade kelp lagoon lake lark leaf lily
    lotus maple marsh meadow moon moss oak ocean olive orchid otter owl pearl pebble pine plum pond
    poppy quail rain reef ridge river robin sage shell sky slope spruce star stone stream sun swan
    thyme tiger trail tulip valley wave willow wolf wren
"""
_FIRST, _SECOND = _FIRST_WORDS.split(), _SECOND_WORDS.split()
_NAME = re.compile(r"[a-z]+-[a-z]+(-\d{1,6})?")


def name_new(*, numbered: bool = False) -> str:
    """A name such as amber-fox; with a number behind when many are taken."""
    name = f"{secrets.choice(_FIRST)}-{secrets.choice(_SECOND)}"
    return f"{name}-{secrets.randbelow(1_000_000)}" if numbered else name


def name_valid(text: str) -> bool:
    """Whether the text can be a name, and so is safe as the name of a folder."""
    return _NAME.fullmatch(text) is not None
