"""A turn that waits for a decision, and what becomes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.core.principal import Principal
from agents.database import run_db
from sessions.approvals.selectors import approvals_pending
from sessions.approvals.services import approval_resolve
from sessions.inbox import Accepted
from sessions.ledger import Fault
from sessions.models import Approval, InboxItem, Run, ToolCall
from tests.sessions.stage import KEY, Stage


def write(path: str, text: str = "hi") -> str:
    """What makes the scripted model call `write`."""
    return f'[[tool:write {{"path":"{path}","content":"{text}"}}]]'


class Asking:
    """Sends messages whose turns park, and decides."""

    def __init__(self, stage: Stage, workspace: Path) -> None:
        self.stage = stage
        self.workspace = workspace

    async def parked(self, text: str, **fields: Any) -> tuple[Accepted, list[Approval]]:
        """A message whose turn waits now, with what is asked."""
        if not self.stage.engines:
            await self.stage.engine()
        accepted = await self.stage.accept(text, **fields)
        self.stage.engines[-1].submit(accepted.session_id)
        await self.until_parked(accepted)
        key = fields.get("key", KEY)
        owner = await self.stage.owner()
        return accepted, await run_db(lambda: approvals_pending(principal=owner, session_key=key))

    async def until_parked(self, accepted: Accepted) -> None:
        """Returns when the turn has given back its lane."""

        async def parked() -> bool:
            run = (await self.stage.item(accepted)).run
            return run is not None and run.state == Run.State.PARKED

        await self.stage.until(parked)
        for engine in self.stage.engines:
            await self.stage.idle(engine)

    async def decide(
        self, approval: Approval, decision: str, *, principal: Principal | None = None
    ) -> Approval:
        """Decides as the owner, or as `principal`."""
        who = principal or await self.stage.owner()
        return await run_db(
            lambda: approval_resolve(
                ref=approval.slug, decision=decision, principal=who, through="test"
            )
        )

    async def answered(self, accepted: Accepted) -> InboxItem:
        """Rings for the session and waits for the end of the message."""
        self.stage.engines[-1].submit(accepted.session_id)
        return await self.stage.ended(accepted)

    async def calls(self) -> list[ToolCall]:
        """Every tool call there was."""
        return await run_db(lambda: list(ToolCall.objects.order_by("id")))

    async def row(self, approval: Approval) -> Approval:
        """The question as it is stored now."""
        return await run_db(lambda: Approval.objects.get(pk=approval.pk))

    async def faults(self) -> list[Fault]:
        """What the ledger complains of when everything is done."""
        for engine in self.stage.engines:
            await self.stage.idle(engine)
        return await self.stage.faults()
