"""A scripted model service for tests: one process, two wire formats, no intelligence.

Run it with `python -m tests.model_server --port N`. What it answers is written as
`[[directives]]` in the text of the last user message; `tests.model_server.script` lists them.
"""
