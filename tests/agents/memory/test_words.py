"""Words in all scripts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.memory.words import index_text, keywords_of, words_of


def test_it_works() -> None:
    assert words_of("The café's Wi-Fi: N0de_7!") == ["the", "cafe", "s", "wi", "fi", "n0de", "7"]
    assert words_of("项目会议 on Monday") == ["项目", "目会", "会议", "on", "monday"]
    assert words_of("我") == ["我"]
    assert words_of("v2版本") == ["v2", "版本"]


def test_what_a_question_is_about() -> None:
    assert keywords_of("What was the password of the printer?") == ["password", "printer"]
    assert keywords_of("Wann ist über den Drucker gesprochen worden?") == [
        "wann", "drucker", "gesprochen", "worden",
    ]  # fmt: skip
    assert keywords_of("what is it") == ["what", "is", "it"]
    assert "打印" in keywords_of("打印机的密码是什么")
    assert "什么" not in keywords_of("打印机的密码是什么")


@given(st.text(max_size=80))
def test_any_text_has_words(text: str) -> None:
    assert index_text(text).split() == words_of(text)
    assert len(set(keywords_of(text))) == len(keywords_of(text))
