"""Agents as rows: who they are, which messages reach them, and how models are reached."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.secrets import SecretField

# gateway.md 5.1: agent ids, compared in lower case.
AGENT_ID = RegexValidator(
    r"^[a-z0-9][a-z0-9_-]{0,63}\Z",
    _("Use 1 to 64 of a-z, 0-9, _ and -, starting with a letter or digit."),
)
SLUG = RegexValidator(r"^[a-z0-9][a-z0-9._-]{0,63}\Z", _("Use a-z, 0-9, dot, _ and -."))


class Agent(models.Model):
    """One agent: a configuration and a workspace folder.

    Empty fields are inherited from the `agents.defaults` section of the configuration document.
    `settings` keeps the rest of the agent's entry of that document, word for word.
    """

    slug = models.CharField(_("id"), max_length=64, unique=True, validators=[AGENT_ID])
    name = models.CharField(_("name"), max_length=120, blank=True)
    is_default = models.BooleanField(_("default"), default=False)
    enabled = models.BooleanField(_("enabled"), default=True)
    workspace = models.CharField(_("workspace"), max_length=500, blank=True)
    model = models.CharField(_("model"), max_length=200, blank=True)
    # null inherits the defaults' list, an empty list switches fallbacks off.
    fallbacks = models.JSONField(_("fallback models"), null=True, default=None, blank=True)
    system_prompt = models.TextField(_("system prompt"), blank=True)
    thinking = models.CharField(_("thinking"), max_length=16, blank=True)
    timeout_seconds = models.PositiveIntegerField(_("time limit (s)"), null=True, blank=True)
    max_concurrent = models.PositiveIntegerField(_("turns at once"), null=True, blank=True)
    settings = models.JSONField(_("further settings"), default=dict, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        ordering: ClassVar = ["slug"]
        verbose_name = _("agent")
        verbose_name_plural = _("agents")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["is_default"],
                condition=models.Q(is_default=True),
                name="one_default_agent",
            )
        ]

    def __str__(self) -> str:
        return self.name or self.slug


class Binding(models.Model):
    """Which messages reach which agent: a row of `bindings` in the configuration document."""

    class Kind(models.TextChoices):
        ROUTE = "route", _("route")
        ACP = "acp", _("ACP session")

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="bindings")
    position = models.PositiveIntegerField(_("position"), default=0)
    kind = models.CharField(_("kind"), max_length=8, choices=Kind, default=Kind.ROUTE)
    channel = models.CharField(_("channel"), max_length=64, blank=True)
    account = models.CharField(_("account"), max_length=120, blank=True)
    peer_kind = models.CharField(_("peer kind"), max_length=16, blank=True)
    peer_id = models.CharField(_("peer"), max_length=200, blank=True)
    guild_id = models.CharField(_("guild"), max_length=120, blank=True)
    team_id = models.CharField(_("team"), max_length=120, blank=True)
    roles = models.JSONField(_("roles"), default=list, blank=True)
    settings = models.JSONField(_("further settings"), default=dict, blank=True)
    comment = models.CharField(_("comment"), max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["position", "id"]
        verbose_name = _("binding")
        verbose_name_plural = _("bindings")

    def __str__(self) -> str:
        return f"{self.channel or '*'} → {self.agent.slug}"


class Provider(models.Model):
    """A model service: where it is, which wire format it speaks, which models it has.

    `catalog` is the list `models` of the configuration document (`id`, `name`, `contextWindow`, …).
    Keys are in AuthProfile rows; providers found in the environment are never stored here.
    """

    class Api(models.TextChoices):
        OPENAI_COMPLETIONS = "openai-completions", _("OpenAI Chat Completions")
        OPENAI_RESPONSES = "openai-responses", _("OpenAI Responses")
        ANTHROPIC_MESSAGES = "anthropic-messages", _("Anthropic Messages")
        GOOGLE = "google-generative-ai", _("Google Gemini")
        OLLAMA = "ollama", _("Ollama")
        # The reference's name; what is spoken is the Messages format of Claude on Bedrock.
        BEDROCK = "bedrock-converse-stream", _("Claude on AWS Bedrock")
        COPILOT = "github-copilot", _("GitHub Copilot")

    name = models.CharField(_("name"), max_length=64, unique=True, validators=[SLUG])
    api = models.CharField(_("wire format"), max_length=40, choices=Api)
    base_url = models.URLField(_("base address"), max_length=500, blank=True)
    catalog = models.JSONField(_("models"), default=list, blank=True)
    headers = models.JSONField(_("extra headers"), default=dict, blank=True)
    timeout_seconds = models.PositiveIntegerField(_("time limit (s)"), null=True, blank=True)
    enabled = models.BooleanField(_("enabled"), default=True)
    settings = models.JSONField(_("further settings"), default=dict, blank=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("provider")
        verbose_name_plural = _("providers")

    def __str__(self) -> str:
        return self.name


class AuthProfile(models.Model):
    """One credential for one provider. Secrets are encrypted and write-only everywhere.

    `agent` is the id of the only agent that may use it, "" means all. `secret` is the key, the
    bearer token, the OAuth access token or the AWS secret key; `refresh` the OAuth refresh token
    (for GitHub Copilot: the GitHub token that buys short-lived ones). `data` holds what is no
    secret: `expires` (ms since the epoch), `email`, `accountId`, `region`, `accessKeyId`,
    `awsProfile`, `tokenUrl`, `clientId`, `scope`. `edited_at` is when a person (or a refresh)
    last put in a secret. `refreshing_until` is held by the worker that is buying a new token.
    """

    class Mode(models.TextChoices):
        API_KEY = "api_key", _("API key")
        TOKEN = "token", _("token")
        OAUTH = "oauth", _("OAuth")
        AWS = "aws", _("AWS credential chain")

    name = models.CharField(_("name"), max_length=120, unique=True)
    provider = models.CharField(_("provider"), max_length=64, db_index=True)
    agent = models.CharField(_("only for agent"), max_length=64, blank=True)
    mode = models.CharField(_("kind"), max_length=16, choices=Mode, default=Mode.API_KEY)
    secret = SecretField(_("secret"), blank=True)
    refresh = SecretField(_("refresh token"), blank=True)
    data = models.JSONField(_("further facts"), default=dict, blank=True)
    position = models.PositiveIntegerField(_("position"), default=0)
    enabled = models.BooleanField(_("enabled"), default=True)
    edited_at = models.DateTimeField(_("secret set"), default=timezone.now)
    refreshing_until = models.DateTimeField(_("being refreshed"), null=True, blank=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        ordering: ClassVar = ["provider", "position", "name"]
        verbose_name = _("credential")
        verbose_name_plural = _("credentials")

    def __str__(self) -> str:
        return self.name


class ProfileState(models.Model):
    """How a credential fares, shared by all workers: the rest it has to take, and why.

    `profile` is the name of an AuthProfile, or an id such as `env:openai` for a key that has no
    row. `model` "" is about the whole credential (auth, billing, last use); otherwise about that
    model alone (rate limit, overload, timeout, not found). `permanent` holds until the secret is
    put in anew: `fingerprint` tells which secret it was that failed.
    """

    profile = models.CharField(_("credential"), max_length=160)
    model = models.CharField(_("model"), max_length=200, blank=True)
    reason = models.CharField(_("reason"), max_length=32, blank=True)
    error_count = models.PositiveIntegerField(_("failures in a row"), default=0)
    until = models.DateTimeField(_("rests until"), null=True, blank=True)
    permanent = models.BooleanField(_("until edited"), default=False)
    last_failure_at = models.DateTimeField(_("last failure"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    last_probe_at = models.DateTimeField(_("last probe"), null=True, blank=True)
    message = models.CharField(_("last error"), max_length=600, blank=True)
    fingerprint = models.CharField(_("fingerprint"), max_length=16, blank=True)

    class Meta:
        ordering: ClassVar = ["profile", "model"]
        verbose_name = _("credential state")
        verbose_name_plural = _("credential states")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["profile", "model"], name="profile_state_once")
        ]

    def __str__(self) -> str:
        return f"{self.profile} {self.model}".strip()


class DeviceSignIn(models.Model):
    """A sign-in that a person finishes on another page by typing `user_code` there.

    `device_code` is a secret of the flow; `state` ends as done, expired, denied or failed.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DONE = "done", _("done")
        EXPIRED = "expired", _("expired")
        DENIED = "denied", _("denied")
        FAILED = "failed", _("failed")

    provider = models.CharField(_("provider"), max_length=64)
    profile = models.CharField(_("credential"), max_length=120)
    device_code = SecretField(_("device code"), blank=True)
    user_code = models.CharField(_("code"), max_length=32)
    address = models.URLField(_("page"), max_length=500)
    interval = models.PositiveIntegerField(_("seconds between questions"), default=5)
    asked_at = models.DateTimeField(_("last asked"), null=True, blank=True)
    expires_at = models.DateTimeField(_("expires"))
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.WAITING)
    detail = models.CharField(_("detail"), max_length=300, blank=True)
    created_at = models.DateTimeField(_("begun"), default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-created_at"]
        verbose_name = _("device sign-in")
        verbose_name_plural = _("device sign-ins")

    def __str__(self) -> str:
        return f"{self.provider} {self.user_code}"


class ConfigSection(models.Model):
    """A top-level section of the configuration document that has no rows of its own.

    Holds settings (`session`, `messages`, `gateway`, `agents.defaults`) and, word for word,
    the sections whose part is not built yet.
    """

    name = models.CharField(_("section"), max_length=64, unique=True)
    document = models.JSONField(_("content"), default=dict)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    class Meta:
        ordering: ClassVar = ["name"]
        verbose_name = _("configuration section")
        verbose_name_plural = _("configuration sections")

    def __str__(self) -> str:
        return self.name


class ConfigRevision(models.Model):
    """The whole document as it was before a change. Secrets in it are encrypted."""

    document = models.JSONField(_("document"))
    author = models.CharField(_("changed by"), max_length=64, blank=True)
    note = models.CharField(_("note"), max_length=300, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        verbose_name = _("configuration revision")
        verbose_name_plural = _("configuration revisions")

    def __str__(self) -> str:
        return f"#{self.pk}"
