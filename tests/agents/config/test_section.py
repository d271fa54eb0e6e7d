"""Settings with their types and defaults."""

from __future__ import annotations

import pytest

from agents.config.cache import cache_clear
from agents.config.registry import section
from agents.config.services import config_apply
from agents.models import ConfigSection


@pytest.mark.django_db
def test_it_works() -> None:
    queue = section("messages").queue
    assert (queue.mode, queue.cap, queue.drop, queue.debounce_ms) == (
        "collect",
        20,
        "summarize",
        1000,
    )
    assert section("session").reset.at_hour == 4


@pytest.mark.django_db
def test_older_names_of_queue_modes() -> None:
    config_apply(text="{messages: {queue: {mode: 'queue', byChannel: {web: 'steer+backlog'}}}}")
    queue = section("messages").queue
    assert (queue.mode, queue.by_channel) == ("steer", {"web": "steer"})


@pytest.mark.django_db
def test_an_unknown_section() -> None:
    with pytest.raises(KeyError):
        section("nothing")


@pytest.mark.django_db
def test_a_row_that_became_invalid_stops_nothing() -> None:
    ConfigSection.objects.create(name="messages", document={"queue": {"cap": "many"}})
    assert section("messages").queue.cap == 20


@pytest.mark.django_db(transaction=True)
def test_a_change_is_seen_at_once() -> None:
    assert section("messages").queue.cap == 20
    config_apply(text="{messages: {queue: {cap: 3}}}")
    assert section("messages").queue.cap == 3
    row = ConfigSection.objects.get(name="messages")
    row.document = {"queue": {"cap": 4}}
    row.save()
    assert section("messages").queue.cap == 4


@pytest.mark.django_db(transaction=True)
def test_it_is_remembered_between_changes() -> None:
    cache_clear()
    first = section("messages")
    ConfigSection.objects.filter(name="messages").update(document={"queue": {"cap": 7}})
    assert section("messages") is first
    cache_clear()
    assert section("messages") is not first


@pytest.mark.django_db(transaction=True)
def test_nothing_of_an_open_transaction_is_remembered() -> None:
    from django.db import transaction

    cache_clear()
    with pytest.raises(RuntimeError), transaction.atomic():  # noqa: PT012
        ConfigSection.objects.create(name="messages", document={"queue": {"cap": 9}})
        assert section("messages").queue.cap == 9
        raise RuntimeError
    assert section("messages").queue.cap == 20
