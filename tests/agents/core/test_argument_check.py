"""Arguments are checked against the schema; small slips are mended on a copy."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.argument_check import InvalidArgumentsError, check_arguments
from agents.core.testing import asks_for
from tests.agents.core.harness import Stage, call, echo
from tests.agents.core.strategies import steady

READ: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1},
        "ratio": {"type": "number"},
        "all": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "options": {"type": "object", "properties": {"depth": {"type": "integer"}}},
        "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def check(**arguments: Any) -> Mapping[str, Any]:
    return check_arguments("read", READ, arguments)


def complaint(**arguments: Any) -> str:
    with pytest.raises(InvalidArgumentsError) as caught:
        check(**arguments)
    return str(caught.value)


def test_it_works() -> None:
    arguments = {"path": "a.md", "limit": 5}

    assert check_arguments("read", READ, arguments) is arguments


@pytest.mark.parametrize(
    ("name", "given_value", "expected"),
    [
        ("limit", "5", 5),
        ("limit", 5.0, 5),
        ("limit", " 12 ", 12),
        ("ratio", "0.5", 0.5),
        ("ratio", "3", 3),
        ("all", "true", True),
        ("all", "False", False),
        ("all", 1, True),
        ("path", 7, "7"),
        ("path", True, "true"),
        ("names", '["a", "b"]', ["a", "b"]),
        ("names", ["a", 2], ["a", "2"]),
        ("options", '{"depth": "3"}', {"depth": 3}),
        ("options", {"depth": "3"}, {"depth": 3}),
        ("either", "4", 4),
        ("either", None, None),
    ],
)
def test_one_reading_is_taken(name: str, given_value: Any, expected: Any) -> None:
    checked = check(**{"path": "a.md", name: given_value})[name]

    assert checked == expected
    assert type(checked) is type(expected)


def test_null_means_not_given() -> None:
    assert check(path="a.md", limit=None, options={"depth": None}) == {
        "path": "a.md",
        "options": {},
    }


def test_the_arguments_given_are_not_changed() -> None:
    arguments = {"path": "a.md", "options": {"depth": "3"}, "limit": None}

    check_arguments("read", READ, arguments)

    assert arguments == {"path": "a.md", "options": {"depth": "3"}, "limit": None}


def test_errors_name_path_problem_and_what_was_received() -> None:
    text = complaint(limit="many", options={"depth": "deep"})

    assert text.splitlines() == [
        "Invalid arguments for tool 'read':",
        "- limit: 'many' is not of type 'integer'",
        "- options.depth: 'deep' is not of type 'integer'",
        "- (arguments): 'path' is a required property",
        'Received: {"limit":"many","options":{"depth":"deep"}}',
    ]


def test_a_value_out_of_range_is_refused_after_mending_too() -> None:
    assert "- limit: 0 is less than the minimum of 1" in complaint(path="a", limit="0")


def test_null_for_something_required_is_missing() -> None:
    assert "'path' is a required property" in complaint(path=None)


def test_an_unknown_key_is_named() -> None:
    assert "'colour' was unexpected" in complaint(path="a", colour="red")


def test_a_huge_value_does_not_fill_the_answer() -> None:
    text = complaint(path="a", limit="x" * 100_000)

    assert len(text) < 3_000
    assert "is not of type 'integer'" in text
    assert "characters in all" in text


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"type": "object", "properties": {"path": {"$ref": "https://example.invalid/x.json"}}},
        {"type": "object", "properties": {"path": {"pattern": "(("}}},
        {"properties": {"path": {"$ref": "#/properties/path"}}},
    ],
)
def test_a_broken_schema_is_said_and_nothing_is_fetched(schema: Mapping[str, Any]) -> None:
    with pytest.raises(InvalidArgumentsError, match="parameter schema is broken"):
        check_arguments("read", schema, {"path": "a"})


def test_a_read_only_schema_works() -> None:
    assert check_arguments("read", MappingProxyType(dict(READ)), {"path": "a"}) == {"path": "a"}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@steady
@given(st.dictionaries(st.sampled_from([*READ["properties"], "x"]), JSON_VALUES))
def test_whatever_comes_is_valid_or_refused(arguments: dict[str, Any]) -> None:
    try:
        checked = check_arguments("read", READ, arguments)
    except InvalidArgumentsError:
        return
    assert check_arguments("read", READ, checked) is checked
    assert isinstance(checked["path"], str)


async def test_the_tool_gets_the_mended_arguments_and_the_model_the_errors() -> None:
    stage = Stage([asks_for(call("a", text=5), call("b", text=["no"])), "ok"], [echo()])

    await stage.run()

    assert stage.result_texts[0] == "5"
    assert stage.result_texts[1].startswith("Invalid arguments for tool 'echo':\n- text: ['no']")
    assert stage.results[1].is_error
