"""What the gateway itself has to tell a session: a short durable queue."""
