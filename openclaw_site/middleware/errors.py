"""Turns errors of the product that a plain view lets through into answers."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from agents.core.errors import OpenClawError
from agents.database import data_fault
from openclaw_site.errors import error_describe, error_response, wants_json


class ErrorMiddleware(MiddlewareMixin):
    """JSON for programs, a page for people; foreign exceptions stay Django's business."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The answer for an OpenClawError and for values that the database refused, else None."""
        error = data_fault(error) or error
        if not isinstance(error, OpenClawError):
            return error_response(error) if wants_json(request) else None
        if wants_json(request):
            return error_response(error)
        status, body = error_describe(error)
        return render(request, "openclaw_site/error.html", body["error"], status=status)
