"""What a sandbox sees of the machine's folders, and which of its paths is which of ours."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.config.sections.sandbox_binds import contents_problem, source_problem
from agents.core.errors import ToolError
from tools.sandbox.choice import SandboxPlan

WORKSPACE = "/workspace"
AGENT = "/agent"
SKILLS = "skills"


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder as the gateway sees it (`source`) and where it is inside (`target`)."""

    source: Path
    target: str
    read_only: bool
    relabel: str = ""

    def spec(self, paths: Mapping[str, str]) -> str:
        """The engine's way to write it, with the path that the engine's machine has for it."""
        options = [*(["ro"] if self.read_only else ["rw"]), *([self.relabel] * bool(self.relabel))]
        return f"{outside_path(self.source, paths)}:{self.target}:{','.join(options)}"


@dataclass(frozen=True, slots=True)
class Root:
    """A folder of the sandbox that file tools may use."""

    path: str
    read_only: bool


def mounts_of(plan: SandboxPlan, *, home: Path) -> tuple[Mount, ...]:
    """All of them, outer ones before inner ones. Looks at the disk.

    Raises ToolError that names the setting when one must not be given to a sandbox.
    """
    access = plan.config.workspace_access
    mounts = [Mount(plan.folder, WORKSPACE, read_only=False)]
    if access == "ro":
        mounts.append(Mount(plan.workspace, AGENT, read_only=True))
    skills = plan.workspace / SKILLS
    # A link could lead anywhere, and would be followed by the engine.
    if skills.is_dir() and not skills.is_symlink():
        mounts.append(Mount(skills, f"{WORKSPACE}/{SKILLS}", read_only=True))
    mounts += _bound(plan, home)
    for mount in mounts:
        _check_contents(mount.source, plan, home)
    return tuple(mounts)


def roots_of(plan: SandboxPlan, mounts: Sequence[Mount]) -> tuple[Root, ...]:
    """Where file tools may read and write inside, deepest first."""
    roots = [Root(mount.target, mount.read_only) for mount in mounts]
    roots += [Root(text.partition(":")[0], False) for text in plan.config.docker.tmpfs]
    return tuple(sorted(roots, key=lambda root: (-root.path.count("/"), root.path)))


def inside_path(given: str, mounts: Sequence[Mount]) -> str:
    """The absolute path inside for one that a model wrote.

    Relative ones begin at the workspace, `~` means it, and a path of the gateway's machine below a
    mounted folder is the same file inside. Symlinks and `..` are left as they are.
    """
    if given == "~" or given.startswith("~/"):
        return WORKSPACE + given[1:]
    if not given.startswith("/"):
        return f"{WORKSPACE}/{given}"
    names = _names(given)
    if any(_below(names, _names(mount.target)) is not None for mount in mounts):
        return given
    for mount in mounts:
        for base in (str(mount.source), os.path.realpath(mount.source)):
            rest = _below(names, _names(base))
            if rest is not None:
                return "/".join([mount.target, *rest])
    return given


def shown_path(path: str) -> str:
    """A path inside as a model shall use it: relative to the workspace where it is below it."""
    rest = _below(_names(path), _names(WORKSPACE))
    return path if rest is None else "/".join(rest) or "."


def outside_path(path: Path, paths: Mapping[str, str]) -> str:
    """The path that the engine's machine has for a folder of the gateway."""
    for inner, outer in sorted(paths.items(), key=lambda pair: -len(pair[0])):
        rest = _below(_names(str(path)), _names(inner))
        if rest is not None:
            return "/".join([outer.rstrip("/"), *rest])
    return str(path)


def host_paths(text: str) -> dict[str, str]:
    """`/data=/srv/openclaw,/home=/srv/home` as a map. Raises ValueError that says what is wrong."""
    found: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        inner, equals, outer = part.partition("=")
        if not equals or not inner.startswith("/") or not outer.startswith("/"):
            raise ValueError(f"{part!r} must read /folder/in/the/gateway=/folder/of/the/machine")
        found[os.path.normpath(inner)] = os.path.normpath(outer)
    return found


def _bound(plan: SandboxPlan, home: Path) -> list[Mount]:
    found = []
    for index, bind in enumerate(plan.config.docker.bound()):
        where = f"sandbox.docker.binds[{index}]"
        # Looked at again: a link may have been made since the setting was accepted.
        if problem := source_problem(bind.source):
            raise ToolError(f"{where}: {problem}. Nothing was run.")
        source = Path(bind.source)
        allowed = plan.config.docker.dangerously_allow_external_bind_sources
        if not allowed and not _owned(Path(os.path.realpath(source)), plan):
            raise ToolError(
                f"{where}: {bind.source} is outside of the agent's workspace. Choose a folder in "
                "it, or set dangerouslyAllowExternalBindSources."
            )
        if not source.exists():
            raise ToolError(f"{where}: {bind.source} is not there. Nothing was run.")
        found.append(Mount(source, bind.target, bind.read_only, bind.relabel))
    return sorted(found, key=lambda mount: mount.target.count("/"))


def _owned(path: Path, plan: SandboxPlan) -> bool:
    bases = (plan.workspace, plan.folder)
    return any(path.is_relative_to(os.path.realpath(base)) for base in bases)


def _check_contents(source: Path, plan: SandboxPlan, home: Path) -> None:
    if problem := contents_problem(str(source)):
        raise ToolError(f"{problem}. Choose another workspace or bind. Nothing was run.")
    real, secrets = Path(os.path.realpath(source)), Path(os.path.realpath(home))
    inside = real.is_relative_to(secrets) and not _owned(real, plan)
    if secrets.is_relative_to(real) or inside:
        raise ToolError(
            f"The folder {source} holds the gateway's own secrets and must not be given to a "
            "sandbox. Choose another workspace or bind. Nothing was run."
        )


def _names(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in ("", ".")]


def _below(names: list[str], base: list[str]) -> list[str] | None:
    return names[len(base) :] if names[: len(base)] == base else None
