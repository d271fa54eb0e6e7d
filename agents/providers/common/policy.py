"""What each service demands of a history, as data.

Every history is prepared the same way (see `replay`): each call has one result directly behind
its message, the user speaks first, nobody's words are put into the model's mouth at the end,
nothing is blank. The services differ in the points below. The defaults follow the reference; where
a vendor documents a pattern, that pattern holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from agents.core.model import ModelInfo
from agents.providers.common.call_ids import (
    ANTHROPIC_IDS,
    GOOGLE_IDS,
    OPENAI_IDS,
    RESPONSES_IDS,
    CallIdRule,
)

# A call with another name than this was damaged and is left out together with its result.
CALL_NAME = re.compile(r"[A-Za-z0-9_:.-]{1,64}")
_NARROW_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
# Gemini's declaration of functions: begins with a letter or an underscore.
_GOOGLE_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}")
_NOT_NARROW = re.compile(r"[^a-zA-Z0-9_-]")
# Standard base64 with its padding, which Google's services decode.
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")

# Claude up to 3.x forgets reasoning once its turn is over, and refuses some of it.
_OLD_CLAUDE = re.compile(r"claude-(?:[123]\b|[123][.-]|instant)")
_GEMMA = re.compile(r"gemma-?4")


@dataclass(frozen=True, slots=True)
class TranscriptPolicy:
    """What one service accepts in a history.

    `ids` and `names` say which call ids and tool names pass as they are. `signatures` says which
    of the model's own signatures go back. With `needs_signature` reasoning without one is left
    out. `forgets` says of which models only the reasoning of the turn in progress goes back.
    """

    ids: CallIdRule
    names: re.Pattern[str] = _NARROW_NAME
    signatures: Literal["any", "base64"] = "any"
    needs_signature: bool = False
    forgets: re.Pattern[str] | None = None

    def forgets_reasoning(self, model: ModelInfo) -> bool:
        """Whether only the reasoning of the turn in progress goes back to `model`."""
        return self.forgets is not None and self.forgets.search(model.id.lower()) is not None

    def signature(self, signature: str | None) -> str | None:
        """The signature as it may go back; None for one that the service could not read."""
        if not signature or not signature.strip():
            return None
        if self.signatures == "any":
            return signature
        return signature if _BASE64.fullmatch(signature) else None

    def name(self, name: str) -> str:
        """The tool name to send; what the service does not take becomes an underscore."""
        if self.names.fullmatch(name):
            return name
        cleaned = _NOT_NARROW.sub("_", name)
        return cleaned if self.names.fullmatch(cleaned) else f"_{cleaned}"[:64]


_CLAUDE = TranscriptPolicy(ANTHROPIC_IDS, needs_signature=True, forgets=_OLD_CLAUDE)
_COMPLETIONS = TranscriptPolicy(OPENAI_IDS, forgets=_GEMMA)
POLICIES: dict[str, TranscriptPolicy] = {
    "anthropic-messages": _CLAUDE,
    "bedrock-converse-stream": _CLAUDE,
    "openai-completions": _COMPLETIONS,
    "github-copilot": _COMPLETIONS,
    "openai-responses": TranscriptPolicy(RESPONSES_IDS),
    "google-generative-ai": TranscriptPolicy(GOOGLE_IDS, names=_GOOGLE_NAME, signatures="base64"),
    "ollama": TranscriptPolicy(OPENAI_IDS, forgets=_GEMMA),
}


def policy_for(model: ModelInfo) -> TranscriptPolicy:
    """The policy of the model's API; for an API without one that of Chat Completions."""
    return POLICIES.get(model.api, _COMPLETIONS)
