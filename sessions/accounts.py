"""People and the accounts they sign in with: making them, their roles, switching them off."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.utils.text import slugify
from django.utils.translation import gettext as _

from agents.core.errors import Conflict, UserError
from agents.database import write_transaction
from sessions.models import Person

_LONGEST_USERNAME = 150


def person_create(
    *,
    name: str,
    username: str = "",
    role: str = Person.Role.MEMBER,
    zone: str = "",
    language: str = "",
) -> Person:
    """A person with an account without password; a sign-in link lets them in.

    Without `username` one is made from the name. Raises UserError naming the field, Conflict when
    the user name is taken.
    """
    shown = name.strip()[:120]
    if not shown:
        raise UserError(_("name is empty."), details={"field": "name"})
    _check_role(role)
    with write_transaction():
        person = Person.objects.create(
            user=_account_make(username, shown),
            name=shown,
            role=role,
            zone=zone or settings.TIME_ZONE,
            language=language or settings.LANGUAGE_CODE,
        )
        _flags_set(person)
    return person


def person_role_set(*, person: Person, role: str) -> Person:
    """Gives a person another role; owners may use the admin. Raises Conflict for the last owner."""
    _check_role(role)
    with write_transaction():
        if person.is_owner and role != Person.Role.OWNER:
            _check_not_last(person)
        person.role = role
        person.save(update_fields=["role"])
        _flags_set(person)
    return person


def account_ensure(*, person: Person) -> Any:
    """The Django user of a person, made without password when there is none yet."""
    if person.user is None:
        with write_transaction():
            person.user = _account_make("", person.name)
            person.save(update_fields=["user"])
            _flags_set(person)
    return person.user


def account_active_set(*, person: Person, active: bool) -> None:
    """Lets a person sign in, or no longer. Raises Conflict for the last owner."""
    with write_transaction():
        if not active and person.is_owner:
            _check_not_last(person)
        user = account_ensure(person=person)
        user.is_active = active
        user.save(update_fields=["is_active"])


def _check_role(role: str) -> None:
    if role not in Person.Role.values:
        text = _("Unknown role %(role)s; use owner, member or viewer.")
        raise UserError(text % {"role": role}, details={"field": "role"})


def _check_not_last(person: Person) -> None:
    others = Person.objects.filter(role=Person.Role.OWNER, user__is_active=True)
    if not others.exclude(pk=person.pk).exists():
        raise Conflict(_("This is the last owner; make somebody else an owner first."))


def _flags_set(person: Person) -> None:
    """Django's own flags follow the role, for whatever asks Django instead of us."""
    user = person.user
    if user is not None and (user.is_staff, user.is_superuser) != (person.is_owner,) * 2:
        user.is_staff = user.is_superuser = person.is_owner
        user.save(update_fields=["is_staff", "is_superuser"])


def _account_make(username: str, name: str) -> Any:
    model = get_user_model()
    chosen = username.strip() or _username_free(name)
    try:
        UnicodeUsernameValidator()(chosen)
    except ValidationError as error:
        raise UserError(error.messages[0], details={"field": "username"}) from error
    if len(chosen) > _LONGEST_USERNAME:
        raise UserError(_("username is too long."), details={"field": "username"})
    if model._default_manager.filter(username__iexact=chosen).exists():
        text = _("The user name %(name)s is taken.") % {"name": chosen}
        raise Conflict(text, details={"field": "username"})
    return model._default_manager.create_user(username=chosen)


def _username_free(name: str) -> str:
    base = slugify(name)[: _LONGEST_USERNAME - 10] or "person"
    accounts = get_user_model()._default_manager.filter(username__istartswith=base)
    taken = {found.lower() for found in accounts.values_list("username", flat=True)}
    number, username = 2, base
    while username in taken:
        username, number = f"{base}-{number}", number + 1
    return username
