"""Deltas of tool calls find their call, whatever of index, id and name is missing."""

from __future__ import annotations

from typing import Any

from agents.core.messages import ToolCall
from agents.core.model import ModelInfo, ModelRequest
from agents.providers.openai_completions.chunks import ChunkDecoder
from tests.agents.providers.harness import TOOLS

MODEL = ModelInfo(provider="p", id="m", api="openai-completions")


def calls_of(*deltas: list[dict[str, Any]]) -> list[ToolCall]:
    decoder = ChunkDecoder(ModelRequest(MODEL, (), tools=TOOLS))
    for entries in deltas:
        decoder.feed({"choices": [{"delta": {"tool_calls": entries}}]})
    return [b for b in decoder.assembly.finish(ended=True) if isinstance(b, ToolCall)]


def entry(
    index: int | None = None, id: str | None = None, name: str | None = None, arguments: Any = None
) -> dict[str, Any]:
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}


def found(*deltas: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in calls_of(*deltas)]


A, B = {"path": "a"}, {"path": "b"}
RAW_A, RAW_B = '{"path":"a"}', '{"path":"b"}'


def test_it_works() -> None:
    assert found([entry(0, "1", "read", '{"path"')], [entry(0, None, None, ':"a"}')]) == [
        ("read", A)
    ]


def test_interleaved_calls_by_index() -> None:
    first = [entry(0, "1", "read", '{"path"'), entry(1, "2", "write", '{"path"')]
    rest = [[entry(1, None, None, ':"b"}')], [entry(0, None, None, ':"a"}')]]
    assert found(first, *rest) == [("read", A), ("write", B)]


def test_interleaved_calls_by_order_alone() -> None:
    first = [entry(name="read", arguments='{"path"'), entry(name="write", arguments='{"path"')]
    rest = [entry(arguments=':"a"}'), entry(arguments=':"b"}')]
    assert found(first, rest) == [("read", A), ("write", B)]


def test_id_and_name_in_every_delta() -> None:
    deltas = [[entry(0, "1", "read", piece)] for piece in ('{"path"', ":", '"a"}')]
    assert found(*deltas) == [("read", A)]


def test_name_in_every_delta_without_ids() -> None:
    deltas = [[entry(0, None, "read", piece)] for piece in ('{"path"', ":", '"a"}')]
    assert found(*deltas) == [("read", A)]


def test_id_that_comes_late() -> None:
    calls = calls_of([entry(0, None, "read", '{"path"')], [entry(0, "7", None, ':"a"}')])
    assert [(call.id, call.arguments) for call in calls] == [("7", A)]


def test_name_in_two_pieces() -> None:
    assert found([entry(0, "1", "re")], [entry(0, None, "ad")], [entry(0, None, None, RAW_A)]) == [
        ("read", A)
    ]


def test_two_calls_on_one_index_without_ids() -> None:
    assert found([entry(0, None, "read", RAW_A)], [entry(0, None, "read", RAW_B)]) == [
        ("read", A),
        ("read", B),
    ]


def test_one_id_on_two_indexes_becomes_two() -> None:
    calls = calls_of([entry(0, "x", "read", RAW_A)], [entry(1, "x", "write", RAW_B)])
    assert [(call.name, call.arguments) for call in calls] == [("read", A), ("write", B)]
    assert calls[0].id == "x"
    assert calls[1].id not in ("", "x")


def test_call_without_arguments_before_another() -> None:
    assert found([entry(name="clock")], [entry(name="read", arguments=RAW_A)]) == [
        ("clock", {}),
        ("read", A),
    ]


def test_encrypted_reasoning_travels_with_its_call() -> None:
    decoder = ChunkDecoder(ModelRequest(MODEL, (), tools=TOOLS))
    detail = {"type": "reasoning.encrypted", "id": "1", "data": "xyz"}
    delta = {"tool_calls": [entry(0, "1", "read", RAW_A)], "reasoning_details": [detail]}
    decoder.feed({"choices": [{"delta": delta}]})
    (call,) = decoder.assembly.finish(ended=True)
    assert isinstance(call, ToolCall)
    assert "xyz" in (call.thought_signature or "")
