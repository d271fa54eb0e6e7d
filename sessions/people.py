"""People: who they are, how they sign in the first time, what they set for themselves."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any
from zoneinfo import available_timezones

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.core.errors import UserError
from agents.database import write_transaction
from sessions.models import Person, SigninLink

OWNER_USERNAME = "owner"


def person_for_user(*, user: Any) -> Person:
    """The Person of a Django user, made on first use. A superuser is an owner."""
    person = Person.objects.filter(user=user).first()
    if person is not None:
        return person
    role = Person.Role.OWNER if user.is_superuser else Person.Role.MEMBER
    name = user.get_full_name() or user.get_username()
    person, _made = Person.objects.get_or_create(
        user=user, defaults={"name": name, "role": role, "zone": settings.TIME_ZONE}
    )
    return person


def owner_ensure() -> Person:
    """The first owner, made with a Django user without password when there is none yet."""
    person = Person.objects.filter(role=Person.Role.OWNER).order_by("created_at").first()
    if person is not None:
        return person
    users = get_user_model()._default_manager
    with write_transaction():
        user = users.filter(is_superuser=True).order_by("pk").first()
        if user is None:
            user = users.create_superuser(username=OWNER_USERNAME)
        return person_for_user(user=user)


def owner_has_signed_in() -> bool:
    """Whether some owner has ever signed in."""
    owners = Person.objects.filter(role=Person.Role.OWNER)
    return owners.exclude(user__last_login=None).exists()


def token_hash(token: str) -> str:
    """The SHA-256 under which a token of high entropy is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def signin_link_create(*, person: Person, minutes: int = 15) -> str:
    """A token that signs `person` in once within `minutes`. Only its hash is stored."""
    token = secrets.token_urlsafe(24)
    SigninLink.objects.create(
        person=person,
        token_hash=token_hash(token),
        expires_at=timezone.now() + timedelta(minutes=minutes),
    )
    return token


def signin_link_use(*, token: str) -> Person:
    """The person of a valid token, which is used up. Raises UserError otherwise."""
    now = timezone.now()
    links = SigninLink.objects.filter(token_hash=token_hash(token), used_at=None)
    if not links.filter(expires_at__gt=now).update(used_at=now):
        raise UserError(
            _("This sign-in link is used up or too old. Make a new one: manage.py signin_link")
        )
    person: Person = (
        SigninLink.objects.select_related("person").get(token_hash=token_hash(token)).person
    )
    return person


def signin_links_prune() -> int:
    """Deletes links that ended more than a day ago. Returns how many."""
    old = timezone.now() - timedelta(days=1)
    count, _by_model = SigninLink.objects.filter(expires_at__lt=old).delete()
    return count


def person_update(
    *,
    person: Person,
    name: str | None = None,
    zone: str | None = None,
    language: str | None = None,
    theme: str | None = None,
) -> Person:
    """Changes what a person may set for themselves; None leaves a field. Raises UserError."""
    if name is not None:
        if not name.strip():
            raise UserError(_("The name is empty; enter how agents should call you."))
        person.name = name.strip()[:120]
    if zone is not None:
        if zone not in available_timezones():
            raise UserError(
                _("Unknown time zone %(zone)s; use one such as Europe/Paris.") % {"zone": zone}
            )
        person.zone = zone
    if language is not None:
        if language not in dict(settings.LANGUAGES):
            raise UserError(_("Unknown language %(code)s.") % {"code": language})
        person.language = language
    if theme is not None:
        if theme not in Person.Theme.values:
            raise UserError(
                _("Unknown theme %(theme)s; use auto, light or dark.") % {"theme": theme}
            )
        person.theme = theme
    person.save()
    return person
