"""What one turn sends of its conversation, and how that is made smaller when it must be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import structlog
from django.utils.translation import gettext as _

from agents.context.engine import LEGACY
from agents.context.limits import limited
from agents.context.pruning import pruned
from agents.context.result_cut import result_cut
from agents.context.tokens import context_tokens, messages_tokens, overhead_tokens
from agents.core.errors import UserError
from agents.core.messages import Message, ToolResultMessage
from agents.core.model import ModelInfo, ToolSchema
from agents.core.tools import ToolContext
from agents.database import run_db
from agents.selectors import AgentSnapshot
from sessions.context.compaction import Job, Outcome, branch_of, compaction_try, stand_in
from sessions.context.engine_calls import EngineCalls
from sessions.context.plan import Trigger, Wanted
from sessions.context.rebuild import pruning_record
from sessions.context.rests import rest_begin, rests
from sessions.context.result_caps import RESULT_CHARS
from sessions.context.settings import ContextSettings, Room, context_settings
from sessions.context.summarise import AskFn
from sessions.context.telling import CompactionTeller
from sessions.context.truncation import cuts_find, truncation_commit
from sessions.models import Compaction, Entry
from sessions.turns.emitter import Emitter
from sessions.turns.turn import Turn

log = structlog.get_logger(__name__)

# Above this share of the window a request is sure to be refused, whatever the answer takes.
_HOPELESS_SHARE = 0.9


class TurnContext:
    """The context of one turn. Belongs to one event loop; nothing is asked at the same time.

    The loop's history only grows at its end, so what is sent is a summary (if there is one) and
    the history from an index on. `last` is how the newest compaction of this turn ended. Methods
    raise LeaseLostError and, but for `guard`, nothing else.
    """

    def __init__(
        self, *, turn: Turn, snapshot: AgentSnapshot, ask: AskFn, emitter: Emitter | None
    ) -> None:
        self.last: Outcome | None = None
        self.system_addition = ""
        self._turn = turn
        self._ask = ask
        self._teller = CompactionTeller(emitter)
        self._settings: ContextSettings = turn.settings or context_settings(
            snapshot, turn.session.key, turn.model
        )
        chosen = self._settings.engine
        self._engine = EngineCalls(chosen.engine, turn)
        if chosen.warning:
            turn.warnings.append(chosen.warning)
        self._summary: Message | None = None
        self._first = 0
        self._cuts: dict[int, int] = {}
        self._since = turn.compacted_at
        self._entry = turn.compaction
        self._beside: tuple[str, Sequence[ToolSchema]] = ("", ())
        self._attempts = 0
        self._may_compact = True
        self._warned = False

    def guard(self, model: ModelInfo) -> str:
        """Whether the model's window is large enough: "" or a warning.

        Raises UserError for one in which no conversation has room.
        """
        room, limits = self._settings.room(model), self._settings.limits
        values = {"model": model.ref, "window": f"{room.window:,}", "source": room.source}
        if room.window < limits.window_min_tokens:
            text = _(
                "The context window of %(model)s is too small: %(window)s tokens (%(source)s), "
                "at least %(minimum)s are needed. Choose another model, or set contextWindow of "
                "the model or agents.defaults.contextLimits.windowMinTokens."
            )
            raise UserError(text % {**values, "minimum": f"{limits.window_min_tokens:,}"})
        if room.window < limits.window_warn_tokens:
            text = _(
                "The context window of %(model)s is small: %(window)s tokens (%(source)s). Long "
                "conversations will be summarised often."
            )
            return text % values
        return ""

    async def messages(
        self,
        history: Sequence[Message],
        *,
        model: ModelInfo,
        system: str,
        tools: Sequence[ToolSchema],
    ) -> Sequence[Message]:
        """What to send for `history`; an older part is summarised first when it is too much."""
        room = self._settings.room(model)
        self._beside = (system, tools)
        sent = self._view(history)
        tokens = context_tokens(sent, system=system, tools=tools, since=self._since)
        if tokens > room.budget:
            sent = await self._reduced(history, sent, model, room, tokens)
        elif tokens > room.warning and not self._warned:
            self._warn(tokens, room)
        sent = await self._assembled(sent, model, room, tools)
        return self._finished(sent, room)

    async def compact(
        self,
        history: Sequence[Message],
        *,
        model: ModelInfo,
        trigger: Trigger,
        observed_tokens: int | None = None,
        instructions: str = "",
    ) -> bool:
        """Summarises the older part of `history`. True only when what would be sent shrank.

        `observed_tokens` is the size of the request as the service that refused it stated it.
        """
        room = self._settings.room(model)
        tokens = self._tokens_known(history, room, trigger, observed_tokens)
        self._attempts += trigger == "overflow"
        job = Job(
            turn=self._turn,
            model=model,
            settings=self._settings,
            ask=self._ask,
            teller=self._teller,
            instructions=instructions,
            wanted=Wanted(
                trigger=trigger,
                budget=room.budget,
                keep=self._settings.compaction.keep_recent_tokens,
                tokens=tokens,
                overhead=self._overhead,
                attempt=max(1, self._attempts),
            ),
        )
        owned = await self._engine.compact(self._view(history), room.budget, tokens, instructions)
        if owned is not None:
            return owned
        self.last = found = await compaction_try(job)
        if found.outcome == Compaction.Outcome.FAILED and found.reason != "aborted":
            self._may_compact = False
            rest_begin(self._turn.transcript_id)
        if not found.done or found.entry is None:
            return False
        self._took(found, history)
        return True

    async def truncate(self, history: Sequence[Message], *, model: ModelInfo) -> bool:
        """Cuts the largest tool results in what is sent. True when it shrank.

        The cuts hold for the turns that follow too; the stored results stay whole.
        """
        room = self._settings.room(model)
        branch = await run_db(branch_of, self._turn)
        newest = branch.items[-1][1] if branch.items else None
        offset = len(history) - behind(history, newest) - len(branch.items)
        sent = self._view(history)
        excess = self._overhead + messages_tokens(sent) - int(room.budget * _HOPELESS_SHARE)
        cuts = cuts_find(
            {
                index: message
                for index in range(max(0, self._first, offset), offset + len(branch.items))
                if isinstance(message := self._shown(history, index), ToolResultMessage)
            },
            excess=excess,
        )
        if not cuts:
            return False
        names = {branch.items[index - offset][0]: limit for index, limit in cuts.items()}
        entry = await run_db(truncation_commit, self._turn, branch, names)
        self._cuts |= cuts
        self._marked(entry)
        self._teller.entry(entry)
        return True

    @property
    def _overhead(self) -> int:
        """The tokens of prompt and tools."""
        return overhead_tokens(*self._beside)

    def _took(self, found: Outcome, history: Sequence[Message]) -> None:
        """From now on the summary stands for what was before the kept messages."""
        if found.entry is None:
            return
        self._summary = stand_in(found.entry)
        self._first = len(history) - behind(history, found.newest) - found.kept
        self._marked(found.entry)

    def _marked(self, entry: Entry) -> None:
        self._entry = entry.entry_id
        self._since = int(entry.created_at.timestamp() * 1000)

    def _view(self, history: Sequence[Message]) -> Sequence[Message]:
        """What is sent of the history before the engine and the pruning see it."""
        sent: Sequence[Message] = history
        if self._cuts:
            sent = [self._shown(history, index) for index in range(len(history))]
        if self._first:
            sent = sent[self._first :]
        if self._summary is not None:
            sent = [self._summary, *sent]
        if limit := self._settings.history_limit:
            sent = limited(sent, limit)
        return sent

    def _shown(self, history: Sequence[Message], index: int) -> Message:
        message = history[index]
        limit = self._cuts.get(index)
        if limit is None or not isinstance(message, ToolResultMessage):
            return message
        return result_cut(message, limit)

    def _tokens_known(
        self, history: Sequence[Message], room: Room, trigger: Trigger, observed: int | None
    ) -> int:
        sent = self._view(history)
        guessed = self._overhead + messages_tokens(sent)
        if observed:
            return max(observed, guessed)
        tokens = max(guessed, context_tokens(sent, since=self._since))
        # An overflow of unknown size was more than the window, whatever estimates say.
        return max(tokens, room.window) if trigger == "overflow" else tokens

    async def _reduced(
        self,
        history: Sequence[Message],
        sent: Sequence[Message],
        model: ModelInfo,
        room: Room,
        tokens: int,
    ) -> Sequence[Message]:
        """The view once it was compacted, or as it is where that did not help."""
        if self._may_compact and not rests(self._turn.transcript_id):
            await self.compact(history, model=model, trigger="budget")
            sent = self._view(history)
            tokens = self._overhead + messages_tokens(sent)
        if tokens > room.window * _HOPELESS_SHARE and await self.truncate(history, model=model):
            sent = self._view(history)
        return sent

    def _warn(self, tokens: int, room: Room) -> None:
        self._warned = True
        text = _("The conversation takes about %(tokens)s of the %(budget)s tokens it may have.")
        values = {"tokens": f"{tokens:,}", "budget": f"{room.budget:,}"}
        self._turn.warnings.append(text % values)

    async def _assembled(
        self,
        sent: Sequence[Message],
        model: ModelInfo,
        room: Room,
        tools: Sequence[ToolSchema],
    ) -> Sequence[Message]:
        if self._engine.info.id == LEGACY:
            return sent
        assembled = await self._engine.assemble(sent, room.budget, model, tools)
        self.system_addition = assembled.system_addition
        return assembled.messages

    def _finished(self, sent: Sequence[Message], room: Room) -> Sequence[Message]:
        record: dict[str, object] = {}
        if self._entry:
            record = {"compaction": self._entry, "leaf": self._turn.leaf}
        if self._turn.images_from:
            record["imagesFrom"] = self._turn.images_from
        if self._settings.history_limit:
            record["historyLimit"] = self._settings.history_limit
        if self._engine.info.id != LEGACY:
            record["engine"] = self._engine.info.id
        rules = self._settings.pruning
        if rules is not None:
            found = pruned(sent, rules, window=room.window)
            if found.trimmed or found.cleared:
                sent = found.messages
                record["pruning"] = pruning_record(rules, found)
        self._turn.sent = record
        return sent

    def tool_context(self, context: ToolContext, model: ModelInfo | None) -> ToolContext:
        """`context` with the most characters that a result may have."""
        if model is None:
            return context
        chars = self._settings.result_chars(model)
        return replace(context, settings={**context.settings, RESULT_CHARS: chars})

    async def after_turn(self, history: Sequence[Message]) -> None:
        """Tells a plugin's engine that the turn ended."""
        await self._engine.after_turn(history)


def behind(history: Sequence[Message], newest: Message | None) -> int:
    """How many messages stand behind `newest`, the last one that is stored: usually none."""
    if newest is None:
        return 0
    mark = (newest.role, newest.timestamp)
    for count, message in enumerate(reversed(history)):
        if (message.role, message.timestamp) == mark:
            return count
    return 0
