"""What the tests of the configuration document share."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.config.issues import ConfigInvalid
from agents.config.services import config_validate

EXAMPLES = Path(__file__).with_name("examples")


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> str:
    """A document with a value under every known section, its variables set."""
    monkeypatch.setenv("OPENCLAW_GATEWAY_TOKEN", "token-of-the-environment")
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "1:bot")
    return (EXAMPLES / "everything.json5").read_text(encoding="utf-8")


def errors_of(text: str | bytes) -> list[str]:
    """The errors of a document as people see them."""
    return [str(issue) for issue in config_validate(text=text).errors]


def warnings_of(text: str) -> list[str]:
    """The warnings of a document that has no errors."""
    report = config_validate(text=text)
    if not report.ok:
        raise ConfigInvalid(report.errors)
    return [str(issue) for issue in report.warnings]
