"""What a skill needs of the machine and of the settings. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Requirements:
    """`metadata.openclaw` of a SKILL.md (runtime.md 9). `key` names its settings."""

    key: str
    always: bool = False
    primary_env: str = ""
    os: tuple[str, ...] = ()
    bins: tuple[str, ...] = ()
    any_bins: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    config: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """The machine and the settings, as far as skills ask for them.

    `has_bin` and `has_env` answer for a name, `truthy` for a path of the configuration.
    """

    os: str
    has_bin: Callable[[str], bool]
    has_env: Callable[[str], bool]
    truthy: Callable[[str], bool]


def requirements_of(name: str, metadata: Mapping[str, Any]) -> Requirements:
    """What the metadata of the skill `name` asks for; what is not understood asks for nothing."""
    needs = metadata.get("requires")
    needs = needs if isinstance(needs, Mapping) else {}
    return Requirements(
        key=str(metadata.get("skillKey") or name),
        always=metadata.get("always") is True,
        primary_env=str(metadata.get("primaryEnv") or ""),
        os=_texts(metadata.get("os")),
        bins=_texts(needs.get("bins")),
        any_bins=_texts(needs.get("anyBins")),
        env=_texts(needs.get("env")),
        config=_texts(needs.get("config")),
    )


def refusal(needs: Requirements, place: Place) -> str:
    """Why the skill cannot be used here, in words; "" when it can.

    In the reference's order: always, operating system, programs, variables, settings.
    """
    if needs.always:
        return ""
    if needs.os and place.os not in needs.os:
        return f"is for {', '.join(needs.os)}; this is {place.os}"
    if missing := [name for name in needs.bins if not place.has_bin(name)]:
        return f"needs the program {', '.join(missing)}"
    if needs.any_bins and not any(place.has_bin(name) for name in needs.any_bins):
        return f"needs one of the programs {', '.join(needs.any_bins)}"
    if missing := [name for name in needs.env if not place.has_env(name)]:
        return f"needs the variable {', '.join(missing)}"
    if missing := [path for path in needs.config if not place.truthy(path)]:
        return f"needs the setting {', '.join(missing)}"
    return ""


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple):
        return ()
    return tuple(dict.fromkeys(str(item) for item in value if str(item).strip()))
