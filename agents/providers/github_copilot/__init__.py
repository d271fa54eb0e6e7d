"""GitHub Copilot: Chat Completions behind a token that lives for minutes."""
