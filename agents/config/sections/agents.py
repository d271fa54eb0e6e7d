"""The `agents` section: defaults are a stored document, each agent is a row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from agents.config.documents import document_store, documents
from agents.config.issues import Findings
from agents.config.paths import Path, nearest
from agents.config.redaction import seal, unseal
from agents.config.section import Document, Section
from agents.config.sections.agents_schema import (
    RESERVED_IDS,
    AgentEntry,
    AgentsDocument,
    ModelChoice,
)
from agents.config.sections.sandbox_schema import SandboxDocument
from agents.config.substitution import escaped
from agents.models import Agent
from agents.services import agent_ensure_main
from agents.workspace import workspace_problem

# Where the defaults are kept among the stored documents.
DEFAULTS = "agents.defaults"
# Keys of an entry that are columns of the row; the rest goes to `Agent.settings`.
_COLUMNS = (
    "id", "default", "enabled", "name", "workspace", "model", "systemPrompt",
    "thinkingDefault", "timeoutSeconds", "maxConcurrent",
)  # fmt: skip


class AgentsSection(Section[AgentsDocument]):
    """Agents that a document's list leaves out are removed; without a list all stay."""

    def normalise(self, document: Document, findings: Findings) -> Document:
        """Turns `agents.<id>: {…}` into items of the list."""
        result = {key: document[key] for key in RESERVED_IDS if key in document}
        short = {key: value for key, value in document.items() if key not in RESERVED_IDS}
        if not short:
            return result
        entries = list(result.get("list") or []) if isinstance(result.get("list"), list) else []
        for key, value in short.items():
            path = self.path(key)
            if not isinstance(value, dict) or nearest(key, RESERVED_IDS):
                hint = nearest(key, RESERVED_IDS) or "list"
                findings.error(path, _("unknown key; did you mean %(key)s?") % {"key": hint})
                continue
            findings.moved[self.path("list", len(entries))] = path
            entries.append({"id": key, **value})
        return {**result, "list": entries}

    def check(self, typed: AgentsDocument, findings: Findings) -> None:
        """Duplicate ids, fallbacks in a circle, aliases used twice, dangerous workspaces."""
        self._check_ids(typed.entries, findings)
        aliases = self._check_aliases(typed, findings)
        choices: list[tuple[Path, ModelChoice, str]] = [
            (self.path("defaults"), typed.defaults.model, typed.defaults.workspace)
        ]
        for index, entry in enumerate(typed.entries):
            choices.append((self.path("list", index), entry.model, entry.workspace))
        for path, model, workspace in choices:
            _check_fallbacks((*path, "model"), model, aliases, findings)
            if problem := workspace_problem(workspace):
                findings.error((*path, "workspace"), problem)
        _check_sandbox(self.path("defaults"), typed.defaults.sandbox, findings)
        for index, entry in enumerate(typed.entries):
            _check_sandbox(self.path("list", index), entry.sandbox, findings)

    def _check_ids(self, entries: Iterable[AgentEntry], findings: Findings) -> None:
        seen: dict[str, int] = {}
        default = ""
        for index, entry in enumerate(entries):
            path = self.path("list", index)
            if entry.id in seen:
                text = _("the agent %(id)s stands twice in the list")
                findings.error((*path, "id"), text % {"id": entry.id})
            seen.setdefault(entry.id, index)
            if entry.default and default:
                text = _("%(id)s is the default already; only the first one counts")
                findings.warn((*path, "default"), text % {"id": default})
            default = default or (entry.id if entry.default else "")

    def _check_aliases(self, typed: AgentsDocument, findings: Findings) -> dict[str, str]:
        aliases: dict[str, str] = {}
        for ref, entry in typed.defaults.models.items():
            name = (entry.alias or "").lower()
            if name in aliases:
                text = _("this alias already means %(ref)s")
                path = self.path("defaults", "models", ref, "alias")
                findings.error(path, text % {"ref": aliases[name]})
            if name:
                aliases[name] = ref
        return aliases

    def load(self, document: Document | None, typed: AgentsDocument, findings: Findings) -> None:
        """Writes the defaults and one row for each entry of the list."""
        document = document or {}
        document_store(name=DEFAULTS, document=document.get("defaults"))
        if "list" not in document:
            return
        ids = [entry.id for entry in typed.entries]
        gone = Agent.objects.exclude(slug__in=ids)
        if names := sorted(gone.values_list("slug", flat=True)):
            text = _("removed because the list does not name them: %(names)s")
            findings.warn(self.path("list"), text % {"names": ", ".join(names)})
            gone.delete()
        Agent.objects.filter(is_default=True).update(is_default=False)
        default = next((entry.id for entry in typed.entries if entry.default), "".join(ids[:1]))
        for raw, entry in zip(document["list"], typed.entries, strict=True):
            _agent_store(raw, entry, is_default=entry.id == default)
        agent_ensure_main()

    def dump(self) -> Document | None:
        """Defaults as they were given, then every agent."""
        defaults = documents().get(DEFAULTS)
        result = {} if defaults is None else {"defaults": defaults}
        return {**result, "list": [_agent_dump(agent) for agent in Agent.objects.order_by("id")]}

    def settings(self) -> Document:
        """The defaults; agents are read through `agents.selectors`."""
        return {"defaults": documents().get(DEFAULTS, {})}


