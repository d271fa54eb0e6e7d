"""Arguments of tool calls: whole or an error."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.model import ToolSchema
from agents.providers.common.arguments import (
    MalformedCallError,
    calls_parse,
    is_complete,
    names_split,
)
from tests.agents.providers.harness import TOOLS

KNOWN = {tool.name: tool for tool in TOOLS}
JSON_OBJECTS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abc"), inner),
        max_leaves=5,
    ),
)


def parse(name: str, raw: str, *, ended: bool = True) -> list[tuple[str, dict[str, Any]]]:
    return calls_parse(name, raw, KNOWN, ended=ended)


def test_it_works() -> None:
    assert parse("read", '{"path": "a"}') == [("read", {"path": "a"})]


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        (' {"path": "a"} \n', {"path": "a"}),
        ('"{\\"path\\": \\"a\\"}"', {"path": "a"}),
        ('```json\n{"path": "a"}\n```', {"path": "a"}),
        ('functions.read{"path": "a"}', {"path": "a"}),
        ('{"path": "a"}</', {"path": "a"}),
        ('{"path": "two\nlines"}', {"path": "two\nlines"}),
        ('{"path": "\\ud83d\\ude00"}', {"path": "😀"}),
        ('{"path": "\\ud83d"}', {"path": "\ufffd"}),
        ('{"n": 123456789012345678901234567890}', {"n": 1.2345678901234568e29}),
    ],
)
def test_one_object_in_odd_clothes(raw: str, arguments: dict[str, Any]) -> None:
    assert parse("read", raw) == [("read", arguments)]


@pytest.mark.parametrize(
    "raw",
    [
        '{"path": "a',
        '{"path": "a"}{"path',
        "[1, 2]",
        '"text"',
        "12",
        "true",
        "path=a",
        '{"path": "a"} and then some',
        '{"path": "a"}, {',
    ],
)
def test_spoilt_arguments_are_an_error(raw: str) -> None:
    with pytest.raises(MalformedCallError):
        parse("read", raw)


def test_error_names_what_had_arrived() -> None:
    with pytest.raises(MalformedCallError, match="of its fields arrived: path"):
        parse("write", '{"path": "a", "cont')


@pytest.mark.parametrize("raw", ["", "  ", "null"])
def test_nothing_means_no_arguments_only_where_none_are_required(raw: str) -> None:
    assert parse("clock", raw) == [("clock", {})]
    assert parse("unheard_of", raw) == [("unheard_of", {})]
    with pytest.raises(MalformedCallError, match="it needs path"):
        parse("read", raw)
    with pytest.raises(MalformedCallError, match="broke off"):
        parse("clock", raw, ended=False)


def test_explicit_empty_object_is_the_word_of_the_model() -> None:
    assert parse("read", "{}") == [("read", {})]


def test_glued_objects() -> None:
    raw = '{"path": "a"} {"path": "b"}'
    a, b = {"path": "a"}, {"path": "b"}
    assert parse("readwrite", raw) == [("read", a), ("write", b)]
    assert parse("readread", raw) == [("read", a), ("read", b)]
    assert parse("read", raw) == [("read", a), ("read", b)]
    assert parse("read", '{"path": "a"}{"path": "a"}') == [("read", a)]
    assert parse("readread", '{"path": "a"}{"path": "a"}') == [("read", a), ("read", a)]
    with pytest.raises(MalformedCallError, match="glued"):
        parse("readsomething", raw)
    with pytest.raises(MalformedCallError, match="glued"):
        parse("readreadread", raw)


def test_names_that_begin_alike_are_split_right() -> None:
    tools = {name: ToolSchema(name, "", {}) for name in ("get", "getter", "terget")}
    assert names_split("getterget", tools, 2) == ["get", "terget"]
    assert names_split("gettergetter", tools, 2) == ["getter", "getter"]
    assert names_split("gett", tools, 2) is None


@given(JSON_OBJECTS)
def test_every_object_survives(arguments: dict[str, Any]) -> None:
    raw = orjson.dumps(arguments).decode()
    assert is_complete(raw)
    assert parse("read", raw) == [("read", arguments)]


@given(JSON_OBJECTS, st.data())
def test_truncated_object_is_never_taken_for_a_whole_one(
    arguments: dict[str, Any], data: st.DataObject
) -> None:
    raw = orjson.dumps(arguments).decode()
    cut = data.draw(st.integers(1, len(raw) - 1))
    assert not is_complete(raw[:cut])
    with pytest.raises(MalformedCallError):
        parse("read", raw[:cut])


@given(st.lists(JSON_OBJECTS, min_size=2, max_size=4))
def test_glued_calls_are_all_there(objects: list[dict[str, Any]]) -> None:
    raw = "".join(orjson.dumps(item).decode() for item in objects)
    assert parse("read" * len(objects), raw) == [("read", item) for item in objects]


@pytest.mark.parametrize("raw", ['{"path": ' + "[" * 100_000, "[" * 100_000, '{"a":' * 5_000])
def test_what_is_nested_too_deeply_is_malformed(raw: str) -> None:
    assert not is_complete(raw + "}")
    with pytest.raises(MalformedCallError, match="incomplete"):
        parse("read", raw)
