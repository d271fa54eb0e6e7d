"""Languages that people can choose are languages in which there are texts."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

ROOT = Path(__file__).resolve().parents[2]


def test_it_works() -> None:
    """The texts are written in English; each other language has its compiled catalogue."""
    codes = {code for code, _name in settings.LANGUAGES}
    translated = {file.parts[-3] for file in ROOT.glob("locale/*/LC_MESSAGES/django.mo")}
    assert codes == {"en", *translated}


def test_sources_and_compiled_texts_stand_together() -> None:
    compiled = {file.with_suffix(".po") for file in ROOT.glob("locale/*/LC_MESSAGES/*.mo")}
    assert compiled == set(ROOT.glob("locale/*/LC_MESSAGES/*.po"))
