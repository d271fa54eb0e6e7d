"""Limits on money and tokens: held before a model is called, settled after it answered."""
