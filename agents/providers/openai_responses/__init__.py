"""OpenAI Responses, and the services that speak it."""
