"""Wrappers of model calls: each takes a StreamFn and gives one that keeps the same contract."""
