"""Ollama's own chat API.

Its OpenAI-compatible API loses tool calls when it streams and cannot be told the size of the
context, so this one is used where nothing else is configured.
"""
