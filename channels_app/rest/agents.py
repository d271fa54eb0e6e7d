"""Agents: `/api/agents/`. Everybody may see which there are; administrators change them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from agents.core.errors import NotFound
from agents.core.principal import ADMIN
from agents.models import AGENT_ID, Agent
from agents.selectors import agents_list
from agents.services import agent_create, agent_delete, agent_update
from channels_app.rest.choices import THINKING_LEVELS
from channels_app.rest.fields import Input, Output
from channels_app.rest.view import ApiView, answers

LONGEST_PROMPT = 200_000
# A week; 0 means no limit.
LONGEST_TURN = 7 * 24 * 3600


class AgentOut(Output):
    """An agent. The second half is only there for callers with operator.admin."""

    id = serializers.CharField(source="slug")
    name = serializers.CharField()
    is_default = serializers.BooleanField()
    enabled = serializers.BooleanField()
    model = serializers.CharField()

    workspace = serializers.CharField(required=False)
    fallbacks = serializers.ListField(
        child=serializers.CharField(), allow_null=True, required=False
    )
    system_prompt = serializers.CharField(required=False)
    thinking = serializers.CharField(required=False)
    timeout_seconds = serializers.IntegerField(allow_null=True, required=False)
    max_concurrent = serializers.IntegerField(allow_null=True, required=False)
    created_at = serializers.DateTimeField(required=False)
    updated_at = serializers.DateTimeField(required=False)

    def to_representation(self, instance: Agent) -> Any:
        """Leaves out what only administrators may see."""
        result = super().to_representation(instance)
        if self.context.get("is_admin"):
            return result
        return {name: value for name, value in result.items() if self.fields[name].required}


class AgentCreateIn(Input):
    """A new agent. Without `id` it is made from the name."""

    name = serializers.CharField(max_length=120)
    id = serializers.CharField(source="slug", required=False, validators=[AGENT_ID])
    model = serializers.CharField(required=False, max_length=200, allow_blank=True)
    workspace = serializers.CharField(required=False, max_length=500, allow_blank=True)


class AgentPatchIn(Input):
    """What is to be changed; the rest stays. Empty text and null inherit from the defaults."""

    name = serializers.CharField(required=False, max_length=120, allow_blank=True)
    model = serializers.CharField(required=False, max_length=200, allow_blank=True)
    fallbacks = serializers.ListField(
        child=serializers.CharField(max_length=200), required=False, allow_null=True, max_length=20
    )
    workspace = serializers.CharField(required=False, max_length=500, allow_blank=True)
    system_prompt = serializers.CharField(
        required=False, allow_blank=True, max_length=LONGEST_PROMPT
    )
    thinking = serializers.ChoiceField(choices=THINKING_LEVELS, required=False, allow_blank=True)
    timeout_seconds = serializers.IntegerField(
        required=False, allow_null=True, min_value=0, max_value=LONGEST_TURN
    )
    max_concurrent = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=10_000
    )
    enabled = serializers.BooleanField(required=False)
    is_default = serializers.BooleanField(required=False)


class AgentsView(ApiView):
    """All agents."""

    scopes: ClassVar = {"POST": ADMIN}

    @extend_schema(operation_id="agents_list", responses=answers(AgentOut(many=True)))
    def get(self, request: Request) -> Response:
        """Every agent, the default one first."""
        context = {"is_admin": self.principal.has_scope(ADMIN)}
        return Response(AgentOut(agents_list(), many=True, context=context).data)

    @extend_schema(request=AgentCreateIn, responses=answers(AgentOut, status=201))
    def post(self, request: Request) -> Response:
        """Makes an agent."""
        agent = agent_create(**self.body(AgentCreateIn))
        return Response(_full(agent), status=status.HTTP_201_CREATED)


class AgentView(ApiView):
    """One agent."""

    scopes: ClassVar = {"PATCH": ADMIN, "DELETE": ADMIN}

    @extend_schema(operation_id="agents_retrieve", responses=answers(AgentOut))
    def get(self, request: Request, slug: str) -> Response:
        """The agent with this id."""
        context = {"is_admin": self.principal.has_scope(ADMIN)}
        return Response(AgentOut(_agent(slug), context=context).data)

    @extend_schema(request=AgentPatchIn, responses=answers(AgentOut))
    def patch(self, request: Request, slug: str) -> Response:
        """Changes the agent. `isDefault` true takes that from the one before."""
        return Response(_full(agent_update(slug=slug, changes=self.body(AgentPatchIn))))

    @extend_schema(responses=answers(None, status=204))
    def delete(self, request: Request, slug: str) -> Response:
        """Removes the agent; its sessions and its workspace stay."""
        agent_delete(slug=slug)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _agent(slug: str) -> Agent:
    for agent in agents_list():
        if agent.slug == slug.lower():
            return agent
    raise NotFound(_("There is no agent %(id)s.") % {"id": slug})


def _full(agent: Agent) -> Any:
    return AgentOut(agent, context={"is_admin": True}).data
