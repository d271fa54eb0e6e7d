"""Plain inserts and updates for the path of every message.

Django builds a query as a tree and compiles it anew for each call; that costs five times what the
database takes for it. Here the SQL is built once per shape, from the model's own fields, and the
values go through the fields' own conversion, so that every backend stores what the ORM would.
No signals are sent and no relations are followed. Must be used within a transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import AutoField, Field, Model


def row_update(model: type[Model], *, where: Mapping[str, Any], changes: Mapping[str, Any]) -> int:
    """Sets `changes` in the rows whose columns equal `where`; returns how many there were.

    Names are those of fields (`run_id` for a key). None in `where` never matches.
    """
    fields = _fields(model, (*changes, *where))
    values = [
        field.get_db_prep_save(value, connection)
        for field, value in zip(fields, (*changes.values(), *where.values()), strict=True)
    ]
    with connection.cursor() as cursor:
        cursor.execute(_update_sql(model, tuple(changes), tuple(where)), values)
        return int(cursor.rowcount)


def rows_insert(rows: Sequence[Model]) -> None:
    """Inserts rows of one model. A key that the database makes is not read back."""
    if not rows:
        return
    model = type(rows[0])
    fields = _insert_fields(model)
    values = [
        [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields]
        for row in rows
    ]
    with connection.cursor() as cursor:
        cursor.executemany(_insert_sql(model), values)


@lru_cache(maxsize=256)
def _fields(model: type[Model], names: tuple[str, ...]) -> tuple[Field[Any, Any], ...]:
    by_name = {field.attname: field for field in model._meta.concrete_fields}
    return tuple(by_name[name] for name in names)


@lru_cache(maxsize=64)
def _insert_fields(model: type[Model]) -> tuple[Field[Any, Any], ...]:
    return tuple(f for f in model._meta.concrete_fields if not isinstance(f, AutoField))


@lru_cache(maxsize=256)
def _update_sql(model: type[Model], changes: tuple[str, ...], where: tuple[str, ...]) -> str:
    sets = ", ".join(f"{_column(field)} = %s" for field in _fields(model, changes))
    wanted = " AND ".join(f"{_column(field)} = %s" for field in _fields(model, where))
    return f"UPDATE {_table(model)} SET {sets} WHERE {wanted}"  # noqa: S608 - names of our models


@lru_cache(maxsize=64)
def _insert_sql(model: type[Model]) -> str:
    fields = _insert_fields(model)
    columns = ", ".join(_column(field) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    return f"INSERT INTO {_table(model)} ({columns}) VALUES ({marks})"  # noqa: S608 - as above


def _table(model: type[Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


def _column(field: Field[Any, Any]) -> str:
    return connection.ops.quote_name(str(field.column))
