"""Changes to agents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.text import slugify
from django.utils.translation import gettext as _

from agents.catalog.resolve import resolve_model
from agents.core.errors import Conflict, NotFound, UserError
from agents.database import write_transaction
from agents.models import Agent
from agents.workspace import MAIN_SLUG, workspace_problem

# Keys of `agents` in the configuration document, where an agent's id may stand beside them.
RESERVED_SLUGS = frozenset({"defaults", "list"})
_MAX_SLUG = 64
_CHANGEABLE = frozenset({
    "name", "model", "fallbacks", "workspace", "system_prompt", "thinking", "timeout_seconds",
    "max_concurrent", "enabled", "is_default",
})  # fmt: skip


def agent_ensure_main() -> Agent:
    """The default agent; made with the id `main` when there is no agent at all."""
    with write_transaction():
        agent = Agent.objects.order_by("-is_default", "id").first()
        if agent is None:
            return Agent.objects.create(slug=MAIN_SLUG, is_default=True)
        if not agent.is_default:
            agent.is_default = True
            agent.save(update_fields=["is_default", "updated_at"])
        return agent


def agent_create(*, name: str, slug: str = "", model: str = "", workspace: str = "") -> Agent:
    """A new agent. Without `slug` the id is made from the name and a number if it is taken.

    Raises UserError naming the field that cannot be used and Conflict when `slug` is taken.
    """
    agent = Agent(name=name.strip(), model=model.strip(), workspace=workspace.strip())
    if not agent.name:
        raise UserError(_("Name: an agent needs a name."))
    with write_transaction():
        agent.slug = _slug_given(slug) if slug.strip() else _slug_made(agent.name)
        agent.is_default = not Agent.objects.filter(is_default=True).exists()
        _check(agent)
        agent.save()
    return agent


def agent_update(*, slug: str, changes: Mapping[str, Any]) -> Agent:
    """The agent `slug` with `changes`, a mapping of column names to values.

    Making an agent the default takes that from the one before; the default itself cannot be
    switched off. Raises NotFound for an unknown agent, UserError naming a field otherwise.
    """
    if unknown := sorted(set(changes) - _CHANGEABLE):
        raise UserError(_("Not changeable: %(names)s") % {"names": ", ".join(unknown)})
    with write_transaction():
        agent = _agent_get(slug)
        if agent.is_default and changes.get("is_default") is False:
            raise UserError(_("Make another agent the default instead."))
        for name, value in changes.items():
            setattr(agent, name, value.strip() if isinstance(value, str) else value)
        if agent.is_default and not agent.enabled:
            raise UserError(_("The default agent cannot be switched off."))
        _check(agent, model_changed="model" in changes)
        if changes.get("is_default"):
            Agent.objects.exclude(pk=agent.pk).filter(is_default=True).update(is_default=False)
        agent.save()
    return agent


def agent_delete(*, slug: str) -> None:
    """Removes the agent and its bindings; its sessions and its workspace folder stay.

    Raises UserError for the default agent: another one must be made the default first.
    """
    with write_transaction():
        agent = _agent_get(slug)
        if agent.is_default:
            raise UserError(
                _("The default agent cannot be removed. Make another agent the default first.")
            )
        agent.delete()


def _agent_get(slug: str) -> Agent:
    agent = Agent.objects.filter(slug=slug.lower()).first()
    if agent is None:
        raise NotFound(_("There is no agent %(id)s.") % {"id": slug})
    return agent


def _check(agent: Agent, *, model_changed: bool = True) -> None:
    """Raises UserError for the first field that cannot be used."""
    try:
        agent.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise UserError(f"{field}: {messages[0]}", details={"field": field}) from error
    if problem := workspace_problem(agent.workspace):
        text = _("workspace: %(problem)s") % {"problem": problem}
        raise UserError(text, details={"field": "workspace"})
    if agent.model and model_changed:
        resolve_model(ref=agent.model)


def _slug_given(slug: str) -> str:
    wanted = slug.strip().lower()
    if wanted in RESERVED_SLUGS:
        raise UserError(_("%(id)s is a reserved word.") % {"id": wanted})
    if Agent.objects.filter(slug=wanted).exists():
        raise Conflict(_("There is an agent %(id)s already.") % {"id": wanted})
    return wanted


def _slug_made(name: str) -> str:
    base = re.sub(r"^[^a-z0-9]+", "", slugify(name))[:_MAX_SLUG].strip("-_") or "agent"
    if base in RESERVED_SLUGS:
        base = f"{base}-agent"
    taken = set(Agent.objects.filter(slug__startswith=base[:50]).values_list("slug", flat=True))
    slug, number = base, 2
    while slug in taken:
        ending = f"-{number}"
        slug, number = base[: _MAX_SLUG - len(ending)] + ending, number + 1
    return slug
