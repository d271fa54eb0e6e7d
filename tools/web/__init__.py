"""What the tools web_fetch and web_search are made of."""
