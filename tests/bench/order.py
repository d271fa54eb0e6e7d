"""All measures by name, in the order in which they are taken."""

from __future__ import annotations

from tests.bench.assembling import assemble
from tests.bench.knowledge import knowledge
from tests.bench.measures import Measure, load, memory, same, start, turn, waiting
from tests.bench.runtime_measures import failover, growth
from tests.bench.tool_policies import policy

# Memory comes first, at the age that its goal is about; waiting turns would disturb the others.
MEASURES: dict[str, Measure] = {
    "memory": memory,
    "turn": turn,
    "load": load,
    "same": same,
    "failover": failover,
    "growth": growth,
    "assemble": assemble,
    "policy": policy,
    "knowledge": knowledge,
    "start": start,
    "waiting": waiting,
}
