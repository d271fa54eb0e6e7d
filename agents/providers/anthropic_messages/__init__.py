"""Anthropic Messages, and the services that speak it."""
