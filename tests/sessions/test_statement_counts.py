"""The path of every message asks the database no more than it must."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from django.db import connection

from agents.core.messages import AssistantMessage, Text
from agents.database import run_db
from sessions.inbox import message_accept
from sessions.models import Run
from sessions.turns.begin import turn_begin
from sessions.turns.finish import Ending, turn_finish
from tests.sessions.stage import KEY, Stage

T = TypeVar("T")
# Taking, beginning, ending.
LIMITS = (5, 10, 8)


@contextmanager
def counted(statements: list[str]) -> Iterator[None]:
    """Notes every statement of this thread's connection."""

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield


async def statements_of(function: Callable[[], T]) -> tuple[T, list[str]]:
    """What `function` returns, and the statements that it took."""
    statements: list[str] = []

    def work() -> T:
        with counted(statements):
            return function()

    return await run_db(work), statements


async def test_it_works(stage: Stage) -> None:
    """Taking a message, beginning its turn and ending it, in a session that is known."""
    owner = await stage.owner()
    counts: list[int] = []
    for number in range(2):
        fields: dict[str, Any] = {"text": "hello", "source": "ws:x", "origin": {"kind": "ws"}}
        accept = partial(
            message_accept, principal=owner, session_key=KEY, run_id=f"r{number}", **fields
        )
        accepted, taking = await statements_of(accept)
        turn, beginning = await statements_of(partial(turn_begin, accepted.session_id, "w1"))
        assert turn is not None
        answer = AssistantMessage(content=(Text("hi"),))
        ending = Ending(Run.Outcome.FINAL, held=answer, call={}, number=1)
        _, finishing = await statements_of(partial(turn_finish, turn, ending))
        counts = [len(taking), len(beginning), len(finishing)]
    # BEGIN is one of them on SQLite, the lock of the session row on PostgreSQL.
    fits = [found <= limit for found, limit in zip(counts, LIMITS, strict=True)]
    assert all(fits), f"{counts} statements: more than {LIMITS} must be worth it for every message"
