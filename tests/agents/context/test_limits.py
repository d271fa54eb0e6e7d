"""How many turns a channel lets the model see."""

from __future__ import annotations

import pytest

from agents.context.limits import history_limit, limited
from agents.context.summary import SummaryMessage, summary_message
from agents.core.messages import AssistantMessage, Message, Text, UserMessage

CHANNELS = {
    "telegram": {
        "dmHistoryLimit": 5,
        "historyLimit": 9,
        "dms": {"42": {"historyLimit": 2}, "43": {"historyLimit": 0}},
    },
    "slack": {"historyLimit": "many"},
}


def talk(turns: int) -> list[Message]:
    """Questions and answers."""
    found: list[Message] = []
    for number in range(turns):
        found += [
            UserMessage(f"q{number}", timestamp=number),
            AssistantMessage((Text(f"a{number}"),), timestamp=number),
        ]
    return found


def test_it_works() -> None:
    """The newest turns, beginning with a person's message."""
    assert limited(talk(5), 2) == talk(5)[6:]
    assert limited(talk(5), 0) == talk(5)
    assert limited(talk(2), 5) == talk(2)


def test_the_summary_stays() -> None:
    """It is not a turn, and it is worth more than what it costs."""
    summary = summary_message("before", entry_id="e", timestamp=1)
    shown = limited([summary, *talk(5)], 1)
    assert isinstance(shown[0], SummaryMessage)
    assert shown[1:] == talk(5)[8:]


@pytest.mark.parametrize(
    ("key", "limit"),
    [
        ("agent:main:main", 0),
        ("agent:main:web:01abc", 0),
        ("agent:main:telegram:direct:7", 5),
        ("agent:main:telegram:dm:42", 2),
        ("agent:main:telegram:direct:43", 5),
        ("agent:main:telegram:bot1:direct:42", 2),
        ("agent:main:telegram:direct:42:thread:9", 2),
        ("agent:main:telegram:group:-100", 9),
        ("agent:main:telegram:group:-100:topic:3", 9),
        ("agent:main:slack:channel:c1", 0),
        ("agent:main:discord:channel:c1", 0),
        ("agent:main:direct:direct", 0),
    ],
)
def test_keys(key: str, limit: int) -> None:
    """Own limit of a peer, of direct messages, of groups; everything else has none."""
    assert history_limit(key, CHANNELS) == limit
