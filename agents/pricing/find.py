"""The price of a model: stated, known, or from the bundled price list.

Order: what the configuration or the catalog states on the model itself, the catalog's known
models, the list that `genai-prices` brings along. The list is loaded when it is first needed
(0.3 s, 30 MB), which happens where models are called and never in web processes. It is never
updated over the network.
"""

from __future__ import annotations

import time
from functools import lru_cache

from agents.catalog.known import KNOWN_MODELS
from agents.core.addresses import address_is_near
from agents.core.model import ModelInfo, Price

# Some prices depend on the date or the hour: the list is asked again after this many seconds.
_FRESH_SECONDS = 900
_UNKNOWN = Price()
# The catalog's prices hold where the vendor itself answers.
_VENDORS = {"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com"}


def price_find(model: ModelInfo) -> Price:
    """What a call of `model` costs; `known` is false when nobody states it. Never raises.

    A price belongs to whoever sends the bill: it follows the address that is called, and the
    provider's name only where there is no address. Services close by have none but a stated one.
    Cheap when asked for often; the first question that needs the list takes 0.3 s.
    """
    if model.price.known or address_is_near(model.base_url):
        return model.price
    vendor = _VENDORS.get(model.provider, "")
    if not model.base_url or (vendor and model.base_url.startswith(vendor)):
        known = KNOWN_MODELS.get(model.provider, {}).get(model.id)
        if known is not None and known.price.known:
            return known.price
    period = int(time.time() // _FRESH_SECONDS)
    return _listed(model.provider, model.base_url, model.id, period)


@lru_cache(maxsize=512)
def _listed(provider: str, base_url: str, model_id: str, _period: int) -> Price:
    from agents.pricing.listed import price_listed

    return price_listed(provider=provider, base_url=base_url, model_id=model_id) or _UNKNOWN
