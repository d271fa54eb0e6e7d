"""The chat page as the server writes it."""

from __future__ import annotations

from django.utils import timezone

from channels_app.pages.spoken import spoken_text
from sessions.models import InboxItem, Run, Session
from tests.channels_app.pages.conftest import Visitor, entry_of, run_of, session_of

KEY = "agent:main:main"
CALL = {"type": "toolCall", "id": "c1", "name": "exec", "arguments": {"command": "ls"}}


def page(visitor: Visitor, query: str = "") -> str:
    answer = visitor.client.get(f"/chat/{KEY}/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def conversation(session: Session) -> Run:
    run = run_of(session, ended_at=timezone.now(), input_tokens=12, output_tokens=3)
    entry_of(session, {"role": "user", "content": "what is <here>?"}, run)
    text = {"type": "text", "text": "I *look*."}
    thought = {"type": "thinking", "thinking": "hm"}
    entry_of(session, {"role": "assistant", "content": [thought, text, CALL]}, run)
    result = [{"type": "text", "text": "a.txt"}]
    entry_of(session, {"role": "toolResult", "toolCallId": "c1", "content": result}, run)
    entry_of(
        session,
        {"role": "assistant", "content": [{"type": "text", "text": "One file."}]},
        run,
    )
    return run


def test_it_works(owner: Visitor) -> None:
    run = conversation(session_of(owner.person, KEY))

    html = page(owner)

    assert "what is &lt;here&gt;?" in html
    assert "<p>I <em>look</em>.</p>" in html
    assert html.count('<details class="tool tool--done" data-call="c1">') == 1
    assert ">a.txt</code>" in html
    assert html.count("message__foot") == 2  # the turn's, and the template for new ones
    assert f'href="/runs/{run.id}/"' in html
    assert f'data-run="{run.wire_id}"' in html


def test_a_call_of_a_running_turn_runs(owner: Visitor) -> None:
    session = session_of(owner.person, KEY)
    run = run_of(session, state=Run.State.RUNNING, outcome="")
    entry_of(session, {"role": "assistant", "content": [CALL]}, run)

    html = page(owner)

    assert "tool--running" in html
    assert 'aria-busy="true"' in html
    assert "<noscript>" in html


def test_a_failed_call_says_so(owner: Visitor) -> None:
    session = session_of(owner.person, KEY)
    run = run_of(session)
    body = {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "no key"}
    entry_of(session, body, run)

    assert "no key" in page(owner)


def test_waiting_messages_stand_above_the_composer(owner: Visitor) -> None:
    owner.client.post("/chat/send/", {"key": KEY, "text": "please wait", "run_id": "w1"})

    assert 'data-run="w1"' in page(owner)
    assert InboxItem.objects.get().origin["kind"] == "web"


def test_the_same_form_sent_twice_is_one_message(owner: Visitor) -> None:
    for _ in range(2):
        owner.client.post("/chat/send/", {"key": KEY, "text": "once", "run_id": "same"})

    assert InboxItem.objects.count() == 1


def test_an_empty_message_is_refused_with_the_reason(owner: Visitor) -> None:
    form = {"key": KEY, "text": " ", "run_id": "r"}
    answer = owner.client.post("/chat/send/", form, follow=True)

    assert "message is empty" in answer.content.decode()


def test_long_conversations_come_in_pages(owner: Visitor) -> None:
    session = session_of(owner.person, KEY)
    for number in range(230):
        entry_of(session, {"role": "user", "content": f"message {number}."})

    newest = page(owner)
    assert "message 229." in newest
    assert "message 29." not in newest
    assert 'href="?before=31"' in newest
    oldest = page(owner, "?before=31")
    assert "message 29." in oldest
    assert "message 30." not in oldest
    assert "chat.js" not in oldest


def test_files_stand_beside_the_message(owner: Visitor) -> None:
    session = session_of(owner.person, KEY)
    image = {"type": "image", "data": "", "artifactId": "01jd0000000000000000000000"}
    file = {"type": "text", "text": '<file name="notes.txt">\nsecret plan\n</file>'}
    entry_of(session, {"role": "user", "content": [{"type": "text", "text": "see"}, image, file]})

    html = page(owner)

    assert 'src="/chat/attachments/01jd0000000000000000000000/"' in html
    assert "notes.txt" in html
    assert "secret plan" not in html


def test_gathered_messages_read_as_they_were_typed() -> None:
    head = "[Queued messages while agent was busy]"

    assert spoken_text(f"{head}\n\n---\nQueued #1\none\n\n---\nQueued #2 (from Ada)\ntwo") == (
        "one\n\ntwo"
    )
    assert spoken_text("just this") == "just this"


def test_reordering_characters_of_people_and_tools_are_spelled_out(owner: Visitor) -> None:
    session = session_of(owner.person, KEY)
    entry_of(session, {"role": "user", "content": "pay \u202egpj.exe"})

    html = page(owner)

    assert "\u202e" not in html
    assert "[U+202E]" in html