def _check_fallbacks(
    path: Path, model: ModelChoice, aliases: dict[str, str], findings: Findings
) -> None:
    seen = {aliases.get(model.primary.lower(), model.primary)}
    for index, name in enumerate(model.fallbacks or ()):
        ref = aliases.get(name.lower(), name)
        if ref in seen:
            text = _("%(model)s stands earlier in this chain, so it would fall back in a circle")
            findings.error((*path, "fallbacks", index), text % {"model": name})
        seen.add(ref)


def _check_sandbox(path: Path, sandbox: SandboxDocument, findings: Findings) -> None:
    for key in sandbox.docker.weakened():
        text = _("this makes the sandbox weaker; make sure that it is meant")
        findings.warn((*path, "sandbox", "docker", key), text)


def _agent_store(raw: Document, entry: AgentEntry, *, is_default: bool) -> None:
    # References stay in what machines read; prose is stored with them replaced, because
    # people edit it elsewhere and may write ${…} there.
    model = raw.get("model", "")
    choice = model if isinstance(model, dict) else {"primary": model}
    rest = {key: value for key, value in raw.items() if key not in _COLUMNS}
    Agent.objects.update_or_create(
        slug=entry.id,
        defaults={
            "is_default": is_default,
            "enabled": entry.enabled,
            "name": entry.name,
            "workspace": raw.get("workspace", ""),
            "model": choice.get("primary", ""),
            "fallbacks": choice.get("fallbacks"),
            "system_prompt": entry.system_prompt,
            "thinking": entry.thinking_default or "",
            "timeout_seconds": entry.timeout_seconds,
            "max_concurrent": entry.max_concurrent,
            "settings": seal(rest),
        },
    )


def _agent_dump(agent: Agent) -> Document:
    model: Any = agent.model
    if agent.fallbacks is not None:
        model = {"primary": agent.model, "fallbacks": agent.fallbacks}
        model = {key: value for key, value in model.items() if key == "fallbacks" or value}
    columns = {
        "default": agent.is_default,
        "name": escaped(agent.name),
        "workspace": agent.workspace,
        "model": model,
        "systemPrompt": escaped(agent.system_prompt),
        "thinkingDefault": agent.thinking,
    }
    result: Document = {"id": agent.slug, **{key: value for key, value in columns.items() if value}}
    if not agent.enabled:
        result["enabled"] = False
    if agent.timeout_seconds is not None:
        result["timeoutSeconds"] = agent.timeout_seconds
    if agent.max_concurrent is not None:
        result["maxConcurrent"] = agent.max_concurrent
    return {**result, **unseal(agent.settings)}


SECTION = AgentsSection("agents", AgentsDocument)
