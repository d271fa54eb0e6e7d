"""What stands twice is refused where it stands."""

from __future__ import annotations

import pytest

from tests.agents.config.conftest import errors_of, warnings_of

pytestmark = pytest.mark.django_db


def test_it_works() -> None:
    text = '{\n  "session": {},\n  "gateway": {"port": 1,\n    "port": 2},\n}'
    assert errors_of(text) == ["line 4: gateway.port: this key stands twice in one object"]


def test_differently_written_keys_are_the_same_key() -> None:
    assert errors_of("{session: {},\n 'ses\\u0073ion': {}}") == [
        "line 2: session: this key stands twice in one object"
    ]


def test_the_same_key_in_different_objects_is_fine() -> None:
    assert errors_of("{agents: {list: [{id: 'a'}, {id: 'b'}]}, session: {reset: {}}}") == []


def test_in_yaml() -> None:
    assert errors_of("session:\n  reset: {}\nsession: {}\n") == [
        "line 3: this key stands twice in one object"
    ]


def test_agent_ids_whatever_their_case() -> None:
    assert errors_of("{agents: {list: [{id: 'ops'},\n {id: 'OPS'}]}}") == [
        "line 2: agents.list[1].id: the agent ops stands twice in the list"
    ]


def test_agent_ids_in_short_and_long_form() -> None:
    assert errors_of("{agents: {list: [{id: 'ops'}],\n ops: {}}}") == [
        "line 2: agents.ops.id: the agent ops stands twice in the list"
    ]


def test_model_ids() -> None:
    text = "{models: {providers: {p: {baseUrl: 'http://h', models: [{id: 'm'}, {id: 'm'}]}}}}"
    assert errors_of(text) == [
        "line 1: models.providers.p.models[1].id: the model m stands twice in the list"
    ]


def test_aliases() -> None:
    text = "{agents: {defaults: {models: {'a/b': {alias: 'x'}, 'c/d': {alias: 'X'}}}}}"
    assert errors_of(text) == [
        'line 1: agents.defaults.models["c/d"].alias: this alias already means a/b'
    ]


def test_a_second_default_agent_is_only_a_warning() -> None:
    text = "{agents: {list: [{id: 'a', default: true}, {id: 'b', default: true}]}}"
    assert warnings_of(text) == [
        "line 1: agents.list[1].default: a is the default already; only the first one counts"
    ]
