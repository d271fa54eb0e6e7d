"""Decisions that a tool call or a program waits for: asked, answered, expired, told."""
