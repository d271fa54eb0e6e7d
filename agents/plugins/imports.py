"""Importing a plugin out of its folder, under a name of its own and off the path of imports."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

# The parent of all of them; nothing else has modules there.
PREFIX = "openclaw_plugin_folders"


def folder_import(plugin_id: str, folder: Path, module: str) -> ModuleType:
    """The plugin's module: `<module>.py` or the package `<module>` inside of `folder`.

    Raises ImportError when there is neither, and whatever the module itself raises.
    """
    name = module_name(plugin_id)
    package = folder / module / "__init__.py"
    file = package if package.is_file() else folder / f"{module}.py"
    if not file.is_file():
        raise ImportError(f"{folder} has neither {module}.py nor {module}/__init__.py")
    inner = [str(package.parent)] if file == package else None
    spec = spec_from_file_location(name, file, submodule_search_locations=inner)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    made = module_from_spec(spec)
    sys.modules[name] = made
    try:
        spec.loader.exec_module(made)
    except BaseException:
        folder_forget(plugin_id)
        raise
    return made


def folder_forget(plugin_id: str) -> None:
    """Takes the plugin's modules out again."""
    name = module_name(plugin_id)
    for module in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
        del sys.modules[module]


def module_name(plugin_id: str) -> str:
    """The name under which a plugin's folder is imported."""
    return f"{PREFIX}_{''.join(sign if sign.isalnum() else '_' for sign in plugin_id)}"
