"""Unknown keys are refused with their place and the nearest known key."""

from __future__ import annotations

import pytest

from agents.config.issues import ConfigInvalid
from agents.config.selectors import config_get
from agents.config.services import config_apply
from tests.agents.config.conftest import errors_of

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    assert errors_of("{\n  agents: {\n    defualts: {}\n  }\n}") == [
        "line 3: agents.defualts: unknown key; did you mean defaults?"
    ]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{sesion: {}}", "line 1: sesion: unknown key; did you mean session?"),
        (
            "{messages: {queue: {moode: 'steer'}}}",
            "line 1: messages.queue.moode: unknown key; did you mean mode?",
        ),
        (
            "{agents: {list: [{id: 'a', workspce: '/x'}]}}",
            "line 1: agents.list[0].workspce: unknown key; did you mean workspace?",
        ),
        (
            "{agents: {defaults: {models: {'a/b': {alais: 'x'}}}}}",
            'line 1: agents.defaults.models["a/b"].alais: unknown key; did you mean alias?',
        ),
        (
            "{models: {providers: {p: {baseUrl: 'http://h', models: [{id: 'm', cst: {}}]}}}}",
            "line 1: models.providers.p.models[0].cst: unknown key; did you mean cost?",
        ),
        (
            "{gateway: {auth: {tokens: 't'}}}",
            "line 1: gateway.auth.tokens: unknown key; did you mean token?",
        ),
    ],
)
def test_at_every_depth(text: str, error: str) -> None:
    assert errors_of(text) == [error]


def test_a_key_that_resembles_nothing_gets_the_list() -> None:
    (error,) = errors_of("{messages: {queue: {zzzzz: 1}}}")
    assert error.endswith("known are byChannel, cap, debounceMs, debounceMsByChannel, drop, mode")


def test_every_error_is_told_at_once() -> None:
    text = "{sesion: {},\n gateway: {port: 'x', bnd: 1},\n messages: {queue: {cap: 0}}}"
    assert errors_of(text) == [
        "line 1: sesion: unknown key; did you mean session?",
        "line 3: messages.queue.cap: must be greater than or equal to 1",
        "line 2: gateway.port: must be a valid integer",
        "line 2: gateway.bnd: unknown key; did you mean bind?",
    ]


def test_nothing_is_applied_when_something_is_wrong() -> None:
    with pytest.raises(ConfigInvalid) as caught:
        config_apply(text="{messages: {queue: {cap: 5}}, sesion: {}}")
    assert caught.value.code == "invalid_config"
    assert caught.value.details["issues"][0]["path"] == "sesion"
    assert "messages" not in config_get()


def test_values_are_not_repeated_in_errors() -> None:
    (error,) = errors_of("{gateway: {auth: {token: 12345678}}}")
    assert error == "line 1: gateway.auth.token: must be a valid string"


def test_known_keys_are_named_once() -> None:
    (line,) = errors_of("{zzzzzzzzzz: 1}")
    known = line.partition("known are ")[2].split(", ")
    assert sorted(set(known)) == known
