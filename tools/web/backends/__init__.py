"""The services that web_search can ask."""
