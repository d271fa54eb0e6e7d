"""Merging a part into a document, and naming what differs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.config.merging import document_changes, document_hash, document_merge

KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["x", "y"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=3)


def test_it_works() -> None:
    document = {"a": {"b": 1, "c": [1, 2]}, "d": "x"}
    patch = {"a": {"b": None, "c": [3], "e": {"f": True}}}
    assert document_merge(document, patch) == {"a": {"c": [3], "e": {"f": True}}, "d": "x"}
    assert document == {"a": {"b": 1, "c": [1, 2]}, "d": "x"}


@pytest.mark.parametrize(
    ("document", "patch", "merged"),
    [
        # The examples of RFC 7396.
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "foo"}, "bar", "bar"),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_as_the_standard_says(document: Any, patch: Any, merged: Any) -> None:
    assert document_merge(document, patch) == merged


def test_items_with_ids_are_merged() -> None:
    items = [{"id": "a", "x": 1}, {"id": "b"}]
    patch = [{"id": "b", "y": 2}, {"id": "c"}]
    merged = [{"id": "a", "x": 1}, {"id": "b", "y": 2}, {"id": "c"}]
    assert document_merge({"list": items}, {"list": patch}) == {"list": merged}
    assert document_merge({"list": items}, {"list": []}) == {"list": []}


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        ({}, {}, []),
        ({"a": 1}, {"a": 2}, [("a",)]),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, [("a", "c")]),
        ({}, {"a": {"b": {"c": 1}}}, [("a", "b", "c")]),
        ({"a": {"b": 1}}, {}, [("a", "b")]),
        ({"a": {}}, {}, [("a",)]),
        ({"a": 1}, {"a": {"b": 1}}, [("a",), ("a", "b")]),
        ({"l": [{"id": "x", "k": 1}]}, {"l": [{"id": "x", "k": 2}]}, [("l", "x", "k")]),
        ({"l": [1, 2]}, {"l": [1]}, [("l", 1)]),
    ],
)
def test_what_differs(before: Any, after: Any, paths: list[Any]) -> None:
    assert list(document_changes(before, after)) == paths


@given(DOCUMENTS, DOCUMENTS)
def test_a_difference_is_never_missed(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert bool(list(document_changes(before, after))) == (before != after)


@given(DOCUMENTS)
def test_merging_a_document_into_itself(document: dict[str, Any]) -> None:
    once = document_merge({}, document)
    assert document_merge(once, document) == once


def test_the_hash_knows_no_order_and_needs_the_key() -> None:
    one = document_hash({"a": 1, "b": 2}, key=b"k")
    assert one == document_hash({"b": 2, "a": 1}, key=b"k")
    assert one != document_hash({"a": 1, "b": 3}, key=b"k")
    assert one != document_hash({"a": 1, "b": 2}, key=b"other")
