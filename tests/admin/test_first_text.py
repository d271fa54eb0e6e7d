"""The first words of a stored message, whose JSON the database may have cut anywhere."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sessions.admin.parts import first_text

BODIES = st.text().flatmap(
    lambda text: st.sampled_from([
        {"role": "user", "content": text},
        {"role": "assistant", "content": [{"type": "text", "text": text}], "usage": {}},
    ])
)  # fmt: skip


def test_it_works() -> None:
    """Plain text and blocks; "" where there are no words."""
    assert first_text('{"role": "user", "content": "Guten Tag"}') == "Guten Tag"
    assert first_text('{"content": [{"type": "text", "text": "a \\"b\\" \\u00fc"}]}') == 'a "b" ü'
    assert first_text('{"content": [{"type": "image", "data": "aGVsbG8="}]}') == ""


@given(BODIES, st.booleans(), st.integers(min_value=0, max_value=400))
def test_cut_anywhere_it_is_a_beginning(
    body: dict[str, object], ascii_only: bool, cut: int
) -> None:
    """What is shown was said, from its start; a cut never raises."""
    whole = first_text(json.dumps(body, ensure_ascii=ascii_only))
    part = first_text(json.dumps(body, ensure_ascii=ascii_only)[:cut])
    # A pair of surrogates that was cut leaves one half behind.
    assert whole.startswith(part.rstrip("".join(map(chr, range(0xD800, 0xDC00)))))
