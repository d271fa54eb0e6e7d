"""A model without a model: scripted answers for whoever has no key yet.

It goes through the same contract as every other client, so that a newcomer sees streaming, tools
and errors of the real product. It never stands in for a real model that failed.
"""
