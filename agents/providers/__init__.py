"""Clients of model services: one package for each wire format.

Pure Python: nothing here knows of Django, Redis or Celery, and the vendors' libraries are
imported when a model is first called, never before.
"""
