"""MCP servers made with the SDK, started as programs of their own."""
