"""Examples in the documents hold: Python compiles, JSON parses, configuration is accepted."""

from __future__ import annotations

import json

import pytest

from agents.config.services import config_validate
from tests.docs.pages import code_blocks, documents

_BLOCKS = {
    language: [
        pytest.param(block, id=f"{path.stem}-{number}")
        for path in documents()
        for number, block in enumerate(code_blocks(path.read_text(encoding="utf-8"), language), 1)
    ]
    for language in ("python", "json", "json5", "yaml")
}


def test_it_works() -> None:
    assert len(_BLOCKS["python"]) >= 3
    with pytest.raises(SyntaxError):
        compile("def broken(:", "example", "exec")


@pytest.mark.parametrize("block", _BLOCKS["python"])
def test_python_compiles(block: str) -> None:
    compile(block, "example", "exec")


@pytest.mark.parametrize("block", _BLOCKS["json"])
def test_json_parses(block: str) -> None:
    json.loads(block)


@pytest.mark.django_db
@pytest.mark.parametrize("block", [*_BLOCKS["json5"], *_BLOCKS["yaml"]])
def test_configuration_is_accepted(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_KEY", "a key")
    report = config_validate(text=block)
    assert report.ok, report.errors
    assert not report.warnings
