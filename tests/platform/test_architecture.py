"""Rules of the architecture that the import checker cannot express."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps

from checks.javascript import functions_of
from checks.sizes import faults, measure, own_files

ROOT = Path(__file__).resolve().parents[2]
# From the bottom to the top; an app may know those before it.
LAYERS = ("agents", "tools", "sessions", "channels_app", "scheduler", "openclaw_site")


def test_it_works() -> None:
    """Every app of ours is a layer."""
    own = {config.name for config in apps.get_app_configs() if (ROOT / config.name).is_dir()}
    assert own == set(LAYERS)


def test_foreign_keys_point_down() -> None:
    """A table refers to its own layer or a lower one, or to the framework's."""
    names = {config.label: config.name for config in apps.get_app_configs()}
    wrong = []
    for model in apps.get_models(include_auto_created=True):
        own = names[model._meta.app_label]
        for field in model._meta.get_fields():
            if field.auto_created or field.related_model is None:
                continue
            other = names[field.related_model._meta.app_label]
            if own in LAYERS and other in LAYERS and LAYERS.index(other) > LAYERS.index(own):
                wrong.append(f"{model._meta.label}.{field.name}")
    assert wrong == []


def _imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_services_know_no_http() -> None:
    """Doors translate; services speak the language of the domain."""
    services = [path for layer in LAYERS for path in (ROOT / layer).rglob("*services.py")]
    assert services
    wrong = {
        path.name
        for path in services
        for module in _imports_of(path)
        if module.startswith(("django.http", "rest_framework", "django.shortcuts"))
    }
    assert wrong == set()


def test_package_entries_are_empty() -> None:
    """Importing a package runs nothing: the supervisor and the pure parts rely on it."""
    for layer in LAYERS:
        assert not (ROOT / layer / "__init__.py").read_text().strip()


def test_javascript_functions_are_found() -> None:
    """Named, arrow, method and nested functions, whatever strings and comments say."""
    source = """
    // function no() { }
    const text = `function no() { ${1} }`, pattern = /[{}"]+/g;
    export function one(a, b) {
      if (a) { return "}" }
    }
    const two = async (x) => {
      return [1].map((y) => { return y })
    };
    class C { three(x) { return x }
    }
    """
    found = {name: length for _, name, length in functions_of(source)}
    assert found["one"] == 3
    assert found["two"] == 3
    assert found["three"] == 1
    assert "no" not in found
    assert "C" not in found


def test_too_long_is_found(tmp_path: Path) -> None:
    """A file of 401 lines and a function of 61 are named."""
    measured = [measure(path) for path in list(own_files())[:1]]
    assert faults(measured) == []
    long = type(measured[0])("x.py", 401, ((1, "f", 61),))
    assert faults([long]) == ["x.py: 401 lines", "x.py:1: f has 61 lines"]


def test_browser_tests_are_marked() -> None:
    """A browser's loop in the process of other tests breaks them, so it runs apart."""
    folder = ROOT / "tests" / "browser"
    missing = [
        path.name
        for path in folder.glob("test_*.py")
        if "pytest.mark.browser" not in path.read_text()
    ]
    assert missing == []
