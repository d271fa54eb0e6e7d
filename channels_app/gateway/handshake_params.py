"""What `connect` may say (gateway.md 1.3, clients.md 4)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from channels_app.gateway.validation import Params

ClientId = Literal[
    "webchat-ui",
    "openclaw-control-ui",
    "openclaw-browser-copilot",
    "openclaw-tui",
    "webchat",
    "cli",
    "gateway-client",
    "openclaw-macos",
    "openclaw-linux",
    "openclaw-ios",
    "openclaw-watchos",
    "openclaw-android",
    "node-host",
    "openclaw-worker",
    "test",
    "fingerprint",
    "openclaw-probe",
]
ClientMode = Literal["webchat", "cli", "ui", "backend", "node", "worker", "probe", "test"]

Short = Annotated[str, Field(max_length=256)]
Words = Annotated[list[Short], Field(max_length=128)]


class Client(Params):
    """Which program speaks."""

    id: ClientId
    version: Short
    platform: Short
    mode: ClientMode
    display_name: Short = ""
    device_family: Short = ""
    model_identifier: Short = ""
    instance_id: Short = ""
    build_id: Short = ""
    time_zone: Short = ""


class Auth(Params):
    """The secrets it brings. Never logged, never repeated in an answer."""

    token: Annotated[str, Field(max_length=4096)] | None = None
    password: Annotated[str, Field(max_length=4096)] | None = None
    device_token: Annotated[str, Field(max_length=4096)] | None = None
    bootstrap_token: Annotated[str, Field(max_length=4096)] | None = None


class DeviceProof(Params):
    """A signature over the challenge, see `device_proof`."""

    id: Short
    public_key: Annotated[str, Field(max_length=512)]
    signature: Annotated[str, Field(max_length=512)]
    signed_at: int
    nonce: Short = ""


class ConnectParams(Params):
    """The params of the first request. `scopes` left out means: all that the secret allows."""

    min_protocol: Annotated[int, Field(ge=1, le=1000)]
    max_protocol: Annotated[int, Field(ge=1, le=1000)]
    client: Client
    role: Short = "operator"
    scopes: Words | None = None
    caps: Words = Field(default_factory=list)
    commands: Words = Field(default_factory=list)
    permissions: dict[str, Any] = Field(default_factory=dict)
    path_env: Annotated[str, Field(max_length=16_384)] = ""
    auth: Auth = Field(default_factory=Auth)
    device: DeviceProof | None = None
    locale: Short = ""
    user_agent: Annotated[str, Field(max_length=1024)] = ""
    computer_use: Any = None
    worker_runs: Any = None
