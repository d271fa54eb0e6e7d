"""Where AWS's own chain finds credentials: environment, files, a container's endpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.providers.bedrock.client import region_for
from agents.providers.bedrock.credentials import AwsCredentials
from tests.agents.providers.bedrock_harness import bedrock as bedrock
from tests.agents.providers.bedrock_harness import signed_by
from tests.agents.providers.harness import Harness

pytestmark = pytest.mark.exhaustive

CHAIN = AwsCredentials(region="eu-north-1")


def files_write(directory: Path, monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    (directory / "credentials").write_text(
        f"[work]\naws_access_key_id = AKIASCRIPTED\naws_secret_access_key = {secret}\n"
    )
    (directory / "config").write_text("[profile work]\nregion = ap-south-1\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(directory / "credentials"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(directory / "config"))


async def test_it_works(bedrock: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIASCRIPTED")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "scripted/secret")
    assert (await signed_by(bedrock, CHAIN).call("hi")).done.text == "ok"


async def test_nothing_found_is_an_auth_failure(bedrock: Harness) -> None:
    outcome = await signed_by(bedrock, CHAIN).call("hi")
    assert outcome.error.reason == "auth"
    assert "no AWS credentials" in outcome.error.message


async def test_a_profile_of_the_shared_files(
    bedrock: Harness, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files_write(tmp_path, monkeypatch, "scripted/secret")
    assert region_for(AwsCredentials(profile="work"), bedrock.model.base_url) == "ap-south-1"
    named = signed_by(bedrock, AwsCredentials(profile="work"))
    assert (await named.call("hi")).done.text == "ok"
    missing = signed_by(bedrock, AwsCredentials(profile="away"))
    outcome = await missing.call("hi")
    assert outcome.error.reason == "auth"
    assert "away" in outcome.error.message
    monkeypatch.setenv("AWS_PROFILE", "work")
    assert (await signed_by(bedrock, CHAIN).call("hi")).done.text == "ok"


async def test_a_file_that_was_corrected_is_read_again(
    bedrock: Harness, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files_write(tmp_path, monkeypatch, "outdated")
    named = signed_by(bedrock, AwsCredentials(profile="work"))
    assert (await named.call("hi")).error.reason == "auth"
    files_write(tmp_path, monkeypatch, "scripted/secret")
    assert (await named.call("hi")).done.text == "ok"


async def test_a_container_s_endpoint(bedrock: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"{bedrock.server.url}/__aws/credentials"
    monkeypatch.setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", address)
    monkeypatch.setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "container-permit")
    assert (await signed_by(bedrock, CHAIN).call("hi")).done.text == "ok"


def test_region(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "https://bedrock-runtime.eu-west-3.amazonaws.com"
    assert region_for(AwsCredentials(region="a-b-1"), address) == "a-b-1"
    assert region_for(AwsCredentials(), address) == "eu-west-3"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-1")
    assert region_for(AwsCredentials(), "") == "us-west-1"
