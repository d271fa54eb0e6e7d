"""How runs look in the API."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from channels_app.pages.redaction import text_redacted, value_redacted
from channels_app.rest.choices import RUN_STATES
from channels_app.rest.fields import Output
from channels_app.rest.sessions import PersonOut
from sessions.models import Compaction, HookCall, ModelCall, ToolCall


class ErrorOut(Output):
    """Why something failed."""

    kind = serializers.CharField(allow_blank=True)
    message = serializers.CharField(allow_blank=True)


class CostOut(Output):
    """US dollars."""

    total = serializers.FloatField()


class UsageOut(Output):
    """Tokens; `cost` is null when a price is not known. Empty while nothing has run."""

    input = serializers.IntegerField(required=False)
    output = serializers.IntegerField(required=False)
    cache_read = serializers.IntegerField(source="cacheRead", required=False)
    cache_write = serializers.IntegerField(source="cacheWrite", required=False)
    total_tokens = serializers.IntegerField(source="totalTokens", required=False)
    cost = CostOut(allow_null=True, required=False)


class ModelCallOut(Output):
    """One request to a model. `action` is what followed a failure; `purpose` is turn, mostly."""

    number = serializers.IntegerField()
    purpose = serializers.CharField()
    attempt = serializers.IntegerField()
    provider = serializers.CharField()
    model = serializers.CharField()
    api = serializers.CharField()
    state = serializers.ChoiceField(choices=ModelCall.State.choices)
    stop_reason = serializers.CharField()
    error_kind = serializers.CharField()
    error_message = serializers.SerializerMethodField(method_name="_error")
    http_status = serializers.IntegerField(allow_null=True)
    profile = serializers.CharField()
    action = serializers.CharField()
    action_reason = serializers.SerializerMethodField(method_name="_reason")
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cache_read_tokens = serializers.IntegerField()
    cache_write_tokens = serializers.IntegerField()
    usage_estimated = serializers.BooleanField()
    cost = serializers.SerializerMethodField(method_name="_cost")
    started_at = serializers.DateTimeField()
    first_token_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)

    def _error(self, call: ModelCall) -> str:
        return text_redacted(call.error_message)

    def _reason(self, call: ModelCall) -> str:
        return text_redacted(call.action_reason)

    def _cost(self, call: ModelCall) -> float | None:
        return call.cost if call.cost_known else None


class ToolCallOut(Output):
    """One tool call, secrets removed."""

    call_id = serializers.CharField()
    name = serializers.CharField()
    arguments = serializers.SerializerMethodField(method_name="_arguments")
    verdict = serializers.CharField()
    verdict_reason = serializers.CharField()
    state = serializers.ChoiceField(choices=ToolCall.State.choices)
    result = serializers.SerializerMethodField(method_name="_result")
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)

    def _arguments(self, call: ToolCall) -> dict[str, Any]:
        shown: dict[str, Any] = value_redacted(call.arguments)
        return shown

    def _result(self, call: ToolCall) -> dict[str, Any] | None:
        shown: dict[str, Any] | None = value_redacted(call.result)
        return shown


class CompactionOut(Output):
    """One try to replace old history by a summary; tokens are estimates."""

    diagnostic = serializers.CharField()
    trigger = serializers.CharField()
    attempt = serializers.IntegerField()
    outcome = serializers.ChoiceField(choices=Compaction.Outcome.choices)
    reason = serializers.CharField()
    error = serializers.SerializerMethodField(method_name="_error")
    entry_id = serializers.CharField()
    provider = serializers.CharField()
    model = serializers.CharField()
    messages_before = serializers.IntegerField()
    messages_kept = serializers.IntegerField()
    tokens_before = serializers.IntegerField()
    tokens_after = serializers.IntegerField()
    duration_ms = serializers.IntegerField()
    created_at = serializers.DateTimeField()

    def _error(self, row: Compaction) -> str:
        return text_redacted(row.error)


class HookCallOut(Output):
    """One call of a plugin's handler; `note` says what it changed or why it failed."""

    hook = serializers.CharField()
    handler = serializers.CharField()
    outcome = serializers.ChoiceField(choices=HookCall.Outcome.choices)
    note = serializers.SerializerMethodField(method_name="_note")
    duration_ms = serializers.FloatField()
    started_at = serializers.DateTimeField()

    def _note(self, call: HookCall) -> str:
        return text_redacted(call.note)


class RunOut(Output):
    """One turn of an agent. `runId` is the id of the message that started it."""

    id = serializers.CharField(allow_blank=True)
    run_id = serializers.CharField()
    session_key = serializers.CharField()
    agent = serializers.CharField()
    person = PersonOut(allow_null=True)
    origin = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=RUN_STATES)
    provider = serializers.CharField(allow_blank=True)
    model = serializers.CharField(allow_blank=True)
    asked = serializers.CharField(allow_blank=True)
    stop_reason = serializers.CharField(allow_blank=True)
    error = ErrorOut(allow_null=True)
    usage = UsageOut()
    resumptions = serializers.IntegerField()
    failed_over = serializers.BooleanField()
    compacted = serializers.BooleanField()
    accepted_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)


class RunDetailOut(RunOut):
    """A run with everything that happened. `mergedInto` names the run that answered instead."""

    text = serializers.CharField(allow_blank=True)
    merged_into = serializers.CharField(allow_blank=True)
    warnings = serializers.ListField(child=serializers.CharField())
    model_calls = ModelCallOut(many=True)
    tool_calls = ToolCallOut(many=True)
    compactions = CompactionOut(many=True)
    hook_calls = HookCallOut(many=True)


class StoppedOut(Output):
    """The run ids that were stopped or are stopping."""

    stopped = serializers.ListField(child=serializers.CharField())
