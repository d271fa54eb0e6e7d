"""What is taken out before the pipeline: by the rights of the sender, the channel, the model's
service. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tools.policy.facts import Facts
from tools.policy.layer import Layer
from tools.policy.patterns import entry_match

OWNER_ONLY_LAYER = "owner only"
_PICTURES = ("canvas", "image_generate", "video_generate")
_TEXT_ONLY = (*_PICTURES, "music_generate", "tts")
# What a channel cannot show. A voice channel speaks every answer already: with `tts` it would
# hear itself (runtime.md 5.3).
CHANNEL_DENIES: Mapping[str, tuple[str, ...]] = {
    "voice": ("tts", *_PICTURES),
    "discord-voice": ("tts", *_PICTURES),
    "sms": _TEXT_ONLY,
    "irc": _TEXT_ONLY,
    "nostr": _TEXT_ONLY,
    "twitch": _TEXT_ONLY,
    "whatsapp": ("canvas",),
    "signal": ("canvas",),
    "imessage": ("canvas",),
}
# A device shows and fetches; what it says is not to reach further.
CHANNEL_ALLOWS: Mapping[str, tuple[str, ...]] = {
    "node": ("canvas", "image", "pdf", "tts", "web_fetch", "web_search"),
}


def prefilters(facts: Facts, layers: Sequence[Layer]) -> Iterator[Layer]:
    """The layers with the number 0 that these facts call for, in their order.

    `layers` are the rules that may ask for optional tools.
    """
    if unnamed := tuple(_unnamed(facts, layers)):
        title = "an optional tool that no allow or alsoAllow names"
        yield Layer(0, deny=unnamed, title=title, own_name="optional tools")
    for name, reason in facts.unavailable:
        yield Layer(0, deny=(name,), title=reason, own_name="not set up")
    if not facts.is_owner and facts.owner_only:
        yield Layer(0, deny=facts.owner_only, title="tools.ownerOnly", own_name=OWNER_ONLY_LAYER)
    channel = facts.channel.lower()
    allow, deny = CHANNEL_ALLOWS.get(channel, ()), CHANNEL_DENIES.get(channel, ())
    if allow or deny:
        title = f"what the channel {channel} can show"
        yield Layer(0, allow=allow, deny=deny, literal=True, title=title, own_name="channel")
    if facts.provider_search:
        title = f"{facts.provider} searches the web itself"
        yield Layer(0, deny=("web_search",), title=title, own_name="model service")


def _unnamed(facts: Facts, layers: Sequence[Layer]) -> Iterator[str]:
    optional = [tool for tool in facts.tools if tool.optional]
    if not optional:
        return
    entries = {entry for layer in layers for entry in layer.allow if not entry.startswith("!")}
    matches = [entry_match(entry) for entry in entries]
    for tool in optional:
        if not any(match(tool) for match in matches):
            yield tool.name
