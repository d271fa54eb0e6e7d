"""Two workers that note the same failure at once count it once."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from django.db import connection

from agents.config.cache import cache_clear
from agents.credentials.services import credential_failed, credential_probe
from agents.models import ProfileState
from tests.agents.credentials.conftest import profile_make

pytestmark = pytest.mark.django_db(transaction=True)
WORKERS = 6


def all_at_once(work: Callable[[], object]) -> list[object]:
    """What `work` returns in several threads that begin together."""
    barrier, results = threading.Barrier(WORKERS), []

    def run() -> None:
        barrier.wait(10)
        # As another process would: nothing is known but what the rows say.
        cache_clear()
        results.append(work())
        connection.close()

    threads = [threading.Thread(target=run) for _index in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(results) == WORKERS
    return results


def test_it_works() -> None:
    profile_make("lab:work")
    all_at_once(lambda: credential_failed(credential="lab:work", model="m", reason="timeout"))
    row = ProfileState.objects.get()
    assert (row.error_count, row.reason) == (1, "timeout")


def test_one_of_them_may_probe() -> None:
    profile_make("lab:work")
    credential_failed(credential="lab:work", model="m", reason="timeout")
    taken = all_at_once(lambda: credential_probe(credential="lab:work", model="m"))
    assert sorted(map(bool, taken)) == [False] * (WORKERS - 1) + [True]
