"""A browser for agents: Chromium behind a proxy of ours, one context for each session."""
