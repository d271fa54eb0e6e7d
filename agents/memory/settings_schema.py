"""`memorySearch` of agents and their defaults (automation.md 7.3, runtime.md 11)."""

from __future__ import annotations

from pydantic import Field

from agents.config.schema import Kept, Strict
from agents.memory import ranking


class Diversity(Strict):
    """Hits that repeat each other are left out."""

    enabled: bool = False
    weight: float = Field(default=ranking.MMR_LAMBDA, ge=0, le=1, alias="lambda")


class Decay(Strict):
    """Daily notes count less the older they are."""

    enabled: bool = False
    half_life_days: float = Field(default=ranking.HALF_LIFE_DAYS, gt=0, le=36_500)


class Hybrid(Strict):
    """How hits are weighed."""

    candidate_multiplier: int = Field(default=ranking.CANDIDATE_MULTIPLIER, ge=1, le=20)
    mmr: Diversity = Diversity()
    temporal_decay: Decay = Decay()
    enabled: Kept = None
    vector_weight: Kept = None
    text_weight: Kept = None


class MemoryQuery(Strict):
    """What a search gives back."""

    max_results: int = Field(default=ranking.MAX_RESULTS, ge=1, le=50)
    min_score: float = Field(default=ranking.MIN_SCORE, ge=0, le=1)
    hybrid: Hybrid = Hybrid()


class MemorySearch(Strict):
    """The search in an agent's notes."""

    enabled: bool = True
    query: MemoryQuery = MemoryQuery()
    provider: Kept = None
    model: Kept = None
    remote: Kept = None
    local: Kept = None
    fallback: Kept = None
    sources: Kept = None
    extra_paths: Kept = None
    store: Kept = None
    chunking: Kept = None
    sync: Kept = None
    cache: Kept = None
    experimental: Kept = None
    multimodal: Kept = None
    input_type: Kept = None
    output_dimensionality: Kept = None
