"""Containers over time: found again, made anew, removed, and an engine that is not there."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from agents.core.errors import ToolError
from tests.tools.sandbox.conftest import Sandbox, Use, eventually, plan_in, text
from tools.models import SandboxContainer
from tools.sandbox.containers import container_busy, container_find, containers_ours
from tools.sandbox.engine import engine
from tools.sandbox.prune import container_remove, sandboxes_prune

pytestmark = [pytest.mark.docker, pytest.mark.django_db(transaction=True)]


def used(name: str, hours: float) -> None:
    then = timezone.now() - timedelta(hours=hours)
    SandboxContainer.objects.filter(name=name).update(last_used_at=then, created_at=then)


def id_of(name: str) -> str:
    found = container_find(name)
    return str(found.id) if found else ""


def test_it_works(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    name = plan_in(turn).name
    use(turn, "exec", command="echo kept > file")
    first = id_of(name)
    use(turn, "exec", command="true")
    assert id_of(name) == first
    container = container_find(name)
    assert container is not None
    container.stop()
    assert text(use(turn, "exec", command="cat file")) == "kept"
    assert id_of(name) == first
    container.remove(force=True)
    assert text(use(turn, "exec", command="cat file")) == "kept"
    assert id_of(name) != first


def test_changed_settings(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    name = plan_in(turn).name
    use(turn, "exec", command="true")
    first = id_of(name)
    changed = sandbox(docker={"env": {"NEW": "yes"}})
    result = use(changed, "exec", command="echo [$NEW]")
    assert text(result) == "[]"
    assert "recreate" in result.details["hint"]
    used(name, hours=1)
    assert text(use(changed, "exec", command="echo [$NEW]")) == "[yes]"
    assert id_of(name) != first


def test_one_that_was_left_half_made(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    name = plan_in(turn).name
    use(turn, "exec", command="true")
    first = id_of(name)
    SandboxContainer.objects.all().delete()
    use(turn, "exec", command="true")
    assert id_of(name) not in ("", first)


def test_somebody_elses_container_is_left_alone(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    name = plan_in(turn).name
    image = plan_in(turn).config.docker.image
    other = engine().containers.create(image, ["sh"], name=name)
    try:
        with pytest.raises(ToolError, match="containerPrefix"):
            use(turn, "exec", command="true")
        assert id_of(name) == other.id
    finally:
        other.remove(force=True)


def test_pruning(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    name = plan_in(turn).name
    use(turn, "exec", command="true")
    assert sandboxes_prune() == 0
    job = use(turn, "exec", command="sleep 4326", background=True).details["sessionId"]
    container = container_find(name)
    assert container is not None
    assert eventually(lambda: container_busy(container))
    used(name, hours=99)
    assert sandboxes_prune() == 0
    use(turn, "process", action="kill", sessionId=job)
    used(name, hours=99)
    # A command that was stopped may take a while to be gone.
    assert eventually(sandboxes_prune)
    assert container_find(name) is None
    assert not SandboxContainer.objects.exists()


def test_commands(sandbox: Sandbox, use: Use) -> None:
    turn = sandbox()
    name = plan_in(turn).name
    use(turn, "exec", command="true")

    def said(*words: str) -> str:
        out = StringIO()
        call_command("sandbox", *words, stdout=out)
        return out.getvalue()

    assert name in said("list")
    assert "sandboxed: False" in said("explain", "--session", "agent:main:main")
    with pytest.raises(CommandError, match="Say which"):
        said("recreate")
    assert "removed" in said("recreate", "--agent", "main")
    assert containers_ours(settings.OPENCLAW.home) == []
    assert not container_remove(name)
    assert "no containers" in said("list")
