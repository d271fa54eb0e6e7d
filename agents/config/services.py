"""Changes of the configuration as a whole: look at a document, apply it, go back."""

from __future__ import annotations

from django.utils.translation import gettext as _

from agents.config.cache import cache_bypass, cache_clear
from agents.config.documents import document_store, documents
from agents.config.examination import Examined, document_examine
from agents.config.issues import ConfigInvalid, ConfigReport, Findings
from agents.config.parsing import document_parse, text_decode
from agents.config.redaction import redact, seal, unseal
from agents.config.registry import KNOWN_KEYS, SECTIONS
from agents.config.section import Document
from agents.config.selectors import document_current
from agents.core.errors import NotFound
from agents.database import write_transaction
from agents.models import ConfigRevision

# Revisions that are kept; older ones are removed.
REVISIONS_KEPT = 50


def config_validate(*, text: str | bytes) -> ConfigReport:
    """Everything there is to say about the document in `text`, JSON5 or YAML; writes nothing."""
    findings = Findings()
    examined = _examine(text, findings)
    errors, warnings = findings.finish()
    return ConfigReport(
        errors=tuple(errors),
        warnings=tuple(warnings),
        document=redact(examined.document) if examined else {},
    )


def config_apply(*, text: str | bytes, author: str = "", note: str = "") -> ConfigReport:
    """Makes the rows agree with the document in `text`, in one transaction.

    The document is the whole configuration: a section that it leaves out is reset, providers
    and listed agents that it leaves out are removed; without a list of agents all stay. The
    configuration before is kept as a revision. Raises ConfigInvalid, with nothing written,
    when the document has errors.
    """
    findings = Findings()
    examined = _examine(text, findings)
    errors, warnings = findings.finish()
    if errors or examined is None:
        raise ConfigInvalid(errors, warnings)
    return _apply(examined, findings, author=author, note=note)


def config_rollback(*, author: str = "", revision: int | None = None) -> ConfigReport:
    """Brings back the configuration before the last change, or the one kept as `revision`.

    What is replaced becomes a revision itself, so going back twice undoes the first. Raises
    NotFound when there is no such revision.
    """
    rows = ConfigRevision.objects.all()
    row = rows.filter(pk=revision).first() if revision is not None else rows.first()
    if row is None:
        raise NotFound(_("There is no earlier configuration to go back to."))
    document: Document = unseal(row.document)
    findings = Findings()
    examined = document_examine(document, current=document_current, findings=findings)
    errors, warnings = findings.finish()
    if errors:
        raise ConfigInvalid(errors, warnings)
    note = _("before going back to #%(number)d") % {"number": row.pk}
    return _apply(examined, findings, author=author, note=note)


def _examine(text: str | bytes, findings: Findings) -> Examined | None:
    if isinstance(text, bytes):
        text = text_decode(text, findings)
    document = document_parse(text, findings) if not findings.errors else {}
    if findings.errors:
        return None
    return document_examine(document, current=document_current, findings=findings)


def _apply(examined: Examined, findings: Findings, *, author: str, note: str) -> ConfigReport:
    with cache_bypass(), write_transaction():
        before = document_current()
        _load(examined, findings)
        after = document_current()
        revision = None
        if after != before:
            row = ConfigRevision.objects.create(document=seal(before), author=author, note=note)
            revision = row.pk
            _revisions_prune()
    cache_clear()
    _errors, warnings = findings.finish()
    return ConfigReport(
        warnings=tuple(warnings),
        document=redact(after),
        changed=revision is not None,
        revision=revision,
    )


def _load(examined: Examined, findings: Findings) -> None:
    for name, spec in SECTIONS:
        typed = examined.typed.get(name) or spec.model()
        spec.load(examined.sections.get(name), typed, findings)
    stored = documents()
    for name in set(KNOWN_KEYS).difference(SECTIONS.names()):
        if (content := examined.document.get(name)) != stored.get(name):
            document_store(name=name, document=content)


def _revisions_prune() -> None:
    old = ConfigRevision.objects.values_list("pk", flat=True)[REVISIONS_KEPT:]
    ConfigRevision.objects.filter(pk__in=list(old)).delete()
