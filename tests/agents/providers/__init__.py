"""Tests of the model clients; real ones over HTTP, against the scripted model server."""
