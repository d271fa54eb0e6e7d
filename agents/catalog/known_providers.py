"""Services that can be used as soon as the environment holds their key: where each of them is.

Addresses and names of variables are those of the services' own documentation. Everything here is
data; a provider of the same name in the configuration overrides address, format and models.
"""

from __future__ import annotations

from dataclasses import dataclass

from agents.catalog.ollama import API as OLLAMA_API
from agents.catalog.ollama import NAME as OLLAMA

ANTHROPIC_API = "anthropic-messages"
OPENAI_API = "openai-completions"
GOOGLE_API = "google-generative-ai"
BEDROCK = "amazon-bedrock"
BEDROCK_API = "bedrock-converse-stream"
COPILOT = "github-copilot"
COPILOT_API = "github-copilot"


@dataclass(frozen=True, slots=True)
class KnownProvider:
    """One service. `keys` are the variables of its key, the first that is set wins.

    `shared_keys` count after them; other programs set these as well, so they make the service
    usable but never the one that answers when nobody chose. `address` is the variable that leads
    to another address. A service with `is_local` runs on this machine and needs no key.
    """

    name: str
    api: str = OPENAI_API
    base_url: str = ""
    keys: tuple[str, ...] = ()
    shared_keys: tuple[str, ...] = ()
    address: str = ""
    is_local: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """Every variable that says something about the service."""
        return tuple(filter(None, (*self.keys, *self.shared_keys, self.address)))


def _service(name: str, base_url: str, *keys: str, api: str = OPENAI_API) -> KnownProvider:
    """A service whose variables are named after it."""
    prefix = name.upper().replace("-", "_")
    return KnownProvider(
        name, api, base_url, keys or (f"{prefix}_API_KEY",), address=f"{prefix}_BASE_URL"
    )


def _local(name: str, port: int) -> KnownProvider:
    prefix = name.upper()
    return KnownProvider(
        name,
        base_url=f"http://127.0.0.1:{port}/v1",
        keys=(f"{prefix}_API_KEY",),
        address=f"{prefix}_BASE_URL",
        is_local=True,
    )


# In the order in which they are looked at when nobody chose a model.
_PROVIDERS = (
    _service(
        "anthropic",
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_OAUTH_TOKEN",
        api=ANTHROPIC_API,
    ),
    _service("openai", "https://api.openai.com/v1"),
    _service(
        "google",
        "https://generativelanguage.googleapis.com",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        api=GOOGLE_API,
    ),
    _service("openrouter", "https://openrouter.ai/api/v1"),
    _service("mistral", "https://api.mistral.ai/v1"),
    _service("xai", "https://api.x.ai/v1"),
    _service("deepseek", "https://api.deepseek.com/v1"),
    _service("zai", "https://api.z.ai/api/paas/v4"),
    _service("moonshot", "https://api.moonshot.ai/v1"),
    _service("minimax", "https://api.minimax.io/anthropic", api=ANTHROPIC_API),
    _service(
        "qwen",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_KEY",
        "QWEN_API_KEY",
    ),
    _service("groq", "https://api.groq.com/openai/v1"),
    _service("cerebras", "https://api.cerebras.ai/v1"),
    _service("together", "https://api.together.xyz/v1"),
    _service("fireworks", "https://api.fireworks.ai/inference/v1"),
    _service("vercel-ai-gateway", "https://ai-gateway.vercel.sh/v1", "AI_GATEWAY_API_KEY"),
    # The addresses of these two follow from the credential: from its region, from its token.
    KnownProvider(
        BEDROCK,
        BEDROCK_API,
        keys=("AWS_BEARER_TOKEN_BEDROCK",),
        shared_keys=("AWS_ACCESS_KEY_ID", "AWS_PROFILE"),
        address="ANTHROPIC_BEDROCK_BASE_URL",
    ),
    KnownProvider(
        COPILOT,
        COPILOT_API,
        keys=("COPILOT_GITHUB_TOKEN",),
        shared_keys=("GH_TOKEN",),
        address="COPILOT_BASE_URL",
    ),
    # Where it is and what it has is found out by `agents.catalog.ollama`; a key only a proxy wants.
    KnownProvider(OLLAMA, OLLAMA_API, keys=("OLLAMA_API_KEY",), is_local=True),
    _local("vllm", 8000),
    _local("lmstudio", 1234),
)
KNOWN_PROVIDERS: dict[str, KnownProvider] = {entry.name: entry for entry in _PROVIDERS}
